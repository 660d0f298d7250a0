import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DeadLetter, DeadLetterFilter } from '../../../stores/dead-letter-store.js';
import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import {
  claimed,
  claimedRow,
  claimRequest,
  jobNow,
  newOutboxRow,
  notActors,
  one,
  outboxClaim,
  person,
  rolledBack,
  sampleDeadLetter,
  settled,
} from '../sample-rows.js';
import type { ContractCase, StoresHarness } from '../stores-harness.js';
import { deadJob, replayOf } from './dead-letter-samples.js';
import { deadLetterTriageCases } from './dead-letter-triage.js';

const change = { changelistId: 'p4main/1001', reviewVersion: 1 };

function replays<Tx>(it: ContractCase<Tx>): void {
  it('ERR-9: replay queues the job at the failed stage with a fresh budget and keeps the outputs', async ({
    stores,
    clock,
  }) => {
    const letter = await deadJob(stores);
    const failed = await jobNow(stores, letter.jobId);
    await clock.advance(1000);
    assert.equal(await stores.deadLetters.replay(replayOf(letter)), 'replayed');
    const job = await jobNow(stores, letter.jobId);
    assert.deepEqual([job.status, job.stage, job.outputs], ['queued', 'llm', { 'fetch.redacted': 'a-1' }]);
    assert.deepEqual([job.attempts['fetch'], job.attempts['llm'] ?? 0, job.lostLeases], [1, 0, 0]);
    assert.deepEqual(
      [job.firstFailureAt, job.lastFailureAt, job.lastFailure, job.finishedAt, job.result],
      [null, null, null, null, null],
    );
    assert.deepEqual(job.replayOf, { deadLetterId: letter.id, errorClass: 'SCHEMA_INVALID' });
    assert.ok(job.transitionNo > failed.transitionNo);
    const replaying = await stores.deadLetters.get(letter.id);
    assert.deepEqual([replaying?.status, replaying?.replays], ['replaying', 1]);
    assert.deepEqual(replaying?.notes, [
      { at: await stores.now(), actor: person('op-1'), kind: 'evidence', text: 'INC-7: schema fixed' },
    ]);
    const again = await claimed(stores);
    assert.deepEqual([again.job.id, again.job.attempts['llm']], [letter.jobId, 1]);
  });

  it('OPS-6: a replay keeps the traceparent, so its attempts link to the same trace', async ({ stores }) => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const letter = await deadJob(stores, {}, { traceparent });
    assert.equal(await stores.deadLetters.replay(replayOf(letter, { stage: 'fetch', fromStart: true })), 'replayed');
    assert.equal((await jobNow(stores, letter.jobId)).traceparent, traceparent);
    assert.equal((await claimed(stores)).job.traceparent, traceparent);
  });

  it('ERR-9: a full restart clears every output and every stage’s attempts', async ({ stores }) => {
    const letter = await deadJob(stores);
    assert.equal(await stores.deadLetters.replay(replayOf(letter, { stage: 'fetch', fromStart: true })), 'replayed');
    const job = await jobNow(stores, letter.jobId);
    assert.deepEqual([job.stage, job.outputs], ['fetch', {}]);
    assert.ok(Object.values(job.attempts).every((attempts) => attempts === 0));
  });

  it('ERR-9: of twenty concurrent replays one wins', async ({ stores }) => {
    const letter = await deadJob(stores);
    const calls = Array.from({ length: 20 }, (_, n) =>
      stores.deadLetters.replay(replayOf(letter, { actor: person(`op-${n}`) })),
    );
    const outcomes = await Promise.all(calls);
    assert.equal(outcomes.filter((outcome) => outcome === 'replayed').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'not-open').length, 19);
    const after = await stores.deadLetters.get(letter.id);
    assert.deepEqual([after?.replays, after?.notes.length], [1, 1]);
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 10 }))).length, 1);
  });

  it('ERR-9: only an open letter is replayed', async ({ stores }) => {
    const letter = await deadJob(stores);
    assert.equal(await stores.deadLetters.replay(replayOf(letter, { deadLetterId: randomUUID() })), 'not-found');
    assert.equal(
      await stores.deadLetters.close(letter.id, { status: 'ignored', actor: person('op'), note: 'accepted' }),
      'closed',
    );
    assert.equal(await stores.deadLetters.replay(replayOf(letter)), 'not-open');
    assert.equal((await jobNow(stores, letter.jobId)).status, 'failed');
  });

  it('ERR-10: a replay that fails again makes a new letter that names the first', async ({ stores }) => {
    const first = await deadJob(stores);
    await stores.deadLetters.replay(replayOf(first));
    const { lease } = await claimed(stores);
    await settled(stores, { lease, kind: 'dead-letter', deadLetter: sampleDeadLetter({ escalation: 'page' }) });
    const second = one(await stores.deadLetters.list({ status: 'open' }));
    assert.notEqual(second.id, first.id);
    assert.deepEqual(
      [second.replayOf, second.jobId, second.attempts, second.escalation],
      [first.id, first.jobId, 1, 'page'],
    );
    const again = await stores.deadLetters.get(first.id);
    assert.deepEqual([again?.replayOf, again?.status, again?.notes.at(-1)?.kind], [null, 'failed-again', 'system']);
    assert.match(again?.notes.at(-1)?.text ?? '', /SCHEMA_INVALID/);
    assert.equal(await stores.deadLetters.replay(replayOf(first)), 'not-open');
    assert.equal(await stores.deadLetters.replay(replayOf(second)), 'replayed');
    assert.equal((await jobNow(stores, first.jobId)).replayOf?.deadLetterId, second.id);
  });

  it('AUD-2: a replay in a transaction that rolls back leaves letter and job as they were', async ({ stores }) => {
    const letter = await deadJob(stores);
    const before = await jobNow(stores, letter.jobId);
    await rolledBack(stores, async (tx) => {
      assert.equal(await stores.deadLetters.replay(replayOf(letter), { tx }), 'replayed');
      assert.equal(await stores.deadLetters.note(letter.id, { actor: person('op'), text: 'inside' }, { tx }), 'noted');
    });
    assert.deepEqual(await stores.deadLetters.get(letter.id), letter);
    assert.deepEqual(await jobNow(stores, letter.jobId), before);
    await rolledBack(stores, async (tx) => {
      assert.equal(
        await stores.deadLetters.close(letter.id, { status: 'ignored', actor: person('op'), note: 'n' }, { tx }),
        'closed',
      );
    });
    assert.equal((await stores.deadLetters.get(letter.id))?.status, 'open');
  });
}

function closes<Tx>(it: ContractCase<Tx>): void {
  it('ERR-9: resolved is refused while a required mail row lacks notifiedAt, ignored is not (R17)', async ({
    stores,
  }) => {
    const letter = await deadJob(stores, {}, change);
    await stores.outbox.add([
      newOutboxRow({ ...change, jobId: letter.jobId }),
      newOutboxRow({ ...change, recipient: 'b@example.com', required: false }),
    ]);
    const resolve = { status: 'resolved', actor: person('op'), note: 'fixed' } as const;
    assert.equal(await stores.deadLetters.close(letter.id, resolve), 'not-all-notified');
    assert.deepEqual(await stores.deadLetters.get(letter.id), letter);
    const rows = await stores.outbox.claim(outboxClaim());
    const required = one(rows.filter(({ row }) => row.required));
    await stores.outbox.settle([
      { lease: required.lease, kind: 'sent', notificationId: 'n', provider: 'smtp', recovered: false },
    ]);
    assert.equal(await stores.deadLetters.close(letter.id, resolve), 'closed');
    assert.equal((await stores.deadLetters.get(letter.id))?.status, 'resolved');
  });

  it('ERR-9: ignored closes although mail is missing; the note is kept', async ({ stores }) => {
    const letter = await deadJob(stores, {}, change);
    await stores.outbox.add([newOutboxRow({ ...change, jobId: letter.jobId })]);
    assert.equal(
      await stores.deadLetters.close(letter.id, { status: 'ignored', actor: person('op-2'), note: 'author left' }),
      'closed',
    );
    const closed = await stores.deadLetters.get(letter.id);
    assert.equal(closed?.status, 'ignored');
    assert.deepEqual(closed?.notes, [
      { at: await stores.now(), actor: person('op-2'), kind: 'closing', text: 'author left' },
    ]);
    assert.equal(await claimedRow(stores).then(({ row }) => row.jobId), letter.jobId);
  });

  it('ERR-9: a letter is closed once, and a replaying one may be', async ({ stores }) => {
    const letter = await deadJob(stores);
    await stores.deadLetters.replay(replayOf(letter));
    assert.equal(
      await stores.deadLetters.close(letter.id, { status: 'resolved', actor: person('op'), note: 'verified' }),
      'closed',
    );
    const closed = await stores.deadLetters.get(letter.id);
    for (const status of ['resolved', 'ignored'] as const) {
      assert.equal(
        await stores.deadLetters.close(letter.id, { status, actor: person('op'), note: 'again' }),
        'already-closed',
      );
    }
    assert.deepEqual(await stores.deadLetters.get(letter.id), closed);
    assert.equal(
      await stores.deadLetters.close(randomUUID(), { status: 'ignored', actor: person('op'), note: 'n' }),
      'not-found',
    );
  });

  it('ERR-9: a closing without a note is a TypeError', async ({ stores }) => {
    const letter = await deadJob(stores);
    await assert.rejects(
      stores.deadLetters.close(letter.id, { status: 'ignored', actor: person('op'), note: '' }),
      TypeError,
    );
    assert.equal((await stores.deadLetters.get(letter.id))?.status, 'open');
  });

  it('OPS-1: an actor that is none is a TypeError in every verb, and nothing is changed', async ({ stores }) => {
    const letter = await deadJob(stores);
    for (const actor of notActors) {
      await assert.rejects(stores.deadLetters.note(letter.id, { actor, text: 't' }), TypeError);
      await assert.rejects(stores.deadLetters.triage(letter.id, { actor, cause: 'c' }), TypeError);
      await assert.rejects(stores.deadLetters.replay(replayOf(letter, { actor })), TypeError);
      await assert.rejects(stores.deadLetters.close(letter.id, { status: 'ignored', actor, note: 'n' }), TypeError);
    }
    assert.deepEqual(await stores.deadLetters.get(letter.id), letter);
  });

  it('ERR-9: notes are appended with type and id of their actor, newest last, status unchanged', async ({
    stores,
    clock,
  }) => {
    const letter = await deadJob(stores);
    const first = await stores.now();
    await stores.deadLetters.note(letter.id, { actor: { ...person('a'), roles: ['r'] }, text: 'one' });
    await clock.advance(1000);
    assert.equal(
      await stores.deadLetters.note(letter.id, { actor: person('b'), text: 'two', kind: 'evidence' }),
      'noted',
    );
    const noted = await stores.deadLetters.get(letter.id);
    assert.deepEqual(noted?.notes, [
      { at: first, actor: person('a'), kind: 'note', text: 'one' },
      { at: await stores.now(), actor: person('b'), kind: 'evidence', text: 'two' },
    ]);
    assert.equal(noted?.status, 'open');
    assert.equal(await stores.deadLetters.note(randomUUID(), { actor: person('a'), text: 't' }), 'not-found');
  });
}

function reads<Tx>(it: ContractCase<Tx>): void {
  it('ERR-7: list filters and pages newest first', async ({ stores, clock }) => {
    const letters: DeadLetter[] = [];
    for (let n = 0; n < 5; n++) {
      letters.unshift(await deadJob(stores, { errorClass: n % 2 === 0 ? 'AUTH_DENIED' : 'SCHEMA_INVALID' }));
      await clock.advance(1000);
    }
    const ids = (found: readonly DeadLetter[]): string[] => found.map(({ id }) => id);
    assert.deepEqual(ids(await stores.deadLetters.list({})), ids(letters));
    const firstPage = await stores.deadLetters.list({ limit: 2 });
    assert.deepEqual(ids(firstPage), ids(letters.slice(0, 2)));
    assert.deepEqual(
      ids(await stores.deadLetters.list({ limit: 2, before: firstPage[1]?.id })),
      ids(letters.slice(2, 4)),
    );
    assert.equal((await stores.deadLetters.list({ errorClass: 'AUTH_DENIED' })).length, 3);
    assert.deepEqual(await stores.deadLetters.list({ stage: 'fetch' }), []);
    assert.equal((await stores.deadLetters.list({ stage: 'llm', status: 'open' })).length, 5);
    assert.deepEqual(await stores.deadLetters.list({ status: 'resolved' }), []);
    assert.equal(await stores.deadLetters.get(randomUUID()), null);
    await assert.rejects(stores.deadLetters.list({ limit: 1001 }), TypeError);
  });

  it('ERR-7: list finds letters by kind, job and change, and all filters combine', async ({ stores }) => {
    const first = await deadJob(stores, { errorClass: 'AUTH_DENIED' }, change);
    const two = await deadJob(stores, {}, { changelistId: 'p4main/1002' });
    const mail = await deadJob(stores, { errorClass: 'AUTH_DENIED' }, { kind: 'mail' });
    const ids = async (filter: DeadLetterFilter): Promise<string[]> =>
      (await stores.deadLetters.list(filter)).map(({ id }) => id);
    assert.deepEqual(await ids({ kind: 'mail' }), [mail.id]);
    assert.deepEqual(await ids({ kind: 'review' }), [two.id, first.id]);
    assert.deepEqual(await ids({ jobId: two.jobId }), [two.id]);
    assert.deepEqual(await ids({ jobId: randomUUID() }), []);
    assert.deepEqual(await ids({ changelistId: change.changelistId }), [first.id]);
    assert.deepEqual(await ids({ errorClass: 'AUTH_DENIED', kind: 'review' }), [first.id]);
    assert.deepEqual(await ids({ errorClass: 'AUTH_DENIED', jobId: two.jobId }), []);
    assert.deepEqual(await ids({ kind: 'review', since: first.createdAt, before: two.id, status: 'open' }), [first.id]);
    assert.deepEqual(await ids({ kind: 'review', changelistId: 'p4main/1002', stage: 'llm', limit: 1 }), [two.id]);
  });

  it('ERR-7: stats count open letters by stage, class and escalation', async ({ stores }) => {
    assert.deepEqual(await stores.deadLetters.stats(), []);
    const closed = await deadJob(stores);
    await deadJob(stores);
    await deadJob(stores);
    await deadJob(stores, { errorClass: 'AUTH_DENIED' });
    for (let n = 0; n < 3; n++) await deadJob(stores, { escalation: 'page' });
    await stores.deadLetters.close(closed.id, { status: 'ignored', actor: person('op'), note: 'n' });
    const stats = (await stores.deadLetters.stats()).filter(({ open }) => open > 0);
    assert.deepEqual(
      [...stats].sort((a, b) => a.open - b.open),
      [
        { stage: 'llm', errorClass: 'AUTH_DENIED', escalation: 'operator', open: 1 },
        { stage: 'llm', errorClass: 'SCHEMA_INVALID', escalation: 'operator', open: 2 },
        { stage: 'llm', errorClass: 'SCHEMA_INVALID', escalation: 'page', open: 3 },
      ],
    );
  });
}

/** What every `DeadLetterStore` must do (ERR-6, ERR-7, ERR-9, ERR-10, rulings R1 and R17). */
export function describeDeadLetterStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('DeadLetterStore contract', () => {
    const it = contractCases(runner, harness);
    replays(it);
    deadLetterTriageCases(it);
    closes(it);
    reads(it);
  });
}
