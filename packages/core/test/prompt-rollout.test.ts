import { describe, expect, it } from 'vitest';
import { variant11 } from '../src/prompt/built-in-variant.js';
import { nameVariant } from '../src/prompt/prompt-variant.js';
import { promptProcessesDocument, readLiveProcesses } from '../src/prompt/rollout/prompt-processes.js';
import { type PromptRollout, promptRolloutDocument, writePromptRollout } from '../src/prompt/rollout/prompt-rollout.js';
import { reviewSamples } from '../src/prompt/rollout/review-counts.js';
import { frozenVariant } from '../src/stages/llm/frozen-variant.js';
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
