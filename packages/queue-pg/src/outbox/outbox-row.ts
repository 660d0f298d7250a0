import { type JobRow, type MailRow, toOutboxRow } from '@criticizer/core/internal';
import type { NewOutboxRow, OutboxRow } from '@criticizer/core/ports';
import { instantColumns } from '../shared/instants.js';
import { storeInvariant } from '../shared/pg-errors.js';
import type { PgSession } from '../shared/pg-session.js';
import { rowIdSql } from '../shared/row-id.js';

const instants = [
  'data_at',
  'notified_at',
  'provider_key_expires_at',
  'next_attempt_at',
  'verified_at',
  'created_at',
  'updated_at',
];

/** What to select for a `MailRow` from `notify_outbox` under the alias `m`. */
export const mailColumns = `m.id::text AS id, m.changelist_id, m.review_version, m.recipient, m.recipient_key, m.key, m.required, m.via, m.job_id,
  m.message_artifact_id, m.message_sha256, m.traceparent, m.status, m.attempts, m.phase, m.notification_id, m.provider, m.possible_duplicate,
  m.last_failure::text AS last_failure, m.waiting_for, ${instantColumns('m', instants)}`;

const insert = `INSERT INTO {schema}.notify_outbox AS m (id, changelist_id, review_version, recipient, recipient_key, key, required, via, job_id,
    message_artifact_id, message_sha256, traceparent, status, attempts, phase, possible_duplicate, next_attempt_at, created_at, updated_at)
  SELECT ${rowIdSql('x.tail')}, x.changelist_id, x.review_version, x.recipient, x.recipient_key, x.key, x.required, x.via, x.job_id,
    x.artifact, x.sha256, x.trace, 'pending', 0, 'none', false,
    greatest({now}, to_timestamp(x.send_at_ms / 1000.0)), {now}, {now}
  FROM json_to_recordset($1::json) AS x(tail text, changelist_id text, review_version int, recipient text, recipient_key text, key text,
    required boolean, via text, job_id text, artifact text, sha256 text, trace text, send_at_ms float8)
  ORDER BY x.changelist_id, x.review_version, x.recipient_key
  ON CONFLICT (changelist_id, review_version, recipient_key) DO NOTHING RETURNING ${mailColumns}`;

const keyOf = (row: { changelistId: string; reviewVersion: number; recipientKey: string }): string =>
  JSON.stringify([row.changelistId, row.reviewVersion, row.recipientKey]);

/** Adds rows; one that exists by its key stays as it is and is given instead (NOT-3). Answers in order. */
export async function addOutboxRows(
  session: PgSession,
  mails: readonly NewOutboxRow[],
  idTail: () => string,
): Promise<{ outcome: 'added' | 'existing'; row: OutboxRow }[]> {
  if (mails.length === 0) return [];
  const unique = [...new Map([...mails].reverse().map((mail) => [keyOf(mail), mail])).values()].reverse();
  const input = unique.map((mail) => ({
    tail: idTail(),
    changelist_id: mail.changelistId,
    review_version: mail.reviewVersion,
    recipient: mail.recipient,
    recipient_key: mail.recipientKey,
    key: mail.key,
    required: mail.required,
    via: mail.via,
    job_id: mail.jobId,
    artifact: mail.messageArtifactId,
    sha256: mail.messageSha256,
    trace: mail.traceparent ?? null,
    send_at_ms: mail.sendAt?.getTime() ?? null,
  }));
  const added = new Map(
    (await session.all<MailRow>(insert, JSON.stringify(input))).map(toOutboxRow).map((row) => [keyOf(row), row]),
  );
  const known = new Map<string, OutboxRow>(added.size === unique.length ? [] : await readByKey(session, unique));
  return mails.map((mail) => {
    const key = keyOf(mail);
    const own = added.get(key);
    if (own !== undefined) {
      added.delete(key); // the same key again in this call finds it existing
      known.set(key, own);
      return { outcome: 'added', row: own };
    }
    const row = known.get(key);
    if (row === undefined) throw storeInvariant('notify_outbox: a conflicting row cannot be seen');
    return { outcome: 'existing', row };
  });
}

async function readByKey(session: PgSession, mails: readonly NewOutboxRow[]): Promise<[string, OutboxRow][]> {
  const rows = await session.all<MailRow>(
    `SELECT ${mailColumns} FROM {schema}.notify_outbox AS m WHERE (m.changelist_id, m.review_version, m.recipient_key)
      IN (SELECT * FROM unnest($1::text[], $2::int[], $3::text[]))`,
    mails.map((mail) => mail.changelistId),
    mails.map((mail) => mail.reviewVersion),
    mails.map((mail) => mail.recipientKey),
  );
  return rows.map(toOutboxRow).map((row) => [keyOf(row), row]);
}

/**
 * True while a required mail of the job's change and version, or of the job where it has none, was
 * not delivered (NOT-10). `adding` are rows about to be stored: a new one was not delivered.
 */
export async function lacksNotification(
  session: PgSession,
  job: Pick<JobRow, 'id' | 'changelist_id' | 'review_version'>,
  adding: readonly NewOutboxRow[] = [],
): Promise<boolean> {
  const versioned = job.changelist_id !== null && job.review_version !== null;
  const own = versioned ? 'changelist_id = $1 AND review_version = $2::int' : 'job_id = $1 AND $2::int IS NULL';
  const mine = (mail: NewOutboxRow): boolean =>
    versioned
      ? mail.changelistId === job.changelist_id && mail.reviewVersion === job.review_version
      : mail.jobId === job.id;
  const added = adding.filter((mail) => mail.required && mine(mail));
  const row = await session.first<{ lacking: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM {schema}.notify_outbox WHERE ${own} AND required AND notified_at IS NULL)
      OR EXISTS (SELECT 1 FROM unnest($3::text[], $4::int[], $5::text[]) AS x(c, v, k) WHERE NOT EXISTS (
        SELECT 1 FROM {schema}.notify_outbox WHERE changelist_id = x.c AND review_version = x.v AND recipient_key = x.k)) AS lacking`,
    versioned ? job.changelist_id : job.id,
    versioned ? job.review_version : null,
    added.map((mail) => mail.changelistId),
    added.map((mail) => mail.reviewVersion),
    added.map((mail) => mail.recipientKey),
  );
  return row?.lacking === true;
}
