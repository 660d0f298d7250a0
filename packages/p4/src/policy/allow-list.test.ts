import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayDepotPath, parseDepotPath, parseDepotPathBytes } from '../client/depot-path.js';
import { createAllowList } from './allow-list.js';

const verdict = (
  rules: { allow: string[]; deny?: string[]; caseHandling?: 'sensitive' | 'insensitive' },
  path: string,
): string => {
  const result = createAllowList(rules).check(path);
  return result.allowed ? 'allowed' : result.reason;
};

describe('allow-list', () => {
  it.each([
    [[]],
    [['']],
    [['//...']],
    [['/depot/...']],
    [['//depot/*/x']],
    [['//depot/a...']],
    [['//depot/a/.../b']],
    [['//depot/a@1']],
  ])('P4-1: refuses the rules %j at construction', (allow) => {
    expect(() => createAllowList({ allow })).toThrow(TypeError);
  });

  it('P4-1: takes whole depots, directories and files, and keeps them in a fingerprint', () => {
    const list = createAllowList({ allow: ['//depot/...', '//rel/a/b.txt'], deny: ['//depot/secret/...'] });
    expect(list.fingerprint).toBe(
      createAllowList({ allow: ['//rel/a/b.txt', '//depot/...'], deny: ['//depot/secret/...'] }).fingerprint,
    );
    expect(list.fingerprint).not.toBe(
      createAllowList({ allow: ['//depot/...'], deny: ['//depot/secret/...'] }).fingerprint,
    );
    expect(list.forServer('insensitive').fingerprint).toBe(list.fingerprint);
  });

  it.each([
    ['//depot/main/a.c', 'allowed'],
    ['//depot/main/x/y/a.c', 'allowed'],
    ['//depot/mainEvil/a.c', 'not_listed'],
    ['//depot/main', 'not_listed'],
    ['//depot/Main/a.c', 'not_listed'],
    ['//depot/main/keys/a', 'denied'],
    ['//depot/MAIN/KEYS/a', 'denied'],
    ['//depot/main/ＫＥＹＳ/a', 'denied'],
    ['//depot/main/../secret/a', 'malformed'],
    ['//depot/main//a', 'malformed'],
    ['//depot/main/a#1', 'malformed'],
    ['//depot/main/%2e%2e/a', 'malformed'],
    ['//depot/main/a\nb', 'malformed'],
    ['-o/tmp/x', 'malformed'],
  ])('P4-3 P4-4: judges %s as %s', (path, expected) => {
    expect(verdict({ allow: ['//depot/main/...'], deny: ['//depot/main/keys/...'] }, path)).toBe(expected);
  });

  it('P4-3: follows the case handling of the server for allow rules', () => {
    const rules = { allow: ['//depot/Kernel/...'] };
    expect(verdict({ ...rules, caseHandling: 'insensitive' }, '//Depot/KERNEL/a')).toBe('allowed');
    // The Kelvin sign is no K to a server.
    expect(verdict({ ...rules, caseHandling: 'insensitive' }, '//depot/\u212Aernel/a')).toBe('not_listed');
  });

  it('P4-4: never allows what an independent oracle refuses', () => {
    const segment = fc.constantFrom(
      'depot',
      'main',
      'Main',
      'mainEvil',
      'a',
      'A',
      'ä',
      '..',
      '.',
      '',
      'k%40',
      'x...',
      '*',
      'b c',
      'a@1',
      '%41',
      'a%2Fb',
      'MAIN',
      'main%20',
      '\uFF4Dain',
      'a\u0308',
      '\u212A',
      'K',
      'x\n',
      '\uFFFD',
    );
    const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => `//${parts.join('/')}`);
    const clean = fc.constantFrom('depot', 'main', 'Main', 'a', 'A', 'ä', 'k%40', 'b c', 'K', '\u212A');
    const rule = fc
      .tuple(fc.array(clean, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([parts, prefix]) => (prefix || parts.length < 2 ? `//${parts.join('/')}/...` : `//${parts.join('/')}`));
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 4 }),
        fc.array(rule, { maxLength: 3 }),
        fc.constantFrom('sensitive' as const, 'insensitive' as const),
        path,
        (allow, deny, caseHandling, candidate) => {
          expect(createAllowList({ allow, deny, caseHandling }).check(candidate).allowed).toBe(
            oracle(allow, deny, caseHandling, candidate),
          );
        },
      ),
      { numRuns: process.env['MODE'] === 'soak' ? 100_000 : 5_000 },
    );
  });
});

/** Written another way: a rule becomes an anchored expression, the grammar a list of what a segment must not be. */
function oracle(allow: string[], deny: string[], caseHandling: string, path: string): boolean {
  const segments = path.split('/').slice(2);
  const sound = segments.every(
    (part) => !['', '.', '..'].includes(part) && !/\.{3}|[*@#\n\uFFFD]|%(?!40|23|2A|25)/.test(part),
  );
  if (!sound || segments.length < 2) return false;
  const matches = (rule: string, candidate: string, flags: string): boolean => {
    const quoted = rule.replace(/\/\.\.\.$/, '/\u0000').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${quoted.replace('\u0000', '.+')}$`, `s${flags}`).test(candidate);
  };
  const denied = deny.some((rule) => matches(rule.normalize('NFKC'), path.normalize('NFKC'), 'iu'));
  // Without the flag u an expression never takes a letter outside ASCII for one inside.
  return !denied && allow.some((rule) => matches(rule, path, caseHandling === 'insensitive' ? 'i' : ''));
}

describe('depot path', () => {
  it.each([
    ['//depot/a', 'ok'],
    ['//depot/sp ace.txt', 'ok'],
    ['//depot/at%40hash%23star%2Apct%25.txt', 'ok'],
    ['//depot/日本.txt', 'ok'],
    ['', 'not_depot_form'],
    ['///a/b', 'not_depot_form'],
    ['//depot', 'not_depot_form'],
    ['//depot/', 'empty_segment'],
    ['//depot/a/./b', 'dot_segment'],
    ['//depot/...', 'wildcard'],
    ['//depot/%%1', 'wildcard'],
    ['//depot/a@9', 'revision_mark'],
    ['//depot/%2a', 'bad_escape'],
    ['//depot/a\u0000b', 'control_character'],
    ['//depot/a\u2028b', 'control_character'],
    ['//depot/\uFFFD', 'undecodable'],
    ['//depot/\uD800', 'undecodable'],
    [`//depot/${'é'.repeat(600)}`, 'too_long'],
  ])('P4-3: finds %j to be %s', (path, expected) => {
    const result = parseDepotPath(path);
    expect(result.ok ? 'ok' : result.defect).toBe(expected);
  });

  it('P4-3: refuses bytes that are not UTF-8, and keeps a byte order mark a part of the name', () => {
    expect(parseDepotPathBytes(Buffer.from('//depot/a\xff', 'latin1'))).toEqual({ ok: false, defect: 'undecodable' });
    expect(parseDepotPathBytes(Buffer.from('\uFEFF//depot/a'))).toEqual({ ok: false, defect: 'not_depot_form' });
  });

  it('decodes once for display', () => {
    expect(displayDepotPath('//depot/%2540%40')).toBe('//depot/%40@');
  });
});
