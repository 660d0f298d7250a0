import { describe, expect, it } from 'vitest';
import type { ContextReader } from '../src/changes/context-reader.js';
import { createMemoryContextReader } from '../src/changes/memory-context-reader.js';
import { redactChange } from '../src/changes/redact-change.js';
import { systemClock } from '../src/foundation/time/system-clock.js';
import { resolveSettings } from '../src/settings/settings.js';
import { addContext } from '../src/stages/fetch/context/add-context.js';
import { createPathFilter } from '../src/stages/job/path-filter.js';
import { listTruePaths, pathsInRequest } from '../src/stages/job/true-paths.js';
import { createMarkerRedactor } from '../src/testing/support/marker-redactor.js';
import { change, file, harness, reply, scriptedProvider } from './criticizer-harness.js';

const SECRET = ['secret', 'abcd1234'].join('-');
const canary = 'canary-of-a-denied-file';
const edited = change({
  files: [
    file('//depot/game/a.ts', ['export function step(ms) {}'], {
      newText: 'export function step(ms) {}\n',
      hunks: [
        {
          ...{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1 },
          lines: ['-export function step() {}', '+export function step(ms) {}'],
        },
      ],
      removedLines: 1,
    }),
  ],
});
const tree = new Map([
  ['//depot/game/b.ts', `// ${SECRET}\nstep(16);\n`],
  ['//depot/game/keys/c.ts', `step(1); // ${canary}\n`],
]);

/** A reader that counts how often it is opened. */
function countingReader(): { reader: ContextReader; opened: () => number } {
  const memory = createMemoryContextReader({
    serverId: 'main',
    files: tree,
    isDenied: (path) => path.includes('/keys/'),
  });
  let times = 0;
  const reader: ContextReader = {
    ...memory,
    open(...about) {
      times += 1;
      return memory.open(...about);
    },
  };
  return { reader, opened: () => times };
}

async function review(host: string | undefined, settings: object = {}) {
  const { reader, opened } = countingReader();
  const logged: unknown[] = [];
  const log = (...about: unknown[]): void => void logged.push(about);
  const { provider, sent } = scriptedProvider([reply([])]);
  const t = harness({
    change: edited,
    more: {
      context: reader,
      llm: { ...provider, ...(host === undefined ? {} : { host }) },
      logger: { debug: log, info: log, warn: log, error: log },
      settings: { review: settings },
    },
  });
  await t.run();
  await t.criticizer.stop();
  const reported = t.events.find((event) => event.type === 'stage.reported');
  return { t, opened, sent, logged, facts: reported?.type === 'stage.reported' ? reported.facts : {} };
}

describe('context in a review', () => {
  it('GRD-4: the fetch stage reads what uses the change, and nothing of a denied file or a secret leaves', async () => {
    const { facts, sent, logged, t } = await review('model.test.internal');
    expect(facts).toMatchObject({ contextFiles: 1, contextPieces: 1 });
    expect(sent.join('\n'), 'the model sees the use in the other file').toContain('step(16);');
    const records = await t.stores.egress.list({ limit: 10 });
    expect(JSON.stringify(records)).toContain('//depot/game/b.ts');
    const everything = JSON.stringify([sent, logged, t.events, t.mailer.accepted]);
    expect(everything).not.toContain(canary);
    expect(everything).not.toContain(SECRET);
  });

  it('GRD-4: nothing is read where no provider would get it', async () => {
    expect((await review(undefined)).opened()).toBe(0);
    expect((await review('model.test.internal', { context: { level: 'sections' } })).opened()).toBe(0);
  });

  it('GRD-4 EGR-1: a request names the true and the redacted path of each piece that it holds, once', async () => {
    const { reader } = countingReader();
    const parts = { readers: new Map([['main', reader]]), isContextWanted: true, filter: createPathFilter([]) };
    const settings = resolveSettings({});
    const { change: wide } = await addContext(
      edited,
      { ...parts, settings, clock: systemClock },
      new AbortController().signal,
    );
    const redactor = createMarkerRedactor();
    const redacted = redactChange(wide, redactor.session(), redactor.rules);
    const chunk = { index: 0, count: 1, files: [{ file: 0, hunks: [0] }], estimatedTokens: 1 };
    const context = { level: 'wide' as const, lines: [], found: [0], extents: [] };
    expect(pathsInRequest(redacted, listTruePaths(wide), { ...chunk, context })).toEqual({
      depotPaths: ['//depot/game/a.ts', '//depot/game/b.ts'],
      redactedPaths: ['//depot/game/a.ts', '//depot/game/b.ts'],
    });
    expect(pathsInRequest(redacted, listTruePaths(wide), chunk).depotPaths).toEqual(['//depot/game/a.ts']);
  });

  it('GRD-4: a reader of no wired server, and one of another port, are refused', () => {
    const { reader } = countingReader();
    expect(() => harness({ more: { context: { ...reader, serverId: 'other' } } })).toThrow(/no change fetcher/);
    expect(() => harness({ more: { context: { ...reader, contract: 2 } as never } })).toThrow(/contract/);
  });
});
