import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { holdOptions } from '../../../tools/testing/hold-options.js';
import * as main from '../src/index.js';
import * as policy from '../src/policy/index.js';
import * as testing from '../src/testing/index.js';

const options = { fingerprintKey: randomBytes(32) };
const session = main.createRedactor(options).session();
const context = { path: 'src/a.ts', diff: true };
const definition = { name: 'badge', triggers: ['badge-'], confirm: () => undefined };
const silent = { describe: () => undefined, it: () => undefined };
const harmless = { session: () => session, scan: () => [] };
const properties = { create: () => harmless, numRuns: 1 };

describe('options', () => {
  holdOptions({
    folder: new URL('../', import.meta.url),
    entries: { '.': main, './policy': policy, './testing': testing },
    calls: {
      createRedactor: (extra) => main.createRedactor({ ...options, ...extra }),
      'createRedactor policy': (extra) => main.createRedactor({ ...options, policy: { ...extra } }),
      'createRedactor policy.pii': (extra) => main.createRedactor({ ...options, policy: { pii: { ...extra } } }),
      'createRedactor redact': (extra) => session.redact('', { ...context, ...extra }),
      'createRedactor redact of a long text': (extra) =>
        session.redact('a line\n'.repeat(200_000), { ...context, ...extra }),
      'createRedactor stream': (extra) => session.stream({ ...context, ...extra }),
      createPayloadRedactor: (extra) => main.createPayloadRedactor({ ...extra }),
      'createPayloadRedactor policy': (extra) => main.createPayloadRedactor({ policy: { ...extra } }),
      defineRule: (extra) => main.defineRule({ ...definition, ...extra }),
      'defineRule reach': (extra) => main.defineRule({ ...definition, reach: { ...extra } }),
      checkRedactor: (extra) => testing.checkRedactor({ ...properties, ...extra }),
      describeRedactorProperties: (extra) => testing.describeRedactorProperties(silent, { ...properties, ...extra }),
    },
    without: [
      'RedactionError',
      ...['secretInContext', 'hostileText', 'jsonDocument', 'innocentText'],
      ...[
        'accountKey',
        'basicCredentials',
        'connectionUri',
        'jsonWebToken',
        'opaqueToken',
        'password',
        'perforceTicket',
        'privateKey',
      ],
      ...['randomText', 'tokenList', 'vendorToken'],
    ],
  });

  it.each<[string, () => unknown, string]>([
    [
      'a misspelt key of a context',
      () => session.redact('text', { pth: 'a.env' } as never),
      'redact: context.pth: unknown option; did you mean path? known are path, diff',
    ],
    [
      'a name that every object has',
      () => session.stream({ toString: undefined } as never),
      'stream: context.toString: unknown option; known are path, diff',
    ],
    [
      'a path instead of a context',
      () => session.redact('text', 'a.env' as never),
      'redact: context: expected an object with path, diff',
    ],
    [
      'an index instead of a context',
      () => ['text'].map(session.redact as never),
      'redact: context: expected an object with path, diff',
    ],
    [
      'a path that is none',
      () => session.redact('text', { path: 7 } as never),
      'redact: context.path: expected a string',
    ],
    [
      'a diff that is none',
      () => session.redact('text', { diff: 1 } as never),
      'redact: context.diff: expected true or false',
    ],
    [
      'no options',
      () => main.createRedactor(undefined as never),
      'createRedactor: expected an object with fingerprintKey, policy, rules',
    ],
    [
      'a misspelt reach',
      () => main.defineRule({ ...definition, reach: { behnd: 8 } } as never),
      'defineRule: reach.behnd: unknown option; did you mean behind? known are before, behind',
    ],
    [
      'several unknown keys of a policy',
      () => main.createPayloadRedactor({ policy: { keys: { hid: [], omit: [] } } } as never),
      'createPayloadRedactor: policy.keys.hid: unknown option; did you mean hide? known are hide, keep; ' +
        'policy.keys.omit: unknown option; known are hide, keep',
    ],
  ])('names %s', (_what, call, message) => {
    expect(call).toThrow(new TypeError(message));
  });

  it('takes a context whose prototype has members of its own', () => {
    const inherited: object = Object.assign(Object.create({ depth: 1 }), context);
    expect(session.redact('text', inherited).text).toBe('text');
  });

  it.each([{ numRuns: 0 }, { numRuns: Number.NaN }, { seed: 0.5 }, { create: undefined }, { redactChunks: true }])(
    'checkRedactor refuses the value in %j',
    async (wrong) => {
      await expect(testing.checkRedactor({ ...properties, ...wrong } as never)).rejects.toThrow(
        /^checkRedactor: \w+: expected /,
      );
    },
  );
});
