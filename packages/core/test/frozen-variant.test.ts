import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createArtifacts } from '../src/artifacts/artifacts.js';
import { createRoleAccessPolicy } from '../src/artifacts/role-access-policy.js';
import { createMemoryChangeFetcher } from '../src/changes/memory-change-fetcher.js';
import { createKillSwitch } from '../src/egress/kill-switch.js';
import { createProviderPolicy } from '../src/egress/provider-policy.js';
import { CriticizerError } from '../src/foundation/errors.js';
import { systemClock } from '../src/foundation/time/system-clock.js';
import { systemRandom } from '../src/foundation/time/system-random.js';
import type { LlmReply } from '../src/llm/llm-provider.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { builtInVariant } from '../src/prompt/built-in-variant.js';
import { createPromptVariants, nameVariant, type PromptVariant } from '../src/prompt/prompt-variant.js';
import { resolveSettings } from '../src/settings/settings.js';
import { createFetchStage } from '../src/stages/fetch/fetch-stage.js';
import { createPathFilter } from '../src/stages/job/path-filter.js';
import { reviewJobSchema } from '../src/stages/job/review-job.js';
import { readOutputs } from '../src/stages/job/run-outputs.js';
import { compileReviewRules } from '../src/stages/llm/guidance/review-rules.js';
import { createLlmStage } from '../src/stages/llm/llm-stage.js';
import { createSharedPace } from '../src/stages/llm/pacing/shared-pace.js';
import { createSpendingLedger } from '../src/stages/llm/spending/spending-ledger.js';
import { readStoredReview } from '../src/stages/llm/stored-review.js';
import { createRateCalibration } from '../src/stages/llm/token-rates/calibrate-rate.js';
import { createMemorySecurityEvents } from '../src/telemetry/memory-security-events.js';
import { noTelemetry } from '../src/telemetry/telemetry.js';
import { createMarkerRedactor } from '../src/testing/support/marker-redactor.js';
import type { JobEvent } from '../src/worker/run/stage.js';
import { createQueueWorker } from '../src/worker/wiring/queue-worker.js';
import { change, finding, harness, reply, scriptedProvider, sharedArtifacts } from './criticizer-harness.js';

/** As a later release would change the words. */
const later: PromptVariant = {
  id: 'terse',
  promptVersion: '2.0',
  schemaVersion: builtInVariant.schemaVersion,
  template: { ...builtInVariant.template, outro: 'Now answer.\n' },
};
const broken = new CriticizerError('LLM_BROKEN', 'x', { category: 'validation' });
const terseReply: LlmReply = reply([], {
  text: JSON.stringify({ schema_version: later.schemaVersion, prompt_version: '2.0', findings: [] }),
});

/** Fetch and llm stage over stores that outlive a process. */
function processes() {
  const stores = createMemoryStores();
  const securityEvents = createMemorySecurityEvents();
  const settings = resolveSettings({});
  const artifacts = createArtifacts({
    ...sharedArtifacts(),
    manifest: stores.artifactManifest,
    access: createRoleAccessPolicy([]),
    securityEvents,
    random: systemRandom,
    ttlMs: { raw: 3_600_000, redacted: 3_600_000 },
  });
  const redactor = createMarkerRedactor();
  const fetchers = new Map([
    ['main', createMemoryChangeFetcher({ serverId: 'main', changes: new Map([[7, change()]]) })],
  ]);
  const storeNow = () => stores.now();
  const filter = createPathFilter([]);
  const noContext = { readers: new Map(), isContextWanted: false, clock: systemClock };
  const fetchStage = createFetchStage({
    fetchers,
    redactor,
    filter,
    artifacts,
    jobs: stores.jobs,
    settings,
    storeNow,
    telemetry: noTelemetry,
    ...noContext,
  });

  /** A process that has these variants and whose model gives these answers; runs until the job ended or waits. */
  async function run(variants: Parameters<typeof createPromptVariants>[0], script: readonly (LlmReply | Error)[]) {
    const { provider, sent } = scriptedProvider(script);
    const llmStage = createLlmStage({
      fallback: false,
      suppressions: stores.suppressions,
      storeNow,
      onRefusal: 'stop',
      isInternal: () => true,
      namesProviders: false,
      ledger: createSpendingLedger({ ...stores, storeNow }),
      pathBudgets: [],
      pace: createSharedPace({
        settings: settings.llm.rateLimit,
        waitsOutPauses: true,
        documents: stores.documents,
        storeNow,
        clock: systemClock,
        telemetry: noTelemetry,
      }),
      providers: [provider],
      jobs: stores.jobs,
      variants: createPromptVariants(variants),
      policy: createProviderPolicy({ otherwise: [provider.id] }),
      redactor,
      filter,
      rules: compileReviewRules([], redactor),
      calibration: createRateCalibration(),
      artifacts,
      killSwitch: createKillSwitch({ documents: stores.documents, securityEvents, clock: systemClock }),
      log: stores.egress,
      settings,
      securityEvents,
      clock: systemClock,
      random: systemRandom,
      telemetry: noTelemetry,
    });
    const ended: JobEvent[] = [];
    let wake = (): void => undefined;
    const end = new Promise<void>((resolve) => (wake = resolve));
    const worker = createQueueWorker({
      stores,
      kinds: [{ kind: 'review', payload: reviewJobSchema, stages: [fetchStage, llmStage] }],
      redactText: (text) => text,
      settings: { worker: { pollMinMs: 10, pollMaxMs: 20 }, retry: { initialMs: 1, maxMs: 2, parkMs: 60_000 } },
      onEvent(event) {
        if (event.type !== 'stage.ended' || event.stage !== 'llm') return;
        ended.push(event);
        wake();
      },
    });
    await worker.start();
    await end;
    await worker.stop();
    return { sent, ended };
  }
  const enqueue = async (): Promise<string> => {
    const payload = { serverId: 'main', number: 7, recipients: [] };
    const about = { changelistId: 'main/7', reviewVersion: 1, idempotencyKey: randomUUID() };
    const [result] = await stores.jobs.enqueue([{ kind: 'review', stage: 'fetch', payload, ...about }]);
    return result?.job.id ?? '';
  };
  const replay = async (): Promise<void> => {
    const [letter] = await stores.deadLetters.list({});
    const request = {
      deadLetterId: letter?.id ?? '',
      stage: 'llm',
      fromStart: false,
      actor: { type: 'admin_user' as const, id: 'op' },
      evidence: 'again',
    };
    expect(await stores.deadLetters.replay(request)).toBe('replayed');
  };
  const read = async (id: string) => {
    const [job] = await stores.jobs.get([id]);
    if (job === null || job === undefined) throw new Error('the job is gone');
    return job;
  };
  return { artifacts, run, enqueue, replay, read, egress: () => stores.egress.list({ destination: 'llm' }) };
}

const promptsOf = (sent: readonly string[]): string[] =>
  sent.map((body) => (JSON.parse(body) as { turns: { text: string }[] }).turns[0]?.text ?? '');

describe('the prompt variant of a job', () => {
  it('GRD-5: a job that is frozen on a variant without a check has no finding checked', async () => {
    const { check: _check, ...plain } = builtInVariant;
    const answer = reply([finding({ severity: 'critical' })]);
    for (const [variant, requests] of [
      [plain, 1],
      [builtInVariant, 2],
    ] as const) {
      const p = processes();
      const id = await p.enqueue();
      await p.run([variant], [broken]);
      await p.replay();
      const { sent } = await p.run([later, variant], [answer]);
      expect(sent).toHaveLength(requests);
      expect((await p.read(id)).outputs['llm.variant']).toBe(nameVariant(variant));
    }
  });

  it('PR-1: is chosen at the first llm run, and a replay in a process that would choose another goes on with it', async () => {
    const p = processes();
    const id = await p.enqueue();
    const first = await p.run([later], [broken]);
    expect(promptsOf(first.sent)).toEqual([expect.stringMatching(/Now answer\.\n$/)]);
    expect((await p.read(id)).outputs['llm.variant']).toBe('terse@2.0/1.0');
    await p.replay();
    const second = await p.run([builtInVariant, later], [terseReply]);
    expect(promptsOf(second.sent)).toEqual([expect.stringMatching(/Now answer\.\n$/)]);
    const { outputs, status } = await p.read(id);
    expect([status, outputs['llm.variant']]).toEqual(['completed', 'terse@2.0/1.0']);
    const review = await readStoredReview(readOutputs(p.artifacts, outputs));
    expect(review.result).toMatchObject({ prompt_version: '2.0', schema_version: '1.0' });
    expect((await p.egress()).map((record) => [record.promptVersion, record.schemaVersion])).toEqual([
      ['2.0', '1.0'],
      ['2.0', '1.0'],
    ]);
    expect(review.reviewers).toMatchObject([{ variant: 'terse', promptVersion: '2.0', schemaVersion: '1.0' }]);
  });

  it('PR-1: a reply that names the versions of another variant is not read', async () => {
    const p = processes();
    const id = await p.enqueue();
    await p.run([builtInVariant], [terseReply]);
    expect((await p.read(id)).lastFailure).toMatchObject({ code: 'SCHEMA_INVALID' });
  });

  it('a process that does not have the variant parks the job: nothing is sent, no attempt and no dead letter', async () => {
    const p = processes();
    const id = await p.enqueue();
    await p.run([later], [broken]);
    await p.replay();
    const { attempts } = await p.read(id);
    const { sent, ended } = await p.run([builtInVariant], [reply([])]);
    expect(sent).toEqual([]);
    expect(ended).toMatchObject([{ outcome: 'wait', code: 'LLM_VARIANT_UNKNOWN' }]);
    expect(await p.read(id)).toMatchObject({ status: 'queued', waitingFor: 'LLM_VARIANT_UNKNOWN', attempts });
  });

  it('a Criticizer has the built-in one, and freezes its reviews on it', async () => {
    const t = harness();
    const id = await t.run();
    await t.criticizer.stop();
    const status = await t.criticizer.status(id);
    expect(status?.job.outputs['llm.variant']).toBe(nameVariant(builtInVariant));
    expect((await t.criticizer.review(id))?.reviewers).toMatchObject([{ variant: 'built-in' }]);
  });
});
