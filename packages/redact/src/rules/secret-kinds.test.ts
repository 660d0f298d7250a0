import { describe, expect, it } from 'vitest';
import { createRedactor } from '../redactor.js';

const redactor = createRedactor({ fingerprintKey: 'key of the secret kinds', policy: { packs: ['pii'] } });
const letters = (length: number): string =>
  Array.from({ length }, (_, at) => 'Zk3Qx9Lw7Rb5Tn2Vd8Mf'.charAt((at * 7) % 20)).join('');

describe('kinds of findings', () => {
  it.each([
    [
      'private-key',
      () => `${'-----BEGIN'} RSA PRIVATE KEY-----\n${letters(64)}\n${letters(64)}\n-----END RSA PRIVATE KEY-----`,
    ],
    ['cloud-key', () => `id = "${['AKIA', letters(16).toUpperCase()].join('')}"`],
    ['credential', () => `token = "${['ghp', letters(36)].join('_')}"`],
    ['private-data', () => `mail to ${['ada', 'studio.example'].join('@')}`],
  ] as const)('GRD-7: a %s is told by its rule', (kind, make) => {
    expect(
      redactor
        .session()
        .redact(make())
        .findings.map((one) => one.kind),
    ).toEqual([kind]);
  });
});
