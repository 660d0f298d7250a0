// One review in two sentences: where it stands, and what it sent to whom.
import type { Job } from '@criticizer/core';
import {
  type Change,
  type DeadLetter,
  type DeliveryFailure,
  type EgressRecord,
  type Failure,
  isHandedOver,
  type OutboxRow,
} from '@criticizer/core/ports';
import { plural } from './describe-egress.js';

/** What is said of a job. */
type ShownJob = Pick<
  Job,
  | ('payload' | 'status' | 'stage' | 'reviewVersion' | 'attempts' | 'waitingFor' | 'result')
  | ('runAt' | 'createdAt' | 'updatedAt' | 'finishedAt')
> & { lastFailure: Pick<Failure, 'code'> | null };
/** What is said of a change as the server has it. */
type ShownChange = Pick<Change, 'deniedFiles' | 'kind' | 'user'> & {
  files: readonly Pick<Change['files'][number], 'skipped'>[];
};
/** What is said of a mail. */
type ShownMail = Pick<OutboxRow, 'recipient' | 'status' | 'via' | 'waitingFor' | 'nextAttemptAt' | 'notificationId'> & {
  lastFailure: Pick<DeliveryFailure, 'code'> | null;
};

/** What is known of one version of a change. */
export interface JobFacts {
  job: ShownJob;
  egress: readonly Pick<EgressRecord, 'bytes' | 'host'>[];
  mails: readonly ShownMail[];
  /** Ids of the mailers that `DELIVERY` has now. */
  mailers: readonly string[];
  letter: Pick<DeadLetter, 'id' | 'status'> | null;
  /** As the server has it now, or why it cannot be read. */
  change: ShownChange | string | null;
}

/** Today's instants by their time, others with their date; UTC. */
function at(instant: Date | null, now: Date): string {
  if (instant === null) return 'never';
  const text = instant.toISOString();
  return text.slice(0, 10) === now.toISOString().slice(0, 10)
    ? text.slice(11, 16)
    : text.slice(0, 16).replace('T', ' ');
}

/** What a person must do where a wait does not end by itself. */
const todo: Readonly<Record<string, string>> = {
  SECRET_EXPIRED: 'a credential is past its age, doctor says which: rotate it',
  SECRET_MISSING: 'a secret is missing, doctor says which',
};

function describeWait(waitingFor: string): string {
  const more = todo[waitingFor];
  return more === undefined ? waitingFor : `${waitingFor}: ${more}`;
}

function describeState({ job, letter }: JobFacts, now: Date): string {
  const { status, stage, waitingFor, lastFailure, result } = job;
  const next = `next ${at(job.runAt, now)}`;
  if (status === 'running') return `running ${stage} since ${at(job.updatedAt, now)}`;
  if (status === 'queued' && waitingFor !== null)
    return `waiting in ${stage} since ${at(job.updatedAt, now)} (${describeWait(waitingFor)}, ${next})`;
  if (status === 'queued' && lastFailure !== null)
    return `retrying ${stage} (${lastFailure.code}, attempt ${job.attempts[stage] ?? 0}, ${next})`;
  if (status === 'queued') return `queued for ${stage} since ${at(job.runAt, now)}`;
  if (status === 'completed' && typeof result?.['skipped'] === 'string')
    return `not reviewed at ${at(job.finishedAt, now)}: ${result['skipped']}. ${String(result['detail'] ?? '')}`.replace(
      /\.$/,
      '',
    );
  if (status === 'completed') return `reviewed at ${at(job.finishedAt, now)}: ${String(result?.['verdict'] ?? 'done')}`;
  const cancelled = result?.['cancelled'] === true ? `cancelled: ${String(result['reason'])}` : null;
  const code = cancelled ?? lastFailure?.code ?? 'UNKNOWN';
  const dead = letter === null ? '' : `; dead letter ${letter.id} is ${letter.status}`;
  return `failed in ${stage} at ${at(job.finishedAt, now)} (${code})${dead}`;
}

function describeFiles({ job, change }: JobFacts): string[] {
  const { filesReviewed, filesSkipped } = job.result ?? {};
  if (typeof filesReviewed === 'number' && typeof filesSkipped === 'number')
    return [`${plural(filesReviewed + filesSkipped, 'file')}, ${filesSkipped} not reviewed`];
  if (typeof change === 'string') return [`the server shows no files (${change})`];
  if (change === null) return [];
  const filtered = change.files.filter(({ skipped }) => skipped !== null).length + change.deniedFiles;
  return [`${plural(change.files.length + change.deniedFiles, 'file')}, ${filtered} filtered`];
}

function describeSent(egress: JobFacts['egress']): string {
  if (egress.length === 0) return 'sent nothing';
  const kilobytes = Math.ceil(egress.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000);
  return `sent ${plural(egress.length, 'request')}, ${kilobytes} kB, to ${[...new Set(egress.map(({ host }) => host))].join(' and ')}`;
}

function describeMail(mail: ShownMail, mailers: JobFacts['mailers'], now: Date): string {
  const { recipient, via, status, lastFailure, waitingFor, nextAttemptAt } = mail;
  if (via === 'shadow') return `mail to ${recipient} kept in the shadow`;
  if (status === 'pending' && !mailers.includes(via))
    return `mail to ${recipient} waiting for mailer ${via}, which DELIVERY does not have now: it goes once that is set back`;
  const next = `next ${at(nextAttemptAt, now)}`;
  if (status === 'pending' && waitingFor !== null)
    return `mail to ${recipient} waiting (${describeWait(waitingFor)}, ${next})`;
  if (status === 'pending' && lastFailure !== null)
    return `mail to ${recipient} retrying (${lastFailure.code}, ${next})`;
  if (isHandedOver(mail)) return `post to ${recipient} handed over: whether it is shown is not known`;
  return `mail to ${recipient} ${status}${lastFailure === null ? '' : ` (${lastFailure.code})`}`;
}

function describeMails({ mails, mailers }: JobFacts, now: Date): string {
  if (mails.length === 0) return 'no mail';
  return mails.map((mail) => describeMail(mail, mailers, now)).join(', ');
}

/** Whom the submit named. */
function seenBy({ payload }: ShownJob): string {
  const named: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'seenBy') : null;
  return typeof named === 'string' ? ` by ${named}` : '';
}

/**
 * `v2 shelved by ada: waiting in llm since 09:12 (NETWORK_CONNECT, next 09:20). Seen 09:11 by trigger; 14 files,
 * 3 filtered; sent nothing; no mail.`
 */
export function describeJob(facts: JobFacts, now: Date): string {
  const { job, change } = facts;
  const who = change === null || typeof change === 'string' ? '' : ` ${change.kind} by ${change.user}`;
  const more = [
    `Seen ${at(job.createdAt, now)}${seenBy(job)}`,
    ...describeFiles(facts),
    describeSent(facts.egress),
    describeMails(facts, now),
  ];
  return `v${job.reviewVersion ?? 1}${who}: ${describeState(facts, now)}. ${more.join('; ')}.`;
}
