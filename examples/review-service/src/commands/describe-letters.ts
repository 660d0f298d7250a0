// Dead letters as a person reads them: what failed, of how many, what is known, what to do next.
import type {
  DeadLetter,
  DeadLetterGroup,
  InspectedLetter,
  ReplayedLetters,
  ReplayReport,
} from '@criticizer/core/ports';
import { plural } from './describe-egress.js';

const seconds = (instant: Date): string => instant.toISOString().slice(0, 19).replace('T', ' ');

/** One line of the list. */
export const describeLetter = (row: DeadLetter): readonly string[] => [
  row.id,
  row.escalation === 'page' ? `${row.status}, paged` : row.status,
  row.changelistId ?? row.kind,
  `${row.stage} ${row.errorClass}`,
  row.causeKey,
  seconds(row.lastFailureAt),
];

/** A cause: how many, since when, and what a person reads to know it. */
export function describeGroup(group: DeadLetterGroup): string {
  const { causeKey, count, errorClass, cause, firstSeenAt, lastSeenAt, oldestId, newestId } = group;
  const sample = oldestId === newestId ? newestId : `${newestId} ${oldestId}`;
  return [
    `${causeKey}  ${plural(count, 'letter')}  ${errorClass}`,
    `  ${cause}`,
    `  ${seconds(firstSeenAt)} to ${seconds(lastSeenAt)}; see ${sample}`,
  ].join('\n');
}

/** The checks, one a line, those that say no marked. */
export function describeReport({ checks, stage, fromStart }: ReplayReport): string {
  const lines = checks.map(({ name, ok, detail }) => `  ${ok ? 'ok' : 'NO'}  ${name.padEnd(10)}  ${detail}`);
  return [`A replay would start at ${stage}${fromStart ? ', from the start' : ''}:`, ...lines].join('\n');
}

/** What became of a group, and what to do next. */
export function describeReplayed(done: ReplayedLetters, preview: boolean): string {
  const { examined, replayed, refused, taken, degraded, dueAfterMs, hasMore, refusals } = done;
  const minutes = Math.ceil((dueAfterMs?.last ?? 0) / 60_000);
  const due = minutes === 0 ? '' : `, due over ${plural(minutes, 'minute')}`;
  const why = Object.entries(refused).map(([name, count]) => `${count} by ${name}`);
  const first = refusals[0]?.checks
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `  NO  ${name.padEnd(10)}  ${detail}`);
  return [
    `${preview ? 'Preview: ' : ''}${examined} examined, ${replayed} ${preview ? 'would be replayed' : 'replayed'}${due}.`,
    ...(taken === 0 ? [] : [`${taken} taken by somebody else meanwhile.`]),
    ...(why.length === 0
      ? []
      : [`Refused: ${why.join(', ')}. The first, ${refusals[0]?.deadLetterId}:`, ...(first ?? [])]),
    ...(degraded === 0
      ? []
      : [`${plural(degraded, 'audit event')} could not be stored; the log has the fingerprints.`]),
    ...(hasMore ? ['There are more: run it again.'] : []),
  ].join('\n');
}

/** How long ago, in the largest whole unit. */
function ago(instant: Date, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - instant.getTime()) / 60_000));
  if (minutes < 120) return `${plural(minutes, 'minute')} ago`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} hours ago` : `${Math.floor(minutes / 1_440)} days ago`;
}

function describeJob({ job }: InspectedLetter): string[] {
  if (job === null) return ['Job        removed after its retention'];
  const attempts = Object.entries(job.attempts).map(([stage, count]) => `${stage} ${count}`);
  const version = job.reviewVersion === null ? '' : ` of ${job.changelistId} v${job.reviewVersion}`;
  return [
    `Job        ${job.id}${version}: ${job.status}, attempts ${attempts.join(', ') || 'none'}, ${plural(job.lostLeases, 'lost lease')}`,
    `           seen ${seconds(job.createdAt)}, started ${job.startedAt === null ? 'never' : seconds(job.startedAt)}`,
  ];
}

/** One letter with all that is asked about it at night. */
export function describeInspected(found: InspectedLetter, report: ReplayReport, now: Date): string {
  const { letter, history, artifacts, mails } = found;
  const { lastStack, sanitizedContext, replayOf } = letter;
  const others = history.filter(({ id }) => id !== letter.id);
  return [
    `${letter.errorClass} (${letter.category}) in ${letter.stage}, ${plural(letter.attempts, 'attempt')}; ${letter.status}, escalation ${letter.escalation}`,
    `Cause      ${letter.causeKey}: ${letter.cause}`,
    `Failed     ${seconds(letter.firstFailureAt)}, last ${seconds(letter.lastFailureAt)} (${ago(letter.lastFailureAt, now)})`,
    ...describeJob(found),
    ...(replayOf === null ? [] : [`Replay of  ${replayOf}, which failed again`]),
    ...others.map((one) => `Letter     ${one.id} ${one.stage} ${one.errorClass}: ${one.status}`),
    ...artifacts.map(({ name, state, id }) => `Artifact   ${name}: ${state} (${id})`),
    ...mails.map((mail) => `Mail       ${mail.id} to ${mail.recipient} by ${mail.via}: ${mail.status}`),
    ...letter.notes.map(({ at, actor, kind, text }) => `Note       ${seconds(at)} ${kind} by ${actor.id}: ${text}`),
    `Context    ${JSON.stringify(sanitizedContext)}`,
    'Error',
    ...lastStack.split('\n').map((line) => `  ${line}`),
    describeReport(report),
  ].join('\n');
}
