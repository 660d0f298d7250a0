import { describe, expect, it, vi } from 'vitest';
import { createAuditTrail } from '../../audit/audit-trail.js';
import type { JsonValue } from '../../foundation/json.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import type { DeadLetter } from '../../stores/dead-letter-store.js';
import { silentLogger } from '../../telemetry/logger.js';
import { deadJob } from '../../testing/stores/jobs/dead-letter-samples.js';
import { newArtifact, newJob, one, person } from '../../testing/stores/sample-rows.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { createOperator, type OperatorOptions } from '../operator.js';
import type { ReplayProbe } from './replay-report.js';

const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as JsonValue, meta }) };
const by = { actor: person('ada'), reason: 'INC-7: go' };
const evidence = 'gateway updated';
const change = { changelistId: 'main/7', reviewVersion: 1 };

function setUp(options: Partial<OperatorOptions<never>> = {}) {
  const stores = createMemoryStores({ clock: createManualClock() });
  const trail = {
    store: stores.audit,
    redactor,
    destinations: [],
    random: createSeededRandom(1),
    logger: silentLogger,
  };
  const audit = createAuditTrail(trail);
  const operator = createOperator({ stores, audit, ...(options as object) });
  const events = async () =>
    (await stores.audit.list({ limit: 1_000 })).map(({ action, targetId }) => `${action} ${targetId}`);
  /** A dead letter whose job's artifact is there. */
  const addLetter = async (message = 'change 12 is gone', job: Parameters<typeof deadJob>[2] = {}) => {
    const letter = await deadJob(stores, { lastStack: message }, job);
    const artifact = one(await stores.artifactManifest.reserve([newArtifact()]));
    await stores.artifactManifest.publish([artifact.id]);
    await stores.deadLetters.replay({
      deadLetterId: letter.id,
      stage: 'fetch',
      fromStart: true,
      actor: by.actor,
      reason: 'r',
    });
    const claim = { owner: 'o', token: letter.id, leaseMs: 60_000, limit: 1, kinds: ['review'] };
    const { lease } = one(await stores.jobs.claim(claim));
    const effects = { outputs: { 'fetch.redacted': artifact.id, 'fetch.content': 'a digest' } };
    await stores.jobs.settle([{ lease, kind: 'advance', stage: 'llm', leaseMs: 60_000, effects }]);
    const deadLetter = { ...letter, lastStack: message };
    const { errorClass, category, lastStack, sanitizedContext, escalation } = deadLetter;
    const end = { errorClass, category, lastStack, sanitizedContext, escalation };
    await stores.jobs.settle([{ lease, kind: 'dead-letter', deadLetter: end }]);
    return {
      letter: one(await stores.deadLetters.list({ jobId: letter.jobId, status: 'open' })),
      artifactId: artifact.id,
    };
  };
  return { stores, audit, operator, events, addLetter };
}

const failed = (report: { checks: readonly { name: string; ok: boolean }[] } | null) =>
  report?.checks.flatMap(({ name, ok }) => (ok ? [] : [name]));

describe('replayDeadLetter', () => {
  it('ERR-9: a replay without evidence is refused, whatever is forced, and nothing is recorded', async () => {
    const { operator, addLetter, events, stores } = setUp();
    const { letter } = await addLetter();
    for (const force of [false, true]) {
      const done = await operator.replayDeadLetter({ deadLetterId: letter.id, force, ...by });
      expect([done.outcome, done.audit, failed(done.report)]).toEqual(['refused', 'none', ['evidence']]);
    }
    expect([await events(), (await stores.deadLetters.get(letter.id))?.status]).toEqual([[], 'open']);
    await operator.triageDeadLetter({ deadLetterId: letter.id, evidence, ...by });
    expect((await operator.replayDeadLetter({ deadLetterId: letter.id, ...by })).outcome).toBe('replayed');
  });

  it('ERR-9: a newer version, a lost artifact, a sick dependency and spent replays refuse, each by name', async () => {
    const sick: ReplayProbe = async () => ({ healthy: false, detail: 'The gateway answers 503.' });
    const { operator, addLetter, stores } = setUp({ probe: sick, maxReplays: 1 });
    const { letter, artifactId } = await addLetter('gone', change);
    await stores.artifactManifest.expire([artifactId]);
    await stores.jobs.enqueue([newJob({ ...change, reviewVersion: 2 })]);
    const request = { deadLetterId: letter.id, evidence, ...by };
    const refused = await operator.replayDeadLetter(request);
    expect(refused.outcome).toBe('refused');
    expect(failed(refused.report)).toEqual(['version', 'artifacts', 'dependency', 'replays']);
    expect(refused.report?.checks.map(({ detail }) => detail)).toEqual([
      'It is open.',
      expect.stringMatching(/^Job .+ is failed\.$/),
      'Given with the replay.',
      'Version 2 of main/7 is queued.',
      'fetch.redacted is expired; a replay from the start rebuilds them.',
      'The gateway answers 503.',
      '1 of at most 1 so far.',
    ]);
    const report = await operator.checkReplay(letter.id, { fromStart: true, evidence });
    expect([report?.stage, failed(report)]).toEqual(['fetch', ['version', 'dependency', 'replays']]);
    expect((await operator.replayDeadLetter({ ...request, force: true })).outcome).toBe('replayed');
    const [event] = await stores.audit.list({ action: 'dead_letter.replay' });
    expect(event?.payload).toMatchObject({ forced: ['version', 'artifacts', 'dependency', 'replays'], evidence });
  });

  it('ERR-9: a probe that throws counts as not healthy, and a healthy one lets the replay go', async () => {
    let answer: () => Promise<{ healthy: boolean; detail: string }> = () => Promise.reject(new Error('refused'));
    const { operator, addLetter } = setUp({ probe: () => answer() });
    const { letter } = await addLetter();
    expect(failed(await operator.checkReplay(letter.id, { evidence }))).toEqual(['dependency']);
    answer = async () => ({ healthy: true, detail: 'It answers.' });
    expect((await operator.replayDeadLetter({ deadLetterId: letter.id, evidence, ...by })).outcome).toBe('replayed');
  });

  it('ERR-9: a full restart of a kind that is no review names its first stage', async () => {
    const { operator, stores } = setUp();
    const { id: deadLetterId } = await deadJob(stores, {}, { kind: 'report' });
    const request = { deadLetterId, fromStart: true, evidence, ...by };
    await expect(operator.replayDeadLetter(request)).rejects.toThrow(/stage: expected the first stage/);
    expect((await operator.replayDeadLetter({ ...request, stage: 'read' })).report?.stage).toBe('read');
    expect(await operator.checkReplay('00000000-0000-4000-8000-000000000000')).toBeNull();
  });
});

describe('replayDeadLetters', () => {
  async function group(count: number, options: Partial<OperatorOptions<never>> = {}) {
    const parts = setUp(options);
    const letters: DeadLetter[] = [];
    for (let n = 0; n < count; n++) letters.push((await parts.addLetter(`change ${n + 10} is gone`)).letter);
    const causeKey = letters[0]?.causeKey ?? '';
    const delays = async () => {
      const jobs = await parts.stores.jobs.get(letters.map(({ jobId }) => jobId));
      const now = (await parts.stores.now()).getTime();
      return jobs.flatMap((job) => (job?.status === 'queued' ? [job.runAt.getTime() - now] : [])).sort((a, b) => a - b);
    };
    return { ...parts, letters, causeKey, delays };
  }

  it('ERR-9: a preview says what would go, and changes nothing', async () => {
    const { operator, causeKey, events, delays } = await group(3);
    const preview = await operator.replayDeadLetters({ causeKey, evidence, preview: true, overMs: 600, ...by });
    expect(preview).toMatchObject({ examined: 3, replayed: 3, refused: {}, dueAfterMs: { first: 0, last: 400 } });
    expect([await events(), await delays()]).toEqual([[], []]);
  });

  it('ERR-9: a group is replayed over a window, each letter once with its event, and not beyond the limit', async () => {
    const { operator, causeKey, events, delays, addLetter } = await group(5);
    await addLetter('something else');
    const first = await operator.replayDeadLetters({ causeKey, evidence, limit: 2, overMs: 1_000, ...by });
    expect(first).toMatchObject({ replayed: 2, hasMore: true, dueAfterMs: { first: 0, last: 500 } });
    expect(await delays()).toEqual([0, 500]);
    const rest = await operator.replayDeadLetters({ causeKey, evidence, overMs: 900, ...by });
    expect(rest).toMatchObject({ replayed: 3, taken: 0, degraded: 0, hasMore: false });
    expect(await delays()).toEqual([0, 0, 300, 500, 600]);
    const again = await operator.replayDeadLetters({ causeKey, evidence, ...by });
    expect([again.examined, again.replayed, new Set(await events()).size]).toEqual([0, 0, 5]);
  });

  it('ERR-9: two operators at once, one of whom dies: no letter is lost and none replayed twice', async () => {
    const { operator, stores, audit, causeKey, letters, events } = await group(20);
    let left = 7;
    const dying: typeof audit = {
      storeId: audit.storeId,
      async record(entry, options) {
        if (left-- === 0) throw new Error('killed');
        return audit.record(entry, options);
      },
    };
    const other = createOperator({ stores, audit: dying });
    const [mine, theirs] = await Promise.allSettled([
      operator.replayDeadLetters({ causeKey, evidence, limit: 9, ...by }),
      other.replayDeadLetters({ causeKey, evidence, ...by, actor: person('bob') }),
    ]);
    expect([mine.status, theirs.status]).toEqual(['fulfilled', 'rejected']);
    await operator.replayDeadLetters({ causeKey, evidence, ...by });
    const after = await stores.deadLetters.list({ causeKey, status: 'replaying', limit: 1_000 });
    expect(after.map(({ id }) => id).sort()).toEqual(letters.map(({ id }) => id).sort());
    expect(after.every(({ replays }) => replays === 1)).toBe(true);
    expect((await events()).sort()).toEqual(letters.map(({ id }) => `dead_letter.replay ${id}`).sort());
  });

  it('ERR-9: letters of more causes than are counted become due within the window all the same', async () => {
    const { stores, audit, addLetter, delays } = await group(3);
    const known = one(await stores.deadLetters.groups({}));
    const groups = async () => Array.from({ length: 1_000 }, () => ({ ...known, count: 1 }));
    const many = { ...stores, deadLetters: { ...stores.deadLetters, groups } };
    await addLetter('something else');
    const operator = createOperator({ stores: many, audit });
    const done = await operator.replayDeadLetters({ stage: 'llm', evidence, limit: 5_000, overMs: 5_000_000, ...by });
    expect(done).toMatchObject({ replayed: 4, dueAfterMs: { first: 0, last: 3_000 } });
    expect(await delays()).toHaveLength(3);
  });

  it('ERR-9: a probe that never answers is waited for once, and not again for each letter of a group', async () => {
    const { operator, causeKey } = await group(3, { probe: () => new Promise(() => undefined) });
    vi.useFakeTimers();
    try {
      const looked = operator.replayDeadLetters({ causeKey, evidence, preview: true, ...by });
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await Promise.race([looked, vi.advanceTimersByTimeAsync(1).then(() => null)])).toMatchObject({
        ...{ examined: 3, refused: { dependency: 3 } },
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('ERR-9: what a check refuses is counted by check and stays; the probe is asked once for a group', async () => {
    let asked = 0;
    const probe: ReplayProbe = async () => ({ healthy: ++asked < 0, detail: 'down' });
    const { operator, causeKey } = await group(7, { probe });
    const done = await operator.replayDeadLetters({ causeKey, ...by });
    expect(done).toMatchObject({ examined: 7, replayed: 0, refused: { evidence: 7, dependency: 7 }, dueAfterMs: null });
    expect([done.refusals.length, asked]).toEqual([5, 1]);
  });

  it('ERR-9: letters are triaged by group, and a call that selects nothing in particular is a TypeError', async () => {
    const { operator, causeKey, stores, events } = await group(4);
    const first = await operator.triageDeadLetters({ causeKey, evidence, limit: 3, ...by });
    expect(first).toEqual({ triaged: 3, taken: 0, degraded: 0, hasMore: true });
    expect(await operator.triageDeadLetters({ causeKey, evidence, ...by })).toMatchObject({
      triaged: 1,
      hasMore: false,
    });
    expect(await stores.deadLetters.list({ status: 'open' })).toEqual([]);
    expect((await events()).filter((line) => line.startsWith('dead_letter.triage'))).toHaveLength(4);
    expect((await operator.replayDeadLetters({ causeKey, ...by })).replayed).toBe(4);
    await expect(operator.triageDeadLetters({ ...by })).rejects.toThrow(/causeKey/);
    await expect(operator.replayDeadLetters({ ...by, evidence })).rejects.toThrow(/causeKey/);
    await expect(operator.replayDeadLetters({ ...by, causeKey, limit: 5_001 })).rejects.toThrow(/limit/);
  });

  it('ERR-9: a signal ends the call between two letters', async () => {
    const { operator, causeKey } = await group(2);
    const signal = AbortSignal.abort();
    expect(await operator.replayDeadLetters({ causeKey, evidence, signal, ...by })).toMatchObject({
      replayed: 0,
      hasMore: true,
    });
  });
});

describe('inspectDeadLetter', () => {
  it('ERR-9: shows the letter, its job, its artifacts’ state and the letters before it', async () => {
    const { operator, addLetter, stores } = setUp();
    const { letter, artifactId } = await addLetter();
    await stores.artifactManifest.expire([artifactId]);
    const found = await operator.inspectDeadLetter(letter.id);
    expect(found?.artifacts).toMatchObject([{ name: 'fetch.redacted', id: artifactId, state: 'expired' }]);
    expect(found?.history.map(({ status }) => status)).toEqual(['failed-again', 'open']);
    expect([found?.letter.id, found?.job?.id, found?.mails]).toEqual([letter.id, letter.jobId, []]);
    expect(await operator.inspectDeadLetter('00000000-0000-4000-8000-000000000000')).toBeNull();
  });
});
