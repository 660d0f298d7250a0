import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job, StoredReview } from '@criticizer/core';
import { describeSinceVersion } from '@criticizer/core/formats';
import type { OutboxRow } from '@criticizer/core/ports';
import PostalMime from 'postal-mime';
import { mailTargetOf } from '../mail/mail-endpoint.js';

const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;

/** The mail's HTML part as the receiver got it, beside the .eml file. */
async function writeHtml(emlFile: string): Promise<string> {
  const mail = await PostalMime.parse(readFileSync(emlFile));
  const htmlFile = emlFile.replace(/\.eml$/, '.html');
  writeFileSync(htmlFile, mail.html ?? '', { mode: 0o600 });
  return htmlFile;
}

function coverageLines(review: StoredReview): string[] {
  const { files, totals } = review.coverage;
  const skipped = files.flatMap((file) =>
    file.state === 'skipped' ? [`               ${file.path}: ${file.reason}`] : [],
  );
  return [
    `  reviewed     ${totals.reviewed_full} of ${totals.files} files`,
    ...(skipped.length === 0 ? [] : ['  skipped', ...skipped]),
  ];
}

/** `file.ts:12`, or `file.ts` where no line is confirmed, and whether anything confirms the place at all. */
function findingLine({ severity, file, place, title }: StoredReview['findings'][number]): string {
  const name = file === null ? 'the change itself' : (file.split('/').at(-1) ?? file);
  const where = place.line === null ? name : `${name}:${place.line}`;
  return `               ${severity.padEnd(8)} ${where}  ${title}${place.status === 'unverified' ? '  (place not confirmed)' : ''}`;
}

/** What the check pass did; nothing where no finding was to be checked. */
function checkLine({ check }: StoredReview): string[] {
  if (check === null) return [];
  const { kept, lowered, dropped, notChecked } = check;
  return [
    `  check        ${kept} kept, ${lowered} lowered, ${dropped} dropped by the check, ${notChecked} not checked`,
  ];
}

/** What the requests of this version took. */
function tokensLine({ usage }: StoredReview): string {
  const sum = (kind: 'inputTokens' | 'outputTokens'): string =>
    usage.reduce((total, one) => total + (one[kind] ?? 0), 0).toLocaleString('en');
  return `  tokens       ${sum('inputTokens')} sent, ${sum('outputTokens')} received`;
}

/** What became of earlier findings; nothing for the first version of a change. */
function sinceLines(review: StoredReview): string[] {
  const since = describeSinceVersion(review);
  const resolved = review.earlier.map(
    ({ state, file, title }) =>
      `               ${state.replace('_', ' ')} ${file?.split('/').at(-1) ?? 'the change'}  ${title}`,
  );
  return since === null ? [] : [`  earlier      ${since}`, ...resolved];
}

/** What a person wants to know at the end. */
export async function summaryText(
  directory: string,
  review: StoredReview,
  mails: readonly OutboxRow[],
): Promise<string> {
  const counts = severities.map(
    (severity) => `${review.findings.filter((f) => f.severity === severity).length} ${severity}`,
  );
  const lines = [
    `Change ${review.change.changelistId} by ${review.change.user}: ${review.change.description.split('\n')[0]}`,
    '',
    ...coverageLines(review),
    `  secrets      ${review.secretsWithheld} withheld before anything left`,
    `  findings     ${counts.join(', ')}`,
    ...review.findings.map(findingLine),
    ...checkLine(review),
    ...sinceLines(review),
    tokensLine(review),
    '  mail',
  ];
  for (const mail of mails) {
    lines.push(
      `               ${mail.recipient}: ${mail.status}${mail.possibleDuplicate ? ' (possible duplicate)' : ''}`,
    );
    if (mail.notifiedAt === null || mailTargetOf(directory) !== null) continue;
    const eml = join(directory, 'mail', `${mail.key}.eml`);
    lines.push(`                 ${eml}`, `                 ${await writeHtml(eml)}`);
  }
  return lines.join('\n');
}

/** Why a job rests among the dead letters, in one line. */
export function failureText({ stage, lastFailure }: Job): string {
  if (lastFailure === null) return `The review failed in ${stage}.`;
  return `The review failed in ${stage}: ${lastFailure.code}: ${lastFailure.message.replace(/\s*\n\s*/g, '; ')}`;
}

/** Why a change was not reviewed, in one line. */
export function skippedText({ changelistId, result }: Job): string {
  return `Change ${changelistId} was not reviewed: ${String(result?.['skipped'])} (${String(result?.['detail'])}).`;
}
