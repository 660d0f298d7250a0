import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import type { Actor } from '../../foundation/actor.js';
import type { NewArtifact } from '../../stores/artifact-manifest.js';
import type { NewAuditEvent } from '../../stores/audit-store.js';
import type { NewDeadLetter } from '../../stores/dead-letter-store.js';
import type { NewEgressRecord } from '../../stores/egress-log.js';
import type { Failure, Job } from '../../stores/job.js';
import type { ClaimedJob, ClaimRequest, NewJob, Settlement } from '../../stores/job-store.js';
import type {
  ClaimedOutboxRow,
  DeliveryFailure,
  NewOutboxRow,
  OutboxClaimRequest,
} from '../../stores/notify-outbox.js';
import type { Stores } from '../../stores/stores.js';
import type { NewSuppression } from '../../stores/suppression-store.js';

/** The lease every case takes unless it says otherwise. */
export const leaseMs = 30_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * What no store takes: PostgreSQL's `text` holds no NUL, UTF-8 no half of a surrogate pair. Put
 * together here, for editors' sake.
 */
export const nul = String.fromCharCode(0);
export const halfPair = String.fromCharCode(0xd83d);

/** The only element; fails the case when there are more or fewer. */
export function one<T>(items: readonly T[]): T {
  assert.equal(items.length, 1, `expected one, got ${items.length}`);
  return items[0] as T;
}

/** A review-like job under a fresh key. */
export function newJob(over: Partial<NewJob> = {}): NewJob {
  return { kind: 'review', payload: { n: 1 }, stage: 'fetch', idempotencyKey: `key-${randomUUID()}`, ...over };
}

/** A claim of one `review` job by a fresh owner under a fresh token. */
export function claimRequest(over: Partial<ClaimRequest> = {}): ClaimRequest {
  return { kinds: ['review'], owner: `owner-${randomUUID()}`, token: randomUUID(), leaseMs, limit: 1, ...over };
}

/** Enqueues one job and gives its row. */
export async function enqueued<Tx>(stores: Stores<Tx>, over: Partial<NewJob> = {}): Promise<Job> {
  const result = one(await stores.jobs.enqueue([newJob(over)]));
  assert.equal(result.outcome, 'enqueued');
  return result.job;
}

/** Claims exactly one job. */
export async function claimed<Tx>(stores: Stores<Tx>, over: Partial<ClaimRequest> = {}): Promise<ClaimedJob> {
  return one(await stores.jobs.claim(claimRequest(over)));
}

/** Enqueues one job and claims it. */
export async function running<Tx>(stores: Stores<Tx>, over: Partial<NewJob> = {}): Promise<ClaimedJob> {
  const job = await enqueued(stores, over);
  const taken = await claimed(stores, { kinds: [job.kind] });
  assert.equal(taken.job.id, job.id);
  return taken;
}

/** Settles one settlement and demands that it took. */
export async function settled<Tx>(stores: Stores<Tx>, settlement: Settlement): Promise<void> {
  assert.deepEqual(await stores.jobs.settle([settlement]), ['settled']);
}

/** The row as stored now; fails the case when it is gone. */
export async function jobNow<Tx>(stores: Stores<Tx>, id: string): Promise<Job> {
  const job = one(await stores.jobs.get([id]));
  assert.notEqual(job, null);
  return job as Job;
}

export function sampleFailure(code = 'NETWORK_TIMEOUT'): Failure {
  return { code, category: 'network', message: 'no answer' };
}

export function sampleDeadLetter(over: Partial<NewDeadLetter> = {}): NewDeadLetter {
  return {
    errorClass: 'SCHEMA_INVALID',
    category: 'validation',
    lastStack: 'Error\n    at handler',
    sanitizedContext: { requestId: 'r-1', httpStatus: 422 },
    escalation: 'operator',
    ...over,
  };
}

/** A mail row under a key derived from change, recipient and version, as core derives it. */
export function newOutboxRow(over: Partial<NewOutboxRow> = {}): NewOutboxRow {
  const changelistId = over.changelistId ?? 'p4main/1001';
  const reviewVersion = over.reviewVersion ?? 1;
  const recipient = over.recipient ?? 'dev@example.com';
  const identity = `${changelistId}|${recipient}|${reviewVersion}`;
  return {
    changelistId,
    reviewVersion,
    recipient,
    recipientKey: recipient,
    key: sha256(identity).slice(0, 32),
    required: true,
    via: 'smtp',
    jobId: null,
    messageArtifactId: randomUUID(),
    messageSha256: sha256(`body of ${identity}`),
    traceparent: null,
    ...over,
  };
}

/** A claim of up to ten due mail rows by a fresh owner. */
export function outboxClaim(over: Partial<OutboxClaimRequest> = {}): OutboxClaimRequest {
  return {
    owner: `owner-${randomUUID()}`,
    token: randomUUID(),
    leaseMs,
    limit: 10,
    via: ['smtp'],
    purpose: 'deliver',
    ...over,
  };
}

/** Claims exactly one mail row. */
export async function claimedRow<Tx>(
  stores: Stores<Tx>,
  over: Partial<OutboxClaimRequest> = {},
): Promise<ClaimedOutboxRow> {
  return one(await stores.outbox.claim(outboxClaim(over)));
}

/** Adds one mail row, claims it and settles it as sent. */
export async function sentRow<Tx>(stores: Stores<Tx>, over: Partial<NewOutboxRow> = {}): Promise<string> {
  const { row } = one(await stores.outbox.add([newOutboxRow(over)]));
  const lease = (await stores.outbox.claim(outboxClaim({ limit: 1000 }))).find(
    (taken) => taken.row.id === row.id,
  )?.lease;
  assert.ok(lease, 'the new mail row could not be claimed');
  const outcome = await stores.outbox.settle([
    { lease, kind: 'sent', notificationId: `id-${row.id}`, provider: 'smtp', recovered: false },
  ]);
  assert.deepEqual(outcome, ['settled']);
  return row.id;
}

export function sampleDeliveryFailure(code = 'SMTP_421'): DeliveryFailure {
  return { scope: 'transport', code, category: 'network', message: 'try later' };
}

/** A redacted artifact under a random id and storage key, living a day. */
export function newArtifact(over: Partial<NewArtifact> = {}): NewArtifact {
  const id = over.id ?? randomUUID();
  return {
    id,
    namespace: 'redacted',
    purpose: 'review',
    storageKey: sha256(id).slice(0, 40),
    contentType: 'application/json',
    changelistId: 'p4main/1001',
    jobId: null,
    ttlMs: 86_400_000,
    redaction: { ruleVersion: '1', policyHash: sha256('policy') },
    kekId: 'local-1',
    wrappedKey: Buffer.from(sha256(`wrapped ${id}`)).toString('base64'),
    bytes: 12,
    digest: sha256(`digest ${id}`),
    ...over,
  };
}

export function newAuditEvent(over: Partial<NewAuditEvent> = {}): NewAuditEvent {
  return {
    id: randomUUID(),
    occurredAt: null,
    actorType: 'admin_user',
    actorId: 'admin-1',
    tenantId: null,
    traceId: null,
    requestId: null,
    action: 'criticizer.dead_letter.replay',
    targetType: 'dead_letter',
    targetId: 'd-1',
    resultStatus: 'success',
    httpStatus: null,
    sourceIp: null,
    userAgent: null,
    payload: { reason: 'fixed' },
    payloadSha256: sha256('payload'),
    schemaVersion: 1,
    ...over,
  };
}

export function newEgressRecord(over: Partial<NewEgressRecord> = {}): NewEgressRecord {
  return {
    id: randomUUID(),
    destination: 'llm',
    content: 'code',
    messageKey: null,
    jobId: randomUUID(),
    changelistId: 'p4main/1001',
    reviewVersion: 1,
    provider: 'gateway',
    host: 'llm.example.com:443',
    model: 'reviewer-1',
    promptVersion: '1.1',
    schemaVersion: '1.0',
    paths: ['//depot/a/one.ts'],
    bytes: 2048,
    bodySha256: sha256('body'),
    redactions: { 'pem.block': 1 },
    rulesVersion: '1',
    policyHash: sha256('policy'),
    ...over,
  };
}

/** One of a finding, without end. */
export function newSuppression(over: Partial<NewSuppression> = {}): NewSuppression {
  return {
    scope: { kind: 'finding', changelistId: 'p4main/1001', findingId: 'f1', coversSecret: false },
    disposition: 'false_positive',
    reason: 'Checked by hand: ü.',
    actor: { type: 'admin_user', id: 'ada' },
    expiresInMs: null,
    ...over,
  };
}

/** A promise and the function that settles it: holds a transaction open while another caller acts. */
export function gate(): { opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Thrown by a case inside a transaction to make it roll back. */
export class RolledBack extends Error {}

/** Runs `work` in a transaction that ends in a rollback. */
export async function rolledBack<Tx>(stores: Stores<Tx>, work: (tx: Tx) => Promise<void>): Promise<void> {
  await assert.rejects(
    stores.transaction(async (tx) => {
      await work(tx);
      throw new RolledBack('planned');
    }),
    RolledBack,
  );
}

/** A person who administers, as the verbs that a person can call take one. */
export function person(id: string): Actor {
  return { type: 'admin_user', id };
}

/** What a caller without types passes for an actor. */
export const notActors: readonly Actor[] = [
  'op',
  {},
  { type: 'admin_user', id: '' },
  { type: 'admin_user', id: ' ' },
  { type: 'robot', id: 'op' },
  { type: 'admin_user', id: 'op', roles: 'operator' },
  { type: 'admin_user', id: 'op', name: 'Op' },
] as unknown[] as Actor[];
