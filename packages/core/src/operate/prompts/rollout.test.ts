import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '../../audit/audit-trail.js';
import type { JsonValue } from '../../foundation/json.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { builtInVariant, variant11 } from '../../prompt/built-in-variant.js';
import { createPromptVariants, nameVariant } from '../../prompt/prompt-variant.js';
import { addProcess, promptProcessesDocument } from '../../prompt/rollout/prompt-processes.js';
import { promptRolloutDocument } from '../../prompt/rollout/prompt-rollout.js';
import {
  type ReviewCounts,
  reviewBucketMs,
  reviewSamples,
  toSampleCounts,
} from '../../prompt/rollout/review-counts.js';
import { resolveSettings } from '../../settings/settings.js';
import { createProcessAnnouncer } from '../../stages/llm/rollout/announce-process.js';
import { createRolledOutVariants } from '../../stages/llm/rollout/rolled-out-variants.js';
import { silentLogger } from '../../telemetry/logger.js';
import { createMemoryTelemetry } from '../../telemetry/memory-telemetry.js';
import { by } from '../../testing/stores/operate/operator-verbs.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { createOperator } from '../operator.js';
import { createRolloutAlerts, createRolloutWatch } from './watch-rollout.js';

const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as JsonValue, meta }) };
const [candidate, baseline] = [nameVariant(builtInVariant), nameVariant(variant11)];
/** A process of an earlier release gives 1.1 and knows 1.2 already: parser support first. */
const known = createPromptVariants([variant11, builtInVariant]);
const minute = 60_000;
const authors = Array.from({ length: 400 }, (_, n) => ({ author: `author-${n}`, paths: [`//depot/p${n}/a.c`] }));

/** Stores on a clock, one process that knows both prompts, and the duty that watches them. */
async function setUp() {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const random = createSeededRandom(3);
  const trail = createAuditTrail({ store: stores.audit, redactor, destinations: [], random, logger: silentLogger });
  const operator = createOperator({ stores, audit: trail });
  const telemetry = createMemoryTelemetry();
  const { prompts } = resolveSettings({});
  const storeNow = () => stores.now();
  const announce = createProcessAnnouncer({ documents: stores.documents, storeNow, names: known.names, clock, random });
  await announce();
  const variants = createRolledOutVariants({ known, documents: stores.documents, storeNow, clock });
  const watch = createRolloutWatch({ stores, prompts, audit: trail, logger: silentLogger, telemetry });
  return { clock, stores, operator, telemetry, announce, variants, watch };
}
type Scene = Awaited<ReturnType<typeof setUp>>;

/** Names of the variants that each author gets. */
const chooseAll = async ({ variants }: Scene) =>
  Promise.all(authors.map(async (subject) => nameVariant(await variants.choose(subject))));

/** What so many reviews of a variant leave in the present bucket. */
async function review({ stores }: Scene, variant: string, times: number, counts: Partial<ReviewCounts> = {}) {
  const one = toSampleCounts({ jobs: 1, responses: 1, rejected: 0, valid: 3, dropped: 0, ...counts });
  const samples = Array.from({ length: times }, () => ({ name: reviewSamples, variant, counts: one }));
  await stores.samples.add(samples, { bucketMs: reviewBucketMs });
}

/** Half an hour of reviews on both sides; `rejected` of 50 replies of the candidate are. */
async function reviewHalfAnHour(scene: Scene, rejected: number): Promise<void> {
  await scene.clock.advance(6 * minute);
  await review(scene, candidate, 50 - rejected);
  await review(scene, candidate, rejected, { jobs: 0, rejected: 1, valid: 0 });
  await review(scene, baseline, 430);
  await review(scene, baseline, 20, { jobs: 0, rejected: 1, valid: 0 });
  await scene.clock.advance(6 * minute);
}

const start = { candidate, percentage: 10, ...by };

describe('rollout of a prompt', () => {
  it('PR-4: without a rollout everybody gets the default; with one, a sticky slice gets the candidate', async () => {
    const scene = await setUp();
    expect(new Set(await chooseAll(scene))).toEqual(new Set([baseline]));
    expect(await scene.operator.startPromptRollout(start)).toMatchObject({ outcome: 'started', audit: 'recorded' });
    await scene.clock.advance(3_000);
    const tenth = await chooseAll(scene);
    const isChosen = (names: readonly string[]) => names.map((name) => name === candidate);
    const count = isChosen(tenth).filter(Boolean).length;
    expect([count > 20, count < 60]).toEqual([true, true]);
    await scene.operator.startPromptRollout({ ...start, percentage: 40 });
    await scene.clock.advance(3_000);
    const wider = isChosen(await chooseAll(scene));
    // Who is in at a tenth stays in.
    expect(isChosen(tenth).every((is, n) => !is || wider[n])).toBe(true);
    expect(wider.filter(Boolean).length).toBeGreaterThan(count);
  });

  it('PR-4: a slice by path keeps all reviews of a part of the depot on one side', async () => {
    const scene = await setUp();
    await scene.operator.startPromptRollout({ ...start, percentage: 50, slice: 'path' });
    const names = await Promise.all(
      ['ada', 'bob', 'cy', 'dee'].flatMap((author) =>
        ['//depot/p1/x.c', '//depot/p1/y/z.c'].map(async (path) =>
          nameVariant(await scene.variants.choose({ author, paths: [path] })),
        ),
      ),
    );
    expect(new Set(names).size).toBe(1);
    const parts = await chooseAll(scene);
    expect(new Set(parts).size).toBe(2);
  });

  it('PR-4: a prompt that one process cannot read is not started, and nobody gets it while such a process is there', async () => {
    const scene = await setUp();
    const { documents } = scene.stores;
    const addOld = async () => {
      const { value, version } = await documents.read(promptProcessesDocument);
      await documents.write(
        promptProcessesDocument,
        version,
        addProcess(value, 'old', [baseline], await scene.stores.now()),
      );
    };
    await addOld();
    await expect(scene.operator.startPromptRollout(start)).rejects.toMatchObject({
      code: 'PROMPT_NOT_EVERYWHERE',
      details: { processes: 2, missing: 1 },
    });
    await scene.clock.advance(5 * minute);
    await scene.announce();
    await scene.operator.startPromptRollout({ ...start, percentage: 100 });
    expect(new Set(await chooseAll(scene))).toEqual(new Set([candidate]));
    await addOld();
    await scene.clock.advance(3_000);
    expect(new Set(await chooseAll(scene))).toEqual(new Set([baseline]));
  });

  it('PR-4: only gates that all pass promote; what they do not know holds, and force is recorded', async () => {
    const scene = await setUp();
    await scene.operator.startPromptRollout(start);
    await expect(scene.operator.promotePrompt(by)).rejects.toMatchObject({
      code: 'PROMPT_GATES_HOLD',
      details: { verdict: 'held' },
    });
    for (let n = 0; n < 6; n++) await reviewHalfAnHour(scene, 2);
    expect((await scene.operator.readPromptStatus()).gates?.outcome).toBe('ready');
    expect(await scene.operator.promotePrompt(by)).toMatchObject({ outcome: 'promoted', audit: 'recorded' });
    await scene.announce();
    expect(new Set(await chooseAll(scene))).toEqual(new Set([candidate]));
    const [event] = await scene.stores.audit.list({ action: 'prompt.rollout.promote' });
    expect(event?.payload).toMatchObject({ verdict: 'ready', forced: false, candidate, baseline });
  });

  it('PR-5 PR-6: a gate that fails rolls back, latches, is recorded once, and pages until a person releases it', async () => {
    const scene = await setUp();
    await scene.operator.startPromptRollout({ ...start, percentage: 100 });
    await reviewHalfAnHour(scene, 30);
    await Promise.all([scene.watch(), scene.watch()]);
    await scene.watch();
    await scene.announce();
    expect(new Set(await chooseAll(scene))).toEqual(new Set([baseline]));
    const events = await scene.stores.audit.list({ action: 'prompt.rollout.roll_back' });
    expect(events.map(({ actorType, actorId }) => [actorType, actorId])).toEqual([['system', 'prompt-gates']]);
    expect(events[0]?.payload).toMatchObject({ latch: { gate: 'rejected', candidate: 0.6, sample: 50 } });
    const alerts = createRolloutAlerts(scene.stores.documents);
    const read = () => alerts.read({ signal: new AbortController().signal });
    expect(await read()).toMatchObject([{ kind: 'prompt.rolled_back', place: { gate: 'rejected' } }]);
    expect(await scene.operator.startPromptRollout(start)).toMatchObject({ outcome: 'latched', audit: 'none' });
    const other = { ...start, candidate: 'other@1.0/1.0' };
    expect(await scene.operator.startPromptRollout(other)).toMatchObject({ outcome: 'latched' });
    expect(await scene.operator.releasePromptLatch(by)).toMatchObject({ outcome: 'cooling-down' });
    const released = await scene.operator.releasePromptLatch({ ...by, overrideCoolDown: true });
    expect(released).toMatchObject({ outcome: 'released', audit: 'recorded', rollout: { state: 'rolled_back' } });
    expect(await read()).toEqual([]);
    expect(await scene.operator.startPromptRollout(start)).toMatchObject({ outcome: 'started' });
  });

  it('PR-5: the watch looks once a bucket, at closed buckets, and says how far the candidate is from its limits', async () => {
    const scene = await setUp();
    await scene.operator.startPromptRollout(start);
    await scene.clock.advance(6 * minute);
    await review(scene, candidate, 50, { jobs: 0, rejected: 1, valid: 0 });
    await review(scene, baseline, 450);
    await scene.watch();
    // The bucket is not closed: nobody else would see the same counts.
    expect((await scene.operator.readPromptStatus()).rollout?.state).toBe('running');
    await scene.clock.advance(5 * minute);
    await scene.watch();
    expect((await scene.operator.readPromptStatus()).rollout).toMatchObject({ state: 'rolled_back' });
    const excess = scene.telemetry.measurements.filter(({ name }) => name === 'criticizer.prompt.excess');
    expect(excess.some(({ value }) => value > 1)).toBe(true);
  });

  it('PR-6: too few valid findings a review roll back; a person rolls back without a latch', async () => {
    const scene = await setUp();
    await scene.operator.startPromptRollout(start);
    await scene.clock.advance(6 * minute);
    await review(scene, candidate, 100, { valid: 0 });
    await review(scene, baseline, 900);
    await scene.clock.advance(6 * minute);
    await scene.watch();
    const { rollout } = await scene.operator.readPromptStatus();
    expect(rollout).toMatchObject({ state: 'rolled_back', latch: { gate: 'findings', candidate: 0, baseline: 3 } });
    await scene.operator.releasePromptLatch({ ...by, overrideCoolDown: true });
    await scene.announce();
    await scene.operator.startPromptRollout(start);
    const undone = await scene.operator.rollBackPrompt(by);
    expect(undone).toMatchObject({ outcome: 'rolled-back', audit: 'recorded', rollout: { latch: null } });
    expect(await scene.operator.rollBackPrompt(by)).toMatchObject({ outcome: 'not-running', audit: 'none' });
  });

  it('PR-6: a slice that somebody ended while its gates were read is not rolled back twice', async () => {
    const scene = await setUp();
    await scene.operator.startPromptRollout(start);
    await reviewHalfAnHour(scene, 30);
    const { read } = scene.stores.samples;
    scene.stores.samples.read = async (...args) => {
      scene.stores.samples.read = read;
      await scene.operator.rollBackPrompt(by);
      return read(...args);
    };
    await scene.watch();
    expect((await scene.operator.readPromptStatus()).rollout).toMatchObject({ latch: null, by: { id: by.actor.id } });
  });

  it('PR-4: a document that holds no rollout leaves everybody on the default', async () => {
    const scene = await setUp();
    await scene.stores.documents.write(promptRolloutDocument, 0, { state: 'running', percentage: 'all' });
    expect(new Set(await chooseAll(scene))).toEqual(new Set([baseline]));
  });

  it('PR-4: a bench that finds surely less keeps a candidate from its slice', async () => {
    const { operator } = await setUp();
    const figures = { precision: 0.6, recall: 0.5, failed: 0, defects: 200 };
    const bench = (recall: number) => ({ baseline: figures, candidate: { ...figures, recall } });
    await expect(operator.startPromptRollout({ ...start, bench: bench(0.35) })).rejects.toMatchObject({
      code: 'PROMPT_BENCH_WORSE',
      details: { worse: ['recall'] },
    });
    expect((await operator.startPromptRollout({ ...start, bench: bench(0.48) })).outcome).toBe('started');
  });
});
