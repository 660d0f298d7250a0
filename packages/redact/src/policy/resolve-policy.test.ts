import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, type Redactor } from '../redactor.js';
import { createPayloadRedactor } from '../structured/payload-redactor.js';
import { HEX, madeUp } from '../testing/redact-line.js';
import { compilePathPatterns } from './path-pattern.js';
import type { RedactionPolicy } from './policy-schema.js';

const fingerprintKey = 'fingerprint-key-of-the-tests';
const withPolicy = (policy: RedactionPolicy): Redactor => createRedactor({ fingerprintKey, policy });
const redact = (policy: RedactionPolicy, text: string, path?: string): string =>
  withPolicy(policy).session().redact(text, { path }).text;

const word = madeUp(14);
const token = `ghp_${madeUp(36)}`;
const card = ['4012', '8888', '8888', '1881'].join(' ');
const assigned = `password = "${word}"`;

describe('path patterns', () => {
  it.each([
    ['//depot/test/...', '//depot/test/a/b.c#3', true],
    ['//depot/test/...', '//depot/tests/a.c', false],
    ['//depot/*/main/...', '//depot/x/main/a.c', true],
    ['//depot/*/main/...', '//depot/x/y/main/a.c', false],
    ['*.md', '//depot/docs/readme.md@1204', true],
    ['*.md', 'docs\\readme.md', true],
    ['*.md', '//depot/readme.md/x.c', false],
    ['docs/**', 'docs/a/b.md', true],
    ['**/fixtures/**', 'a/fixtures/b', true],
    ['.env*', 'a/.env.local', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'aXbY', false],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(compilePathPatterns([pattern]).matches(path)).toBe(expected);
  });

  /** Whether a pattern matches, straight from what its wildcards mean. */
  function matchesByDefinition(pattern: string, path: string): boolean {
    const matches = (rest: string, left: string): boolean => {
      if (rest === '') return left === '';
      const [anything] = /^(?:\.\.\.|\*\*)/.exec(rest) ?? [];
      if (anything !== undefined)
        return matches(rest.slice(anything.length), left) || (left !== '' && matches(rest, left.slice(1)));
      if (rest.startsWith('*'))
        return matches(rest.slice(1), left) || (left !== '' && left[0] !== '/' && matches(rest, left.slice(1)));
      return rest[0] === left[0] && matches(rest.slice(1), left.slice(1));
    };
    const isName = !/\/|\.\.\.|\*\*/.test(pattern);
    return matches(pattern, isName ? path.slice(path.lastIndexOf('/') + 1) : path);
  }

  it('match together as each does by itself', () => {
    const pattern = fc
      .array(fc.constantFrom('a', 'b', '/', '*', '...', '.', 'ab'), { minLength: 1, maxLength: 6 })
      .map((all) => all.join(''));
    const path = fc.array(fc.constantFrom('a', 'b', 'c', '/', '.', 'ab'), { maxLength: 9 }).map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 5 }), fc.array(path, { maxLength: 6 }), (patterns, paths) => {
        const together = compilePathPatterns(patterns);
        for (const one of paths)
          expect(together.matches(one)).toBe(patterns.some((text) => matchesByDefinition(text, one)));
      }),
      { numRuns: 300 },
    );
  });

  it('read a path once, however many there are', () => {
    const patterns = Array.from({ length: 100 }, (_, at) => `**/part${at}/*.c`);
    const together = compilePathPatterns(patterns);
    const paths = Array.from({ length: 500 }, (_, at) => `//depot/area/part${at}/secret/file${at}.c`);
    expect(paths.some(together.matches)).toBe(false);
    expect(together.steps()).toBeLessThanOrEqual(6 * paths.join('').length);
  });

  it('take steps in proportion, whatever is written', () => {
    for (const hostile of [`${'...a'.repeat(100)}b`, `a/${'*a'.repeat(100)}b`]) {
      const { matches, steps } = compilePathPatterns([hostile]);
      expect(matches('a'.repeat(4000))).toBe(false);
      expect(steps()).toBeLessThanOrEqual(2 * hostile.length * 4000);
    }
  });
});

describe('redaction policy', () => {
  it('RED-7: an override turns a rule off, or another pack on, under its paths alone', () => {
    const policy: RedactionPolicy = {
      overrides: [
        { paths: ['//depot/test/...', '*.md'], disable: ['password'] },
        { paths: ['//depot/hr/...'], packs: ['pii'] },
        { paths: ['*.md'], pii: { emails: true } },
      ],
    };
    expect(redact(policy, assigned, '//depot/test/a.ts')).toBe(assigned);
    expect(redact(policy, assigned, '//depot/main/a.ts')).toBe('password = "[REDACTED:password:1]"');
    expect(redact(policy, assigned)).toBe('password = "[REDACTED:password:1]"');
    const mail = `ask ann@corp.example, card ${card}`;
    expect(redact(policy, mail, '//depot/hr/a.txt')).toBe('ask [REDACTED:email:1], card [REDACTED:pan:1]');
    expect(redact(policy, mail, '//depot/main/a.md')).toBe(`ask [REDACTED:email:1], card ${card}`);
    expect(redact(policy, mail, '//depot/main/a.txt')).toBe(mail);
    // Two overrides that match are laid over one another.
    expect(redact(policy, `${assigned} ${mail}`, '//depot/hr/a.md')).toContain(`${assigned} ask [REDACTED:email:1]`);
  });

  it('RED-10: no override, switch or allowed value opens what the guard blocks', () => {
    const policy: RedactionPolicy = {
      disable: ['github-token', 'private-key', 'uri-password', 'jwt', 'password', 'secret', 'key'],
      overrides: [{ paths: ['...'], disable: ['github-token', 'uri-password'] }],
    };
    const uri = `postgres://svc:${word}@db.example/main`;
    expect(redact(policy, `password = "${token}" ${uri}`, '//depot/a.ts')).toBe(
      'password = "[REDACTED:github-token:1]" postgres://svc:[REDACTED:uri-password:1]@db.example/main',
    );
    expect(() => withPolicy({ allow: { values: ['fine', token] } })).toThrow(/allow\.values\[1\].*github-token/);
    const [finding] = withPolicy({}).scan(`x ${token}`);
    const allowing = withPolicy({ allow: { fingerprints: [finding?.fingerprint ?? ''] } });
    expect(allowing.session().redact(`x ${token}`).text).toBe('x [REDACTED:github-token:1]');
    expect(allowing.scan(`x ${token}`)).toHaveLength(1);
  });

  it('RED-8: a value is allowed by its text or by the fingerprint of its finding, and nothing near it is', () => {
    const [finding] = withPolicy({}).scan(assigned);
    for (const allow of [{ values: [word] }, { fingerprints: [finding?.fingerprint ?? ''] }]) {
      expect(redact({ allow }, assigned)).toBe(assigned);
      expect(redact({ allow }, `password = "${word}x"`)).toBe('password = "[REDACTED:password:1]"');
      expect(withPolicy({ allow }).scan(assigned)).toEqual([]);
    }
  });

  it('RED-6: an e-mail address loses its user part alone where the policy says so, and stays lost', () => {
    const policy: RedactionPolicy = { pii: { emails: 'user-part' } };
    const once = redact(policy, 'From: ann.lee@corp.example');
    expect(once).toBe('From: [REDACTED:email:1]@corp.example');
    expect(redact(policy, once)).toBe(once);
  });

  it('RED-7: listed addresses and blocks go, v4 and v6, however they are written; their neighbours stay', () => {
    const policy: RedactionPolicy = { internalIps: ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '64:ff9b::1'] };
    expect(redact(policy, 'a 203.0.113.9, b 198.51.100.7:80, c [2001:DB8:1::5]:443, d 0064:ff9b::0001.')).toBe(
      'a [REDACTED:internal-ip:1], b [REDACTED:internal-ip:2]:80, c [[REDACTED:internal-ip:3]]:443, d [REDACTED:internal-ip:4].',
    );
    const near = '203.0.114.9 198.51.100.77 1203.0.113.9 203.0.113.9.1 203.0.113.999 2001:db9::1 v203.0.113';
    expect(redact(policy, near)).toBe(near);
  });

  it('RED-5: the user of a URI stays, and goes where the policy says so', () => {
    const uri = `postgres://svc:${word}@db.example/main git+ssh://build@host.example/x https://host.example:8080/a@b`;
    expect(redact({}, uri)).toContain('postgres://svc:[REDACTED:uri-password:1]@db.example');
    expect(redact({ pii: { uriUsers: true } }, uri)).toBe(
      'postgres://[REDACTED:uri-user:1]:[REDACTED:uri-password:1]@db.example/main git+ssh://[REDACTED:uri-user:2]@host.example/x ' +
        'https://host.example:8080/a@b',
    );
  });

  it('AUD-5: names of members can be added and taken back, but for those of the list', () => {
    const redactor = createPayloadRedactor({
      attachMeta: false,
      policy: { keys: { hide: ['badgeNumber'], keep: ['ticket', 'page_token'] } },
    });
    const value = { badge_number: 7, userBadgeNumber: 'x', ticket: 'ABC-1', pageToken: 'p', token: 't' };
    expect(redactor.redact(value).value).toEqual({
      badge_number: '[REDACTED]',
      userBadgeNumber: '[REDACTED]',
      ticket: 'ABC-1',
      pageToken: 'p',
      token: '[REDACTED]',
    });
    expect(() => createPayloadRedactor({ policy: { keys: { keep: ['setCookie'] } } })).toThrow(
      /createPayloadRedactor: policy\.keys\.keep\[0\].*always/,
    );
  });

  it('AUD-6: what the audit trail must hide is hidden under any policy', () => {
    const policy: RedactionPolicy = { disable: ['authorization', 'password'], allow: { values: ['abcabc12'] } };
    expect(createPayloadRedactor({ policy, attachMeta: false }).redact('bearer abcabc12').value).toBe(
      'bearer [REDACTED]',
    );
    const pii = createPayloadRedactor({ policy: { packs: ['pii'] }, attachMeta: false });
    expect(pii.redact({ note: 'ann@corp.example at 10.1.2.3' }).value).toEqual({ note: '[REDACTED] at [REDACTED]' });
  });

  it('ART-6: every part of the policy counts in its hash, and the order it was written in does not', () => {
    const hash = (policy: RedactionPolicy): string => withPolicy(policy).rules.policyHash;
    const policies: RedactionPolicy[] = [
      {},
      { disable: ['password'] },
      { allow: { values: ['a'] } },
      { allow: { fingerprints: [madeUp(32, HEX)] } },
      { internalIps: ['203.0.113.1'] },
      { pii: { emails: 'user-part' } },
      { pii: { uriUsers: true } },
      { overrides: [{ paths: ['*.md'], disable: ['password'] }] },
      { overrides: [{ paths: ['*.txt'], disable: ['password'] }] },
      { keys: { hide: ['badge'] } },
      { keys: { keep: ['ticket'] } },
    ];
    expect(new Set(policies.map(hash)).size).toBe(policies.length);
    expect(hash({ disable: ['b', 'a'], internalIps: ['2001:DB8::1', '10.0.0.1'] })).toBe(
      hash({ internalIps: ['10.0.0.1', '2001:db8::1'], disable: ['a', 'b', 'a'] }),
    );
  });

  it.each<[unknown, RegExp]>([
    [{ override: [] }, /policy\.override: unknown option; did you mean overrides\? known are packs, /],
    [
      { overrides: [{ paths: ['*.md'], disabled: [] }] },
      /policy\.overrides\[0\]\.disabled: unknown option; did you mean disable\? known are paths, /,
    ],
    [{ overrides: [{ paths: [] }] }, /policy\.overrides\[0\]\.paths/],
    [{ overrides: [{ paths: ['a....b'] }] }, /paths\[0\]: expected "\.\.\."/],
    [{ internalIps: ['10.0.0.0/4'] }, /policy\.internalIps\[0\]: expected an IP address/],
    [{ internalIps: ['fe80::1%eth0'] }, /policy\.internalIps\[0\]/],
    [{ disable: ['Pass Word'] }, /policy\.disable\[0\]: expected the name of a rule/],
    [{ allow: { fingerprints: ['zz'] } }, /policy\.allow\.fingerprints\[0\]: expected the 32 hex digits/],
    [{ pii: { emails: 'domain' } }, /policy\.pii\.emails/],
  ])('refuses %j by name', (policy, message) => {
    expect(() => withPolicy(policy as RedactionPolicy)).toThrow(TypeError);
    expect(() => withPolicy(policy as RedactionPolicy)).toThrow(message);
  });
});
