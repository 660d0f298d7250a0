import { describe, expect, it } from 'vitest';
import { describeEgress } from './describe-egress.js';

const describeTo = (hosts: readonly string[], models: readonly string[], internalHosts: string[] = []) =>
  describeEgress(
    {
      requests: hosts.map((host, n) => ({ host, bytes: 19_000, redactions: { token: 1 }, paths: [`//depot/${n}.ts`] })),
    },
    { settings: { egress: { internalHosts } }, models: models.map((host) => ({ host })) },
  );

describe('describeEgress', () => {
  const vendor = 'llm.example.com';

  it('says how much goes where, by the rule of the policy', () => {
    expect(describeTo(['10.0.0.8:8000'], ['10.0.0.8:8000'])).toBe(
      '1 file, 19 kB, 1 secret withheld, to 10.0.0.8:8000 (private)',
    );
    expect(describeTo([vendor], [vendor])).toContain('to llm.example.com (public)');
    expect(describeTo([vendor], [vendor], ['.example.com'])).toContain('to llm.example.com (private)');
    expect(describeTo([], [vendor])).toBe('nothing');
  });

  it('names the models that may stand in', () => {
    expect(describeTo(['gpu1'], ['gpu1', 'gpu2', vendor])).toBe(
      '1 file, 19 kB, 1 secret withheld, to gpu1 (private), or where that is out to gpu2 (private) or llm.example.com (public)',
    );
    expect(describeTo(['gpu1', vendor], ['gpu1', vendor])).toBe(
      '2 files, 38 kB, 2 secrets withheld, to gpu1 (private) and llm.example.com (public)',
    );
  });
});
