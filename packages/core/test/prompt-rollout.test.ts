import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { builtInVariant, variant11 } from '../src/prompt/built-in-variant.js';
import { nameVariant, type PromptVariant } from '../src/prompt/prompt-variant.js';
import { promptProcessesDocument, readLiveProcesses } from '../src/prompt/rollout/prompt-processes.js';
import { type PromptRollout, promptRolloutDocument, writePromptRollout } from '../src/prompt/rollout/prompt-rollout.js';
import {
  type ReviewCounts,
  reviewBucketMs,
  reviewSamples,
  toSampleCounts,
} from '../src/prompt/rollout/review-counts.js';
import { frozenVariant } from '../src/stages/llm/frozen-variant.js';
import { type Logger, silentLogger } from '../src/telemetry/logger.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { change, file, finding, harness, reply } from './criticizer-harness.js';

const candidate = nameVariant(variant11);
const rollout: PromptRollout = {
  ...{ state: 'running', baseline: 'built-in@1.2/1.0+check-1.0', candidate, percentage: 100, slice: 'author' },
  ...{ since: '2026-01-01T00:00:00.000Z', by: { type: 'admin_user', id: 'ada' }, reason: 'r', latch: null },
};
const old = reply([], {
  text: JSON.stringify({ schema_version: '1.0', prompt_version: '1.1', findings: [finding()] }),
});

describe('a rollout under a whole Criticizer', () => {
  it('PR-4: a job of the slice is asked by the candidate, frozen on it, and counted for it', async () => {
    const t = harness({ change: change({ files: [file('//depot/a.ts', ['const a = 1;'])] }), script: [old] });
    await t.stores.documents.write(promptRolloutDocument, 0, writePromptRollout(rollout));
    const id = await t.run();
    await t.criticizer.stop();
    const [job] = await t.stores.jobs.get([id]);
    expect(job?.outputs[frozenVariant]).toBe(candidate);
    const windows = await t.stores.samples.read(reviewSamples, { sinceMs: 3_600_000 });
    expect(windows.map(({ variant, counts }) => [variant, counts['jobs'], counts['findings_valid']])).toEqual([
      [candidate, 1, 1],
    ]);
  });

  it('PR-4: each process says which prompts it knows, before it has worked', async () => {
    const t = harness();
    const id = await t.run();
    await t.criticizer.stop();
    const { value } = await t.stores.documents.read(promptProcessesDocument);
    const live = [...readLiveProcesses(value, Date.now()).values()];
    expect([id.length > 0, live.map(({ variants }) => variants)]).toEqual([
      true,
      [['built-in@1.2/1.0+check-1.0', candidate]],
    ]);
  });
});

describe('prompts of the host', () => {
  const own = { ...builtInVariant, id: 'terse', promptVersion: '2.0' };
  const terse = reply([], {
    text: JSON.stringify({ schema_version: '1.0', prompt_version: '2.0', findings: [finding()] }),
  });

  it('PR-4: a prompt of the host is known at once and given only by a rollout; its replies must name its version', async () => {
    const t = harness({ script: [terse], more: { prompts: [own] } });
    const name = nameVariant(own);
    await t.stores.documents.write(promptRolloutDocument, 0, writePromptRollout({ ...rollout, candidate: name }));
    const id = await t.run();
    await t.criticizer.stop();
    const [job] = await t.stores.jobs.get([id]);
    expect(job?.outputs[frozenVariant]).toBe(name);
    const { value } = await t.stores.documents.read(promptProcessesDocument);
    expect([...readLiveProcesses(value, Date.now()).values()][0]?.variants).toEqual([
      rollout.baseline,
      candidate,
      name,
    ]);
  });

  it('PR-4: a prompt whose replies the parser cannot read, or of a name that is taken, is refused at once', () => {
    const make = (prompts: readonly PromptVariant[]) => () => harness({ more: { prompts } });
    for (const schemaVersion of ['2.0', '1', 'one'])
      expect(make([{ ...own, schemaVersion }])).toThrow(expect.objectContaining({ code: 'PROMPT_SCHEMA_UNREADABLE' }));
    expect(make([{ ...own, schemaVersion: '1.4' }])).not.toThrow();
    for (const wrong of [[builtInVariant], [own, own], [{ ...own, id: 'Terse!' }], [{ ...own, promptVersion: '2' }]])
      expect(make(wrong)).toThrow(TypeError);
  });
});

describe('gates under a whole Criticizer', () => {
  it('PR-5: a worker evaluates the gates by itself, rolls back and logs it', async () => {
    const clock = createManualClock();
    const stores = createMemoryStores({ clock });
    const count = (variant: string, times: number, counts: Partial<ReviewCounts>) => {
      const one = { jobs: 1, responses: 1, rejected: 0, valid: 3, dropped: 0, ...counts };
      const samples = Array.from({ length: times }, () => ({
        name: reviewSamples,
        variant,
        counts: toSampleCounts(one),
      }));
      return stores.samples.add(samples, { bucketMs: reviewBucketMs });
    };
    await count(candidate, 50, { jobs: 0, rejected: 1, valid: 0 });
    await count(rollout.baseline, 450, {});
    await stores.documents.write(promptRolloutDocument, 0, writePromptRollout(rollout));
    await clock.advance(reviewBucketMs);
    let tell = (_event: unknown): void => undefined;
    const logged = new Promise((resolve) => {
      tell = resolve;
    });
    const error = ({ event }: { event?: unknown }) => event === 'prompt.rolled_back' && tell(event);
    const logger = { ...silentLogger, error: error as Logger['error'] };
    const t = harness({ more: { stores, logger, settings: { worker: { sweepEveryMs: 1_000 } } } });
    await t.criticizer.start();
    await logged;
    await t.criticizer.stop();
    const { value } = await stores.documents.read(promptRolloutDocument);
    expect(value).toMatchObject({ state: 'rolled_back', by: { id: 'prompt-gates' }, latch: { gate: 'rejected' } });
  });
});
