import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../src/foundation/errors.js';
import type { LlmProvider, LlmReply, PreparedLlmRequest } from '../src/llm/llm-provider.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { builtInVariant } from '../src/prompt/built-in-variant.js';
import type { SettingsInput } from '../src/settings/settings.js';
import type { Outputs } from '../src/stores/job.js';
import { change, file, harness, reply, scriptedProvider, sharedArtifacts } from './criticizer-harness.js';

const lines = (name: string): string[] =>
  Array.from({ length: 60 }, (_, n) => `const ${name}_${n} = compute(${n}); // ${'x'.repeat(20)}`);
/** Two files that share one request of a large model and need two of a small one. */
const twoFiles = change({
  files: [file('//depot/alpha.ts', lines('alpha')), file('//depot/gamma.ts', lines('gamma'))],
});
const names = ['alpha', 'gamma'] as const;

interface Model {
  contextTokens?: number;
  id?: string;
  model?: string;
  modes?: LlmProvider['modes'];
  extraBody?: LlmProvider['extraBody'];
  /** The answer to the n-th request, from 1. */
  answer?: (body: string, n: number, signal: AbortSignal) => LlmReply | Promise<LlmReply>;
  /** Of the process that asks it. */
  settings?: SettingsInput;
}

function createModel({
  contextTokens = 6_600,
  id = 'scripted',
  model = 'm-1',
  modes = ['prompt'],
  extraBody,
  answer = () => reply([]),
}: Model = {}) {
  const sent: string[] = [];
  const provider: LlmProvider = {
    ...scriptedProvider([], id).provider,
    model,
    modes,
    extraBody,
    limits: { contextTokens, maxOutputTokens: 256 },
    async send(prepared: PreparedLlmRequest, { signal }) {
      sent.push(prepared.body);
      return answer(prepared.body, sent.length, signal);
    },
  };
  return {
    provider,
    sent,
    // Chunks are asked about side by side.
    files: () => sent.map((body) => names.filter((name) => body.includes(`const ${name}_0 =`))).sort(),
  };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
const broken = new CriticizerError('LLM_BROKEN', 'x', { category: 'validation' });

/** Processes after each other, on one database and one artifact store. */
function processes() {
  const shared = { stores: createMemoryStores(), artifacts: sharedArtifacts() };
  const start = (llm: LlmProvider, settings?: SettingsInput) =>
    harness({ change: twoFiles, more: { ...shared, llm, settings } });
  return { shared, start };
}

/** Reviews in a first process up to a dead letter, replays, and goes on in a second one. */
async function replayWith(
  first: Model,
  second: Model,
  between: (shared: ReturnType<typeof processes>['shared'], outputs: Outputs) => Promise<void> = async () => undefined,
) {
  const { shared, start } = processes();
  const answer = (_body: string, n: number) => (n === 1 ? reply([]) : Promise.reject(broken));
  const before = start(createModel({ answer, ...first }).provider, first.settings);
  const id = await before.run();
  await before.criticizer.stop();
  const [letter] = await shared.stores.deadLetters.list({});
  const replay = {
    deadLetterId: letter?.id ?? '',
    stage: 'llm',
    fromStart: false,
    actor: { type: 'admin_user' as const, id: 'op' },
    evidence: 'another gateway',
  };
  expect(await shared.stores.deadLetters.replay(replay)).toBe('replayed');
  await between(shared, (await before.criticizer.status(id))?.job.outputs ?? {});
  const model = createModel(second);
  const after = start(model.provider, second.settings);
  await after.criticizer.start();
  await after.seen(
    (e) => e.jobId === id && e.type === 'stage.ended' && (e.outcome === 'done' || e.outcome === 'dead-letter'),
  );
  await after.criticizer.stop();
  return {
    model,
    review: await after.criticizer.review(id),
    outputs: (await after.criticizer.status(id))?.job.outputs ?? {},
    shared,
  };
}

describe('stored replies', () => {
  it('GRD-1: a reply to one file is no answer for the whole change that another plan asks about', async () => {
    const { start } = processes();
    let onTheWire = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      onTheWire = resolve;
    });
    const small = createModel({
      answer(_body, n, signal) {
        if (n === 1) return reply([]);
        onTheWire();
        return untilAborted(signal);
      },
    });
    const stopped = start(small.provider);
    const { job } = await stopped.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await stopped.criticizer.start();
    await asked;
    await stopped.criticizer.stop({ graceMs: 0 });
    expect(small.files()).toEqual([['alpha'], ['gamma']]);

    const large = createModel({ contextTokens: 100_000 });
    const next = start(large.provider);
    await next.criticizer.start();
    await next.seen((e) => e.jobId === job.id && e.type === 'stage.ended' && e.outcome === 'done');
    await next.criticizer.stop();
    expect(large.files()).toEqual([['alpha', 'gamma']]);
    expect(await next.criticizer.review(job.id)).toMatchObject({
      state: { verdict: 'no_findings' },
      coverage: { complete: true },
    });
  });

  it('GRD-1: after a restart the reply to the same question is read, and only the rest is asked for', async () => {
    const { model, review } = await replayWith({}, {});
    expect(model.files()).toEqual([['gamma']]);
    expect(review).toMatchObject({ state: { verdict: 'no_findings' } });
  });

  it.each<[string, Model]>([
    ['provider', { id: 'other' }],
    ['model', { model: 'm-2' }],
    ['mode', { modes: ['json_object'] }],
    ['set of vendor switches', { extraBody: { seed: 7 } }],
  ])('GRD-1: a reply of another %s is not used; the review names who answered', async (_what, second) => {
    const { model, review, outputs, shared } = await replayWith({}, second);
    expect(model.files()).toEqual([['alpha'], ['gamma']]);
    const versions = { promptVersion: review?.result.prompt_version, schemaVersion: review?.result.schema_version };
    const { id: provider = 'scripted', model: name = 'm-1', modes: [mode] = ['prompt'] } = second;
    expect(review?.reviewers).toEqual([{ provider, model: name, mode, variant: 'built-in', ...versions }]);
    // What is no longer an answer still expires with the raw artifacts.
    const replies = Object.entries(outputs).filter(([output]) => output.startsWith('llm.reply.'));
    expect(replies).toHaveLength(3);
    const rows = await shared.stores.artifactManifest.get(replies.map(([, artifact]) => artifact));
    for (const row of rows)
      expect(row).toMatchObject({ namespace: 'raw', status: 'live', expiresAt: expect.any(Date) });
  });

  it('GRD-1: a stored reply that the parser in force rejects is asked for again', async () => {
    const patched = reply([], {
      text: reply([]).text.replace(
        `"prompt_version":"${builtInVariant.promptVersion}"`,
        `"prompt_version":"${builtInVariant.promptVersion}.7"`,
      ),
    });
    const answer = (_body: string, n: number) => (n === 1 ? patched : Promise.reject(broken));
    const lenient = { llm: { promptPatchDrift: true } };
    const kept = await replayWith({ answer, settings: lenient }, { settings: lenient });
    expect(kept.model.files()).toEqual([['gamma']]);
    const again = await replayWith({ answer, settings: lenient }, {});
    expect(again.model.files()).toEqual([['alpha'], ['gamma']]);
    expect(again.review).toMatchObject({ state: { verdict: 'no_findings' } });
  });

  it('GRD-1: a stored reply that has expired is asked for again', async () => {
    const { model, review } = await replayWith({}, {}, async ({ stores }, outputs) => {
      const replies = Object.entries(outputs).flatMap(([output, id]) => (output.startsWith('llm.reply.') ? [id] : []));
      await stores.artifactManifest.expire(replies);
      const owner = { owner: 'sweeper', token: 'sweep' };
      await stores.artifactManifest.claimExpired({ ...owner, leaseMs: 60_000, limit: 10, orphanMs: 3_600_000 });
      expect(await stores.artifactManifest.markDeleted(replies, owner)).toBe(1);
    });
    expect(model.files()).toEqual([['alpha'], ['gamma']]);
    expect(review).toMatchObject({ state: { verdict: 'no_findings' } });
  });

  it('GRD-1: what only unusable replies answered for is not counted as read', async () => {
    const model = createModel({
      answer: (body) => reply([], body.includes('const gamma_0 =') ? { text: 'Looks fine to me.' } : {}),
    });
    const t = processes().start(model.provider);
    const id = await t.run();
    await t.criticizer.stop();
    expect(await t.criticizer.review(id)).toMatchObject({
      state: { verdict: 'inconclusive', doubts: ['reply_rejected', 'coverage_incomplete'] },
      coverage: {
        complete: false,
        files: [
          { path: '//depot/alpha.ts', state: 'reviewed_full' },
          { path: '//depot/gamma.ts', state: 'skipped', reason: 'error' },
        ],
      },
    });
  });
});
