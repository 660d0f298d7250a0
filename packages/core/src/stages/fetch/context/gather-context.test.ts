import { describe, expect, it } from 'vitest';
import type { Change, ChangedFile } from '../../../changes/change.js';
import type { ContextReader } from '../../../changes/context-reader.js';
import { createMemoryContextReader } from '../../../changes/memory-context-reader.js';
import { CriticizerError } from '../../../foundation/errors.js';
import { systemClock } from '../../../foundation/time/system-clock.js';
import { resolveSettings } from '../../../settings/settings.js';
import { contextSample } from '../../../testing/support/context-sample.js';
import { createPathFilter } from '../../job/path-filter.js';
import { gatherContext } from './gather-context.js';

function edited(path: string, removed: string[], added: string[], newText: string): ChangedFile {
  const start = newText.split('\n').indexOf(added[0] ?? '') + 1;
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  const counts = { oldStart: start, oldLines: removed.length, newStart: start, newLines: added.length };
  return { ...(contextSample.change.files[0] as ChangedFile), path, hunks: [{ ...counts, lines }], newText };
}
const changeOf = (...files: ChangedFile[]): Change => ({ ...contextSample.change, files });
const readerOf = (files: Record<string, string>, isDenied?: (path: string) => boolean): ContextReader =>
  createMemoryContextReader({ serverId: 'main', files: new Map(Object.entries(files)), isDenied });

function gather(change: Change, reader: ContextReader, settings: object = {}, more: object = {}) {
  return gatherContext(change, {
    reader,
    settings: resolveSettings({ review: { context: settings } }).review.context,
    filter: createPathFilter([]),
    clock: systemClock,
    signal: new AbortController().signal,
    ...more,
  });
}

/** `kind name path:line` of each piece, and the lines it shows. */
async function shown(change: Change, reader: ContextReader, settings: object = {}, more: object = {}) {
  const { context } = await gather(change, reader, settings, more);
  return (context?.pieces ?? []).map(({ kind, name, file, startLine, endLine }) => {
    const { path = '', text = '' } = context?.files[file] ?? {};
    const lines = text.split('\n').slice(startLine - 1, endLine);
    return { what: `${kind} ${name} ${path}`, text: lines.join('\n') };
  });
}

describe('gather context', () => {
  it.each<[string, ChangedFile, Record<string, string>, string, string]>([
    [
      'callers of a function whose parameters change',
      edited(
        '//depot/game/src/world.cpp',
        ['void Step(int ms) {'],
        ['void Step(double s) {'],
        'void Step(double s) {\n}\n',
      ),
      { '//depot/game/ai/brain.cpp': 'void think() {\n  Step(16);\n}\n' },
      'user Step //depot/game/ai/brain.cpp',
      'Step(16);',
    ],
    [
      'switches over an enum that gets a value',
      edited('//depot/game/src/mode.h', [], ['  Paused,'], 'enum class Mode {\n  Paused,\n  Running,\n};\n'),
      { '//depot/game/ui/hud.cpp': 'void draw(Mode m) {\n  switch (m) {\n  case Mode::Running: break;\n  }\n}\n' },
      'user Mode //depot/game/ui/hud.cpp',
      'switch (m)',
    ],
    [
      'consumers of a changed constant',
      edited('//depot/game/src/limits.py', ['MAX_PLAYERS = 8'], ['MAX_PLAYERS = 64'], 'MAX_PLAYERS = 64\n'),
      { '//depot/game/net/lobby.py': 'def room():\n    return bytearray(MAX_PLAYERS)\n' },
      'user MAX_PLAYERS //depot/game/net/lobby.py',
      'bytearray(MAX_PLAYERS)',
    ],
    [
      'readers of a renamed key',
      edited('//depot/game/cfg/app.ini', ['tick_rate = 60'], ['tick_hz = 60'], 'tick_hz = 60\n'),
      { '//depot/game/src/cfg.lua': 'local rate = config.tick_rate\n' },
      'user tick_rate //depot/game/src/cfg.lua',
      'config.tick_rate',
    ],
    [
      'code that names a changed file',
      edited('//depot/game/cfg/levels.json', ['  1'], ['  2'], '[\n  2\n]\n'),
      { '//depot/game/src/load.ts': 'export const levels = load("cfg/levels.json");\n' },
      'user levels.json //depot/game/src/load.ts',
      'cfg/levels.json',
    ],
    [
      'a definition in what the file includes',
      edited('//depot/game/src/a.cpp', [], ['  Apply(3);'], '#include "util/apply.h"\nvoid f() {\n  Apply(3);\n}\n'),
      { '//depot/game/util/apply.h': '// seconds\nvoid Apply(double seconds);\n' },
      'definition Apply //depot/game/util/apply.h',
      'void Apply(double seconds);',
    ],
    [
      'a definition in the file named like the type',
      edited('//depot/game/src/A.cs', [], ['    var t = new Timer(5);'], 'class A {\n    var t = new Timer(5);\n}\n'),
      { '//depot/game/core/Timer.cs': 'public class Timer {\n    public Timer(int seconds) {}\n}\n' },
      'definition Timer //depot/game/core/Timer.cs',
      'public Timer(int seconds)',
    ],
  ])('GRD-4: finds %s', async (_what, file, files, what, line) => {
    const pieces = await shown(changeOf(file), readerOf(files));
    const found = pieces.find((piece) => piece.what === what);
    expect(found, JSON.stringify(pieces)).toBeDefined();
    expect(found?.text).toContain(line);
  });

  const step = edited('//depot/game/src/world.cpp', ['void Step();'], ['void Step(int ms);'], 'void Step(int ms);\n');
  const use = (more = '') => `void go() {\n  Step(); ${more}\n}\n`;

  it('GRD-4: keeps nothing of a denied file, of one outside the roots and of one kept from the model', async () => {
    const canary = 'canary-word';
    const files = {
      '//depot/game/keys/a.cpp': use(canary),
      '//depot/other/b.cpp': use(canary),
      '//depot/game/vendor/c.cpp': use(canary),
      '//depot/game/ok.cpp': use(),
    };
    const reader = readerOf(files, (path) => path.includes('/keys/'));
    const filter = createPathFilter(['//depot/game/vendor/...']);
    const { context } = await gather(changeOf(step), reader, {}, { filter });
    expect(context?.files.map(({ path }) => path)).toEqual(['//depot/game/ok.cpp']);
    expect(JSON.stringify(context)).not.toContain(canary);
    const narrow = await gather(changeOf(step), reader, { roots: ['//depot/game/src/...'] });
    expect(narrow.context).toBeNull();
  });

  it('GRD-4: shows nothing outside the roots, whatever the reader names', async () => {
    const outside = '//secret/x.cpp';
    const careless: ContextReader = {
      ...readerOf({}),
      open: () => ({
        read: async (path) => ({ kind: 'text', path, revision: 1, text: use() }),
        find: async () => [outside],
        search: async () => [{ path: outside, line: 2, text: '  Step();' }],
        shortfalls: () => {
          throw new Error('broken');
        },
      }),
    };
    expect(await gather(changeOf(step), careless)).toEqual({
      context: null,
      shortfalls: ['failed'],
      errorCode: 'UNKNOWN',
    });
  });

  it('GRD-4: keeps to its limits and says what they cut', async () => {
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`//depot/game/u${at}.cpp`, use()]));
    const few = await gather(changeOf(step), readerOf(files), { maxFiles: 2 });
    expect(few.context?.files.length).toBe(2);
    const cut = await gather(changeOf(step), readerOf(files), { maxPieces: 1, maxHits: 3 });
    expect(cut.context?.pieces.length).toBe(1);
    expect(cut.shortfalls).toEqual(['hits_cut', 'pieces_cut']);
    expect((await gather(changeOf(step), readerOf(files), { maxSearches: 0 })).context).toBeNull();
  });

  it('GRD-4: a reader that fails leaves the review as it is, and says so; an outage of the server does not', async () => {
    const failing = (error: Error): ContextReader => ({
      ...readerOf({}),
      open: () => ({
        read: () => Promise.reject(error),
        find: () => Promise.reject(error),
        search: () => Promise.reject(error),
        shortfalls: () => [],
      }),
    });
    const broken = new CriticizerError('P4_UNEXPECTED_OUTPUT', 'x', { category: 'upstream' });
    expect(await gather(changeOf(step), failing(broken))).toEqual({
      context: null,
      shortfalls: ['failed'],
      errorCode: 'P4_UNEXPECTED_OUTPUT',
    });
    const out = new CriticizerError('P4_UNREACHABLE', 'x', { category: 'network' });
    await expect(gather(changeOf(step), failing(out))).rejects.toBe(out);
  });

  it('GRD-4: a slow reader is left behind at the deadline, a cancelled one at once', async () => {
    const silent: ContextReader = {
      ...readerOf({}),
      open: () => ({
        read: () => new Promise(() => undefined),
        find: () => new Promise(() => undefined),
        search: () => new Promise(() => undefined),
        shortfalls: () => [],
      }),
    };
    const clock = { sleep: async () => undefined };
    expect((await gather(changeOf(step), silent, {}, { clock })).shortfalls).toEqual(['deadline']);
    const signal = AbortSignal.abort(new RangeError('stop'));
    await expect(gather(changeOf(step), silent, {}, { signal })).rejects.toThrow(RangeError);
  });
});
