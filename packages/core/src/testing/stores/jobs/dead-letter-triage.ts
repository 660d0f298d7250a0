import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { pipelineActor } from '../../../foundation/actor.js';
import type { DeadLetter, DeadLetterStatus } from '../../../stores/dead-letter-store.js';
import type { Settlement } from '../../../stores/job-store.js';
import type { Stores } from '../../../stores/stores.js';
import {
  claimed,
  claimRequest,
  jobNow,
  leaseMs,
  newOutboxRow,
  one,
  person,
  rolledBack,
  settled,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { deadJob, replayOf } from './dead-letter-samples.js';

const change = { changelistId: 'p4main/1001', reviewVersion: 1 };
const triage = { actor: person('ada'), cause: 'the gateway cut replies', evidence: 'INC-7: gateway updated' };
type EndOfJob = Settlement extends infer Kind ? (Kind extends { lease: unknown } ? Omit<Kind, 'lease'> : never) : never;

const done: EndOfJob = { kind: 'done', result: {}, requireNotified: false };

/** Replays the letter's job and ends that run; gives the letter afterwards. */
async function endedReplay<Tx>(stores: Stores<Tx>, letter: DeadLetter, end: EndOfJob): Promise<DeadLetter | null> {
  assert.equal(await stores.deadLetters.replay(replayOf(letter)), 'replayed');
  const { lease } = await claimed(stores);
  await settled(stores, { ...end, lease } as Settlement);
  return stores.deadLetters.get(letter.id);
}

function triages<Tx>(it: ContractCase<Tx>): void {
  it('ERR-9: of twenty triages one takes; cause and remediation are notes, the job stays as it is', async ({
    stores,
  }) => {
    const letter = await deadJob(stores);
    const before = await jobNow(stores, letter.jobId);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => stores.deadLetters.triage(letter.id, triage)));
    assert.equal(outcomes.filter((outcome) => outcome === 'triaged').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'not-open').length, 19);
    const at = await stores.now();
    const found = await stores.deadLetters.get(letter.id);
    assert.equal(found?.status, 'triaged');
    assert.deepEqual(found.notes, [
      { at, actor: person('ada'), kind: 'triage', text: triage.cause },
      { at, actor: person('ada'), kind: 'evidence', text: triage.evidence },
    ]);
    assert.deepEqual(await jobNow(stores, letter.jobId), before);
    assert.equal(await stores.deadLetters.triage(randomUUID(), triage), 'not-found');
    await assert.rejects(stores.deadLetters.triage(letter.id, { ...triage, cause: '' }), TypeError);
    await assert.rejects(stores.deadLetters.triage(letter.id, { ...triage, evidence: '' }), TypeError);
  });

  it('ERR-9: a triaged letter still counts and keeps its job, and is replayed or closed as an open one', async ({
    stores,
    clock,
  }) => {
    const first = await deadJob(stores);
    const second = await deadJob(stores);
    for (const { id } of [first, second]) await stores.deadLetters.triage(id, triage);
    assert.deepEqual(await stores.deadLetters.stats(), [
      { stage: 'llm', errorClass: 'SCHEMA_INVALID', escalation: 'operator', open: 2 },
    ]);
    await clock.advance(1000);
    assert.equal(await stores.jobs.prune({ olderThanMs: 1, limit: 10 }), 0);
    assert.equal(await stores.deadLetters.replay(replayOf(first, { evidence: undefined, reason: 'go' })), 'replayed');
    assert.equal((await stores.deadLetters.get(first.id))?.notes.at(-1)?.kind, 'replay');
    const ignore = { status: 'ignored', actor: person('ada'), note: 'author left' } as const;
    assert.equal(await stores.deadLetters.close(second.id, ignore), 'closed');
  });

  it('ERR-9: a replay says what was mended or why it runs; one that says neither is a TypeError', async ({
    stores,
  }) => {
    const letter = await deadJob(stores);
    await assert.rejects(stores.deadLetters.replay(replayOf(letter, { evidence: undefined })), TypeError);
    await assert.rejects(stores.deadLetters.replay(replayOf(letter, { delayMs: -1 })), TypeError);
    assert.equal(await stores.deadLetters.replay(replayOf(letter, { reason: 'asked for' })), 'replayed');
    const notes = (await stores.deadLetters.get(letter.id))?.notes.map(({ kind, text }) => [kind, text]);
    assert.deepEqual(notes, [
      ['evidence', 'INC-7: schema fixed'],
      ['replay', 'asked for'],
    ]);
  });

  it('ERR-9: a replay with a delay is due by the store’s clock, and not before', async ({ stores, clock }) => {
    const letter = await deadJob(stores);
    const at = await stores.now();
    await stores.deadLetters.replay(replayOf(letter, { delayMs: 60_000 }));
    assert.equal((await jobNow(stores, letter.jobId)).runAt.getTime(), at.getTime() + 60_000);
    await clock.advance(59_000);
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
    await clock.advance(2_000);
    assert.equal((await claimed(stores)).job.id, letter.jobId);
  });

  it('AUD-2: a triage in a transaction that rolls back leaves the letter open', async ({ stores }) => {
    const letter = await deadJob(stores);
    await rolledBack(stores, async (tx) => {
      assert.equal(await stores.deadLetters.triage(letter.id, triage, { tx }), 'triaged');
    });
    assert.deepEqual(await stores.deadLetters.get(letter.id), letter);
  });
}

function ends<Tx>(it: ContractCase<Tx>): void {
  it('ERR-9: the settlement that completes a replay resolves its letter, and says so itself', async ({ stores }) => {
    for (const end of [done, { ...done, requireNotified: true }, { ...done, deleteRow: true }]) {
      const letter = await endedReplay(stores, await deadJob(stores), end);
      const last = letter?.notes.at(-1);
      assert.deepEqual([letter?.status, last?.kind, last?.actor.type], ['resolved', 'system', 'system']);
      const job = one(await stores.jobs.get([letter?.jobId ?? '']));
      assert.ok(job === null || job.status === 'completed');
    }
    assert.deepEqual(await stores.deadLetters.stats(), []);
  });

  it('ERR-9: replays that complete in one call resolve each their letter, beside jobs that replay none', async ({
    stores,
  }) => {
    const letters = [await deadJob(stores), await deadJob(stores)];
    for (const letter of letters) await stores.deadLetters.replay(replayOf(letter));
    await stores.jobs.enqueue([{ kind: 'review', payload: {}, stage: 'fetch', idempotencyKey: randomUUID() }]);
    const taken = await stores.jobs.claim(claimRequest({ limit: 10 }));
    const ended = await stores.jobs.settle(taken.map(({ lease }) => ({ ...done, lease }) as Settlement));
    assert.deepEqual(ended, ['settled', 'settled', 'settled']);
    assert.deepEqual(
      (await stores.deadLetters.list({})).map(({ status }) => status),
      ['resolved', 'resolved'],
    );
  });

  it('ERR-9: a replay that ends before every required recipient was notified leaves its letter (R17)', async ({
    stores,
  }) => {
    const letter = await deadJob(stores, {}, change);
    await stores.outbox.add([newOutboxRow({ ...change, jobId: letter.jobId })]);
    assert.equal((await endedReplay(stores, letter, done))?.status, 'replaying');
    const resolve = { status: 'resolved', actor: person('op'), note: 'n' } as const;
    assert.equal(await stores.deadLetters.close(letter.id, resolve), 'not-all-notified');
  });

  it('ERR-9: a replay that is closed by hand stays so when its job completes', async ({ stores }) => {
    const letter = await deadJob(stores);
    await stores.deadLetters.replay(replayOf(letter));
    await stores.deadLetters.close(letter.id, { status: 'ignored', actor: person('op'), note: 'n' });
    const closed = await stores.deadLetters.get(letter.id);
    const { lease } = await claimed(stores);
    await settled(stores, { ...done, lease } as Settlement);
    assert.deepEqual(await stores.deadLetters.get(letter.id), closed);
  });
}

const reopenings = [
  { title: 'with a remediation is triaged', request: {}, status: 'triaged' },
  { title: 'without one is open', request: { evidence: undefined, reason: 'asked for' }, status: 'open' },
] as const;

/** The letter waits for an operator, a note says why, and its job can be replayed. */
async function assertReopened<Tx>(stores: Stores<Tx>, id: string, status: DeadLetterStatus): Promise<void> {
  const letter = await stores.deadLetters.get(id);
  const last = letter?.notes.at(-1);
  assert.deepEqual([letter?.status, last?.kind, last?.actor], [status, 'system', pipelineActor]);
  assert.equal(last?.text, 'The replay was cancelled: not "wanted"');
  assert.deepEqual(last?.at, await stores.now());
  assert.equal(await stores.deadLetters.replay(replayOf(letter as DeadLetter)), 'replayed');
}

function cancels<Tx>(it: ContractCase<Tx>): void {
  const reason = 'not "wanted"';
  for (const { title, request, status } of reopenings) {
    it(`ERR-9: a letter ${title} again when the queued replay of it is cancelled`, async ({ stores, clock }) => {
      const [letter, other] = [await deadJob(stores), await deadJob(stores)];
      for (const one of [letter, other]) await stores.deadLetters.replay(replayOf(one, request));
      await clock.advance(1000);
      assert.deepEqual(await stores.jobs.cancel([letter.jobId], reason), ['cancelled']);
      assert.equal((await stores.deadLetters.get(other.id))?.status, 'replaying');
      await assertReopened(stores, letter.id, status);
    });

    it(`ERR-9: a letter ${title} again when its cancelled replay is given back, or its lease ends`, async ({
      stores,
      clock,
    }) => {
      for (const end of ['release', 'sweep', 'claim'] as const) {
        const letter = await deadJob(stores);
        await stores.deadLetters.replay(replayOf(letter, request));
        const { lease } = await claimed(stores);
        assert.deepEqual(await stores.jobs.cancel([letter.jobId], reason), ['cancel-requested']);
        assert.equal((await stores.deadLetters.get(letter.id))?.status, 'replaying');
        if (end === 'release') await settled(stores, { lease, kind: 'release' });
        else await clock.advance(leaseMs);
        if (end === 'sweep') assert.equal((await stores.jobs.requeueExpired()).length, 1);
        if (end === 'claim') assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
        await assertReopened(stores, letter.id, status);
        await settled(stores, { ...done, lease: (await claimed(stores)).lease } as Settlement);
      }
    });
  }

  it('ERR-9: a letter that was closed by hand stays so when its replay is cancelled', async ({ stores }) => {
    const letter = await deadJob(stores);
    await stores.deadLetters.replay(replayOf(letter));
    await stores.deadLetters.close(letter.id, { status: 'ignored', actor: person('op'), note: 'n' });
    const closed = await stores.deadLetters.get(letter.id);
    assert.deepEqual(await stores.jobs.cancel([letter.jobId], reason), ['cancelled']);
    assert.deepEqual(await stores.deadLetters.get(letter.id), closed);
  });
}

function groups<Tx>(it: ContractCase<Tx>): void {
  it('ERR-9: letters of one cause are one group, whatever ids, numbers and paths their messages hold', async ({
    stores,
    clock,
  }) => {
    const causes = ['change 1001 is gone', 'change 2002 is gone', 'change 3003 is gone', 'quota of 12 reached'];
    const letters: DeadLetter[] = [];
    for (const lastStack of causes) {
      letters.push(await deadJob(stores, { lastStack: `${lastStack}\n    at fetch` }));
      await clock.advance(1000);
    }
    letters.push(await deadJob(stores, { errorClass: 'AUTH_DENIED', lastStack: 'quota of 13 reached' }));
    const found = await stores.deadLetters.groups({});
    const [first] = found;
    assert.deepEqual(found.map(({ errorClass, cause, count }) => [errorClass, cause, count]).slice(0, 1), [
      ['SCHEMA_INVALID', 'change <n> is gone', 3],
    ]);
    assert.deepEqual(
      found.map(({ count }) => count),
      [3, 1, 1],
    );
    assert.equal(new Set(found.map(({ causeKey }) => causeKey)).size, 3);
    assert.deepEqual(
      [first?.oldestId, first?.newestId, first?.firstSeenAt, first?.lastSeenAt],
      [letters[0]?.id, letters[2]?.id, letters[0]?.firstFailureAt, letters[2]?.lastFailureAt],
    );
    const { causeKey } = letters[0] ?? {};
    assert.equal(causeKey, first?.causeKey);
    const own = await stores.deadLetters.list({ causeKey, status: 'open' });
    assert.deepEqual(
      own.map(({ id }) => id),
      letters
        .slice(0, 3)
        .map(({ id }) => id)
        .reverse(),
    );
  });

  it('ERR-9: groups filter as the list does, and are as many as asked for, the largest first', async ({ stores }) => {
    await deadJob(stores, { lastStack: 'one' }, change);
    await deadJob(stores, { lastStack: 'two' });
    const ignored = await deadJob(stores, { lastStack: 'two' });
    await stores.deadLetters.close(ignored.id, { status: 'ignored', actor: person('op'), note: 'n' });
    const causesOf = async (filter: Parameters<typeof stores.deadLetters.groups>[0]): Promise<string[]> =>
      (await stores.deadLetters.groups(filter)).map(({ cause, count }) => `${cause} ${count}`);
    assert.deepEqual(await causesOf({ limit: 1 }), ['two 2']);
    const status: DeadLetterStatus = 'open';
    assert.deepEqual((await causesOf({ status })).sort(), ['one 1', 'two 1']);
    assert.deepEqual(await causesOf({ status, changelistId: change.changelistId }), ['one 1']);
    assert.deepEqual(await causesOf({ causeKey: ignored.causeKey, status: 'ignored', stage: 'llm' }), ['two 1']);
    assert.deepEqual(await causesOf({ until: ignored.createdAt, kind: 'none' }), []);
    await assert.rejects(stores.deadLetters.groups({ limit: 0 }), TypeError);
  });
}

/** From triage to the end of the replay (ERR-9), and letters by cause. */
export function deadLetterTriageCases<Tx>(it: ContractCase<Tx>): void {
  triages(it);
  ends(it);
  cancels(it);
  groups(it);
}
