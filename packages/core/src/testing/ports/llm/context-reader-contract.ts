import assert from 'node:assert/strict';
import type { Change, ChangeSummary } from '../../../changes/change.js';
import type { ContextLimits, ContextReader, ContextSession } from '../../../changes/context-reader.js';
import { createWordMatcher } from '../../../changes/search-words.js';
import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';

/** What a reader under test knows. All paths but `outside` lie below `root`. */
export interface ContextReaderUnderTest {
  reader: ContextReader;
  /** A change of one file, `changed`, whose new side is whole and holds `word`. */
  change: ChangeSummary & Pick<Change, 'files'>;
  /** `//depot/dir/...`. */
  root: string;
  /**
   * Depot paths. `texts` are two files or more of at least 20 bytes, each with a line that holds
   * `word`, and another that holds it only inside a longer word; `denied` and `outside` hold it too.
   */
  texts: readonly string[];
  word: string;
  changed: string;
  binary: string;
  absent: string;
  denied: string;
  outside: string;
  dispose(): Promise<void>;
}

/** Makes a reader for each case. */
export interface ContextReaderHarness {
  create(): Promise<ContextReaderUnderTest>;
}

const limits: ContextLimits = {
  maxFiles: 20,
  maxFileBytes: 1 << 20,
  maxTotalBytes: 1 << 22,
  maxSearches: 10,
  maxHits: 100,
};

type Given = ContextReaderUnderTest;

function open({ reader, change, root }: Given, more: Partial<ContextLimits> = {}, signal?: AbortSignal) {
  return reader.open(change, {
    roots: [root],
    limits: { ...limits, ...more },
    signal: signal ?? new AbortController().signal,
  });
}

async function textOf(session: ContextSession, path: string): Promise<string> {
  const read = await session.read(path);
  assert.equal(read.kind, 'text', `${path}: no text: ${read.kind === 'none' ? read.reason : ''}`);
  return read.kind === 'text' ? read.text : '';
}

async function reasonOf(session: ContextSession, path: string): Promise<string> {
  const read = await session.read(path);
  return read.kind === 'none' ? read.reason : 'text';
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

// long: one case for each promise of the port
/** What every ContextReader must do, whatever it reads from. */
export function describeContextReaderContract(runner: Runner, harness: ContextReaderHarness): void {
  const it = contractCases<Given>(runner, harness);

  runner.describe('ContextReader contract', () => {
    it('GRD-4: reads whole texts within the roots, each path once', async (given) => {
      const session = open(given, { maxFiles: given.texts.length });
      for (const path of [...given.texts, ...given.texts]) {
        const text = await textOf(session, path);
        assert.ok(text.split('\n').some(createWordMatcher([given.word])), `${path}: the word is not in the text`);
      }
    });
    it('GRD-4: gives the new side of a file of the change', async (given) => {
      const expected = given.change.files.find((file) => file.path === given.changed)?.newText;
      assert.ok(expected !== undefined, 'the harness says what the new side is');
      assert.equal(await textOf(open(given), given.changed), expected);
    });
    it('GRD-4: says why a file gives no text', async (given) => {
      const session = open(given);
      assert.equal(await reasonOf(session, given.absent), 'absent');
      assert.equal(await reasonOf(session, given.binary), 'binary');
    });
    it('GRD-4: neither reads, finds nor searches what is denied or outside the roots', async (given) => {
      const session = open(given);
      const hidden = [given.denied, given.outside];
      for (const path of hidden) assert.equal(await reasonOf(session, path), 'denied', `${path}: read`);
      const found = await session.find([...hidden, ...given.texts].map(nameIn));
      assert.deepEqual(
        found.filter((path) => hidden.includes(path)),
        [],
        'found what it may not',
      );
      const hits = await session.search([given.word]);
      assert.deepEqual(
        hits.filter(({ path }) => hidden.includes(path)),
        [],
        'searched what it may not',
      );
      const outside = `${given.outside.slice(0, given.outside.lastIndexOf('/'))}/...`;
      assert.deepEqual(await session.search([given.word], outside), [], 'searched outside the roots');
    });
    it('GRD-4: finds files by name and by path tail, sorted, without those of the change', async (given) => {
      const session = open(given);
      const names = [...given.texts, given.changed].map(nameIn);
      assert.deepEqual(await session.find(names), [...given.texts].sort());
      const [first = ''] = given.texts;
      const tail = first.split('/').slice(-2).join('/');
      assert.ok((await session.find([tail])).includes(first), 'not found by its path tail');
      assert.deepEqual(await session.find([nameIn(given.absent)]), []);
    });
    it('GRD-4: searches whole words and gives the lines that hold them', async (given) => {
      const session = open(given);
      const hits = await session.search([given.word]);
      assert.deepEqual([...new Set(hits.map(({ path }) => path))].sort(), [...given.texts].sort());
      const matches = createWordMatcher([given.word]);
      for (const { path, line, text } of hits) {
        assert.ok(matches(text), `${path}:${line}: not a whole word`);
        assert.equal((await textOf(session, path)).split(/\r?\n/)[line - 1], text, `${path}:${line}: another line`);
      }
      const [first = ''] = given.texts;
      const within = `${first.slice(0, first.lastIndexOf('/'))}/...`;
      const inFolder = await session.search([given.word], within);
      assert.ok(inFolder.length > 0 && inFolder.every(({ path }) => path.startsWith(within.slice(0, -3))));
    });
    it('GRD-4: refuses words that are patterns', async (given) => {
      for (const word of ['', 'a b', '.*', 'a|b', '-e', '[a]', 'a\nb', '^a', 'a\\b'])
        await assert.rejects(async () => open(given).search([word]), TypeError, `searched ${JSON.stringify(word)}`);
    });
    it('GRD-4: keeps to its limits and says what they cut', async (given) => {
      const [first = '', second = ''] = given.texts;
      const one = open(given, { maxFiles: 1 });
      await textOf(one, first);
      assert.equal(await reasonOf(one, second), 'budget', 'more files than maxFiles');
      assert.equal(await reasonOf(open(given, { maxFileBytes: 10 }), first), 'oversize', 'longer than maxFileBytes');
      assert.equal(await reasonOf(open(given, { maxTotalBytes: 10 }), first), 'budget', 'more than maxTotalBytes');
      const few = open(given, { maxSearches: 1, maxHits: 1 });
      assert.equal((await few.search([given.word])).length, 1, 'more lines than maxHits');
      assert.deepEqual(await few.find([nameIn(first)]), [], 'more calls than maxSearches');
      assert.deepEqual([...few.shortfalls()].sort(), ['hits_cut', 'searches_used_up']);
      assert.deepEqual(open(given).shortfalls(), []);
    });
    it('GRD-4: stops at once when asked to', async (given) => {
      const session = open(given, {}, AbortSignal.abort(new RangeError('stop')));
      await assert.rejects(session.read(given.texts[0] ?? ''), RangeError);
      await assert.rejects(session.find(['x.h']), RangeError);
      await assert.rejects(session.search([given.word]), RangeError);
    });
    it('GRD-4: refuses roots that are no folder and no file', async (given) => {
      for (const root of ['//...', 'depot/x', '//depot/*/x', '//depot/../x/...', '//depot/x@3', '//depot/a...b/...'])
        assert.throws(
          () => given.reader.open(given.change, { roots: [root], limits, signal: new AbortController().signal }),
          TypeError,
          root,
        );
    });
  });
}
