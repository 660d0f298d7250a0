import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangedFile, Hunk } from '../src/changes/change.js';
import type { LlmProvider, LlmReply, PreparedLlmRequest } from '../src/llm/llm-provider.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { change, file, finding, harness, reply, scriptedProvider, sharedArtifacts } from './criticizer-harness.js';

/** Lines that the depot has; the shelf adds lines after some of them. */
const baseLines = Array.from({ length: 24 }, (_, n) => `base${n}();`);
const around = 3;

/** A file of the shelf: what it adds, by the base line that it is added after. */
interface ShelvedFile {
  path: string;
  oldPath: string | null;
  added: ReadonlyMap<number, readonly string[]>;
}

/** The diff of a file against the base, with three lines round each hunk, and its text. */
function toChanged({ path, oldPath, added }: ShelvedFile, hasText: boolean): ChangedFile {
  const rows = baseLines.flatMap((text, at) => [
    { isAdded: false, text },
    ...(added.get(at) ?? []).map((one) => ({ isAdded: true, text: one })),
  ]);
  const isShown = rows.map((_, at) => rows.slice(Math.max(0, at - around), at + around + 1).some((one) => one.isAdded));
  const hunks: Hunk[] = [];
  let [oldLine, newLine] = [1, 1];
  rows.forEach(({ isAdded, text }, at) => {
    if (isShown[at]) {
      if (!isShown[at - 1]) hunks.push({ oldStart: oldLine, oldLines: 0, newStart: newLine, newLines: 0, lines: [] });
      const hunk = hunks.at(-1) as { -readonly [Key in keyof Hunk]: Hunk[Key] } & { lines: string[] };
      hunk.lines.push(`${isAdded ? '+' : ' '}${text}`);
      hunk.newLines += 1;
      if (!isAdded) hunk.oldLines += 1;
    }
    newLine += 1;
    if (!isAdded) oldLine += 1;
  });
  const text = `${rows.map((one) => one.text).join('\n')}\n`;
  return {
    ...file(path, []),
    ...{ path, oldPath, action: oldPath === null ? 'edit' : 'move', hunks },
    ...(hasText ? { newText: text } : {}),
  };
}

/** A model that sees every `bug` in what it is shown, and none elsewhere. */
function createPerfectModel(): { provider: LlmProvider; requests: string[] } {
  const requests: string[] = [];
  const shownBugs = (text: string) => {
    const bugs: { file: string; line: number; name: string }[] = [];
    let path = '';
    for (const row of text.split('\n')) {
      path = /^file: (\S+)$/.exec(row)?.[1] ?? path;
      const [, line, name] = /^ +(\d+) [+](bug\d+)\(\);$/.exec(row) ?? [];
      if (line !== undefined && name !== undefined) bugs.push({ file: path, line: Number(line), name });
    }
    return bugs;
  };
  const provider: LlmProvider = {
    ...scriptedProvider([]).provider,
    async send({ body }: PreparedLlmRequest): Promise<LlmReply> {
      const text: string = JSON.parse(body).turns[0].text;
      requests.push(text);
      const bugs = shownBugs(text);
      if (!body.includes('You check findings'))
        return reply(
          bugs.map(({ file: path, line, name }) =>
            finding({ file: path, line, title: `The call ${name}`, message: `${name} fails.`, quote: `${name}();` }),
          ),
        );
      const asked = text.matchAll(
        /^finding: ([0-9a-f]{16})\nseverity.*\nfile: (\S+); (?:lines? (\d+))?.*\ntitle:\n\| The call (bug\d+)$/gm,
      );
      const verdicts = [...asked].map(([, id, path, line, name]) => {
        const isThere = bugs.some(
          (bug) => bug.file === path && bug.name === name && (line === undefined || bug.line === Number(line)),
        );
        return { id, reason: isThere ? 'It is there.' : 'It is gone.', verdict: isThere ? 'keep' : 'drop' };
      });
      return reply([], { text: JSON.stringify({ check_version: '1.0', verdicts }) });
    },
  };
  return { provider, requests };
}

type Edit =
  | { kind: 'add'; file: number; after: number; bug: number }
  | { kind: 'fine'; file: number; after: number }
  | { kind: 'mend'; file: number; which: number }
  | { kind: 'drop'; file: number; after: number }
  | { kind: 'rename'; file: number }
  | { kind: 'new'; bug: number }
  | { kind: 'leave'; file: number };

const small = fc.nat({ max: 3 });
const place = fc.nat({ max: baseLines.length - 1 });
const bug = fc.integer({ min: 1, max: 6 });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), file: small, after: place, bug }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fine' as const), file: small, after: place }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('mend' as const), file: small, which: small }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('drop' as const), file: small, after: place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), file: small }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('new' as const), bug }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), file: small }) },
);

/** The shelf after an edit; `version` names what is new in it. */
function apply(files: readonly ShelvedFile[], one: Edit, version: string): readonly ShelvedFile[] {
  if (one.kind === 'new')
    return [...files, { path: `//depot/new${version}.ts`, oldPath: null, added: new Map([[5, [`bug${one.bug}();`]]]) }];
  const at = one.file % files.length;
  const own = files[at];
  if (own === undefined) return files;
  const replace = (now: ShelvedFile) => files.map((each, n) => (n === at ? now : each));
  const withAdded = (after: number, lines: readonly string[]) =>
    replace({ ...own, added: new Map([...own.added, [after, lines]]) });
  switch (one.kind) {
    case 'add':
      return withAdded(one.after, [...(own.added.get(one.after) ?? []), `bug${one.bug}();`]);
    case 'fine':
      return withAdded(one.after, [`fine${version}();`, ...(own.added.get(one.after) ?? [])]);
    case 'drop':
      return withAdded(one.after, []);
    case 'mend': {
      const bugs = [...own.added].flatMap(([after, lines]) =>
        lines.flatMap((line, n) => (line.startsWith('bug') ? [{ after, n }] : [])),
      );
      const { after, n } = bugs[one.which % Math.max(1, bugs.length)] ?? {};
      if (after === undefined) return files;
      return withAdded(
        after,
        (own.added.get(after) ?? []).map((line, i) => (i === n ? `mended${version}();` : line)),
      );
    }
    case 'rename':
      return own.oldPath !== null || own.path.includes('new')
        ? files
        : replace({ ...own, path: `${own.path.slice(0, -3)}-moved.ts`, oldPath: own.path });
    case 'leave':
      return files.length === 1 ? files : files.filter((_, n) => n !== at);
  }
}

/** Where the bugs of a shelf are: path, line and name. */
function listBugs(files: readonly ChangedFile[]): string[] {
  return files
    .flatMap(({ path, hunks }) =>
      hunks.flatMap(({ newStart, lines }) =>
        lines.flatMap((line, at) => (line.startsWith('+bug') ? [`${path}:${newStart + at} ${line.slice(1, -3)}`] : [])),
      ),
    )
    .sort();
}

/** Names that one file has twice: which of two lines alike an earlier finding was about is not always known. */
function listTwins(files: readonly ChangedFile[]): string[] {
  const names = listBugs(files).map((one) => one.replace(/:\d+ /, ' '));
  return names.filter((one, at) => names.indexOf(one) !== at).map((one) => one.slice(one.indexOf(' ') + 1));
}

const start: readonly ShelvedFile[] = [
  {
    path: '//depot/a.ts',
    oldPath: null,
    added: new Map([
      [2, ['bug1();']],
      [12, ['bug2();', 'fine0();']],
    ]),
  },
  { path: '//depot/b.ts', oldPath: null, added: new Map([[20, ['bug3();']]]) },
];

describe('a shelf over random versions, read by a model that sees everything it is shown', () => {
  it('GRD-6: has a finding for every fault that is there, at its line, and none for one that is gone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { minLength: 0, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (versions, hasText) => {
          const kept = { stores: createMemoryStores(), artifacts: sharedArtifacts() };
          let files = start;
          const twins = new Set<string>();
          for (const [n, edits] of [[], ...versions].entries()) {
            edits.forEach((one, at) => {
              files = apply(files, one, `${n}x${at}`);
            });
            const changed = files.map((one) => toChanged(one, hasText)).filter(({ hunks }) => hunks.length > 0);
            if (changed.length === 0) return;
            for (const one of listTwins(changed)) twins.add(one);
            const { provider } = createPerfectModel();
            const t = harness({
              change: change({ files: changed, kind: 'shelved' }),
              more: { ...kept, llm: provider },
            });
            const review = await t.criticizer.review(await t.run(n + 1));
            await t.criticizer.stop();
            const found = (review?.findings ?? []).map(
              ({ file: path, place: { line }, title }) => `${path}:${line} ${title.slice(9)}`,
            );
            const stillOpen = (review?.earlier ?? [])
              .filter(({ state, because }) => state !== 'resolved' && because !== 'file_left')
              .map(({ file: path, place: { line }, title }) => `${path}:${line} ${title.slice(9)}`)
              .filter((one) => !twins.has(one.slice(one.indexOf(' ') + 1)));
            expect({ version: n + 1, found: found.sort(), stillOpen }).toEqual({
              ...{ version: n + 1, found: listBugs(changed), stillOpen: [] },
            });
          }
        },
      ),
      {
        numRuns: 8,
        examples: [
          [[[{ kind: 'add', file: 0, after: 9, bug: 1 }]], false],
          [[[{ kind: 'add', file: 0, after: 9, bug: 1 }], [{ kind: 'mend', file: 0, which: 0 }]], false],
          [[[{ kind: 'add', file: 0, after: 0, bug: 1 }], [{ kind: 'mend', file: 0, which: 0 }], []], false],
        ],
      },
    );
  });
});
