import { describe, expect, it } from 'vitest';
import { change as makeChange } from '../../../test/criticizer-harness.js';
import type { ContextReader } from '../../changes/context-reader.js';
import { silentLogger } from '../../telemetry/logger.js';
import { describeRecipientResolverContract } from '../../testing/ports/delivery/recipient-resolver-contract.js';
import type { RecipientRulesOptions } from './check-recipient-rules.js';
import type { RecipientRequest } from './recipient-resolver.js';
import { createRecipientRules } from './recipient-rules.js';

const { files: _files, ...summary } = makeChange();
const change = { ...summary, userMail: 'ada@example.test', reviewerMails: ['bob@example.test'] };
const request: RecipientRequest = {
  change,
  paths: ['//depot/main/render/mesh.cc', '//depot/main/db/schema.sql', '//depot/docs/a.md'],
  verdict: 'findings',
  counts: { critical: 0, high: 1, medium: 1, low: 0, info: 0 },
  findings: [
    { severity: 'high', path: '//depot/main/db/schema.sql' },
    { severity: 'medium', path: null },
  ],
  version: 1,
};
const clean = { ...request, counts: { ...request.counts, high: 0, medium: 0 }, findings: [] };
const { signal } = new AbortController();

/** Files by path; notes what was opened. An Error is what reading that file rejects with. */
function readerOf(files: Readonly<Record<string, string | Error>>) {
  const opened: { number: number; files: number }[] = [];
  const reader: ContextReader = {
    contract: 1,
    serverId: change.serverId,
    open(of) {
      opened.push({ number: of.number, files: of.files.length });
      return {
        async read(path) {
          const text = files[path];
          if (text instanceof Error) throw text;
          if (text === 'denied') return { kind: 'none', reason: 'denied' };
          return text === undefined ? { kind: 'none', reason: 'absent' } : { kind: 'text', path, revision: 1, text };
        },
        find: async () => [],
        search: async () => [],
        shortfalls: () => [],
      };
    },
  };
  return { reader, opened };
}

function given(options: RecipientRulesOptions) {
  const warnings: object[] = [];
  const logger = { ...silentLogger, warn: (facts: object) => void warnings.push(facts) };
  const resolver = createRecipientRules({ ...options, logger });
  const ask = async (over: Partial<RecipientRequest> = {}) =>
    (await resolver.resolve({ ...request, ...over }, { signal })).map(
      ({ address, required, reason }) => `${address} ${required ? 'required' : 'optional'} ${reason}`,
    );
  return { ask, resolver, warnings };
}

describe('rules of recipients', () => {
  it('INT-3: name the author alone by default, and reviewers as it is said', async () => {
    expect(await given({}).ask()).toEqual(['ada@example.test required author']);
    expect(await given({ author: 'none', reviewers: 'required' }).ask()).toEqual([
      'bob@example.test required reviewer',
    ]);
    const reviewerSource = { find: async () => [{ address: 'eve@example.test', name: 'Eve' }] };
    expect(await given({ author: 'optional', reviewers: 'optional', reviewerSource }).ask()).toEqual([
      'ada@example.test optional author',
      'eve@example.test optional reviewer',
    ]);
  });

  it('INT-3: a fixed list gets the mail by path, by severity, and by a finding there', async () => {
    const to = (address: string) => ({ to: [{ address: `${address}@example.test` }] });
    const { ask, resolver } = given({
      author: 'none',
      rules: [
        { ...to('lead'), required: true, via: 'second' },
        { ...to('sql'), paths: ['//depot/main/db/...'] },
        { ...to('sec'), minSeverity: 'high', reason: 'security' },
        { ...to('db-high'), minSeverity: 'high', paths: ['//DEPOT/main/db'] },
        { ...to('docs-high'), minSeverity: 'high', paths: ['//depot/docs/...'] },
        { ...to('worst'), minSeverity: 'critical' },
      ],
    });
    expect(await ask()).toEqual([
      'lead@example.test required configured',
      'sql@example.test optional configured',
      'sec@example.test optional security',
      'db-high@example.test optional configured',
    ]);
    expect(await ask(clean)).toEqual(['lead@example.test required configured', 'sql@example.test optional configured']);
    expect(resolver.vias).toEqual(['second']);
  });

  const files = {
    '//depot/main/OWNERS': 'main@example.test',
    '//depot/main/db/OWNERS': 'per-file *.sql = dba@example.test, dba@elsewhere.test',
    '//depot/main/render/OWNERS': 'mesh@example.test\nmesh@Example.TEST',
    '//depot/docs/OWNERS': 'set noparent\n',
    '//depot/OWNERS': 'top@example.test',
  };

  it('INT-3: owners are those of the nearest file, as it was before the change, in the domains alone', async () => {
    const { reader, opened } = readerOf(files);
    const owners = { reader, domains: ['example.test'] };
    const { ask, warnings } = given({ author: 'none', owners });
    expect(await ask()).toEqual(['mesh@example.test optional owner', 'dba@example.test optional owner']);
    expect(opened).toEqual([{ number: change.number - 1, files: 0 }]);
    expect(warnings).toMatchObject([{ event: 'recipients.owners_unread', outside: 1 }]);
    expect(JSON.stringify(warnings)).not.toMatch(/depot|dba/);
    const grave = given({ author: 'none', owners: { ...owners, minSeverity: 'high', required: true } });
    expect(await grave.ask()).toEqual(['dba@example.test required owner']);
    expect(await grave.ask(clean)).toEqual([]);
    expect(await ask({ change: { ...change, serverId: 'other' } })).toEqual([]);
    const shelf = { ...change, kind: 'shelved' as const };
    await ask({ change: shelf });
    expect(opened.at(-1)).toEqual({ number: shelf.number, files: 0 });
  });

  it('INT-3: a file of owners that cannot be read adds nobody, and is logged once', async () => {
    const down = given({
      owners: { reader: readerOf({ '//depot/main/OWNERS': new Error('x') }).reader, domains: ['example.test'] },
    });
    for (let n = 0; n < 3; n++) expect(await down.ask()).toEqual(['ada@example.test required author']);
    expect(down.warnings).toHaveLength(1);
    const denied = readerOf({ ...files, '//depot/main/db/OWNERS': 'denied' });
    const some = given({ author: 'none', owners: { reader: denied.reader, domains: ['example.test'] } });
    expect(await some.ask()).toEqual(['mesh@example.test optional owner', 'main@example.test optional owner']);
    expect(some.warnings).toMatchObject([{ denied: 1 }]);
    const stopped = AbortSignal.abort(new Error('stop'));
    await expect(down.resolver.resolve(request, { signal: stopped })).rejects.toThrow('stop');
  });

  it('INT-3: reads 500 files of owners at most, and says which paths it left out by their number', async () => {
    const { reader } = readerOf({ '//depot/OWNERS': 'top@example.test' });
    const { ask, warnings } = given({ author: 'none', owners: { reader, domains: ['example.test'] } });
    const paths = Array.from({ length: 600 }, (_, n) => `//depot/d${n}/a.ts`);
    expect(await ask({ paths })).toEqual(['top@example.test optional owner']);
    expect(warnings).toMatchObject([{ path: 101 }]);
    expect(await ask({ paths: [] })).toEqual([]);
  });

  it.each<[string, object]>([
    ['an unknown duty', { author: 'maybe' }],
    ['a source of reviewers that nobody asks', { reviewerSource: { find: async () => [] } }],
    ['owners without domains', { owners: { reader: readerOf({}).reader, domains: [] } }],
    ['owners in no domain', { owners: { reader: readerOf({}).reader, domains: ['a b'] } }],
    ['a file name with a path', { owners: { reader: readerOf({}).reader, domains: ['a.test'], fileName: '../x' } }],
    ['a list of nobody', { rules: [{ to: [] }] }],
    ['a list with two addresses in one', { rules: [{ to: [{ address: 'a@b.test, c@d.test' }] }] }],
    ['a pattern that matches nothing', { rules: [{ to: [{ address: 'a@b.test' }], paths: ['depot/...'] }] }],
    ['a misspelt key', { rules: [{ to: [{ address: 'a@b.test' }], path: ['//a/...'] }] }],
  ])('INT-3: refuses %s', (_what, options) => {
    expect(() => createRecipientRules(options)).toThrow(TypeError);
  });
});

describeRecipientResolverContract(
  { describe, it },
  {
    change,
    create: async () =>
      createRecipientRules({
        reviewers: 'required',
        owners: { reader: readerOf({ '//depot/OWNERS': 'top@example.test' }).reader, domains: ['example.test'] },
        rules: [{ to: [{ address: 'lead@example.test' }], via: 'second' }],
      }),
  },
);
