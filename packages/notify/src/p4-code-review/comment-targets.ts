import { createHash } from 'node:crypto';
import type { Severity } from '@criticizer/core/ports';
import type { CodeReviewTopic } from './code-review-schemas.js';

/**
 * Where a comment is, as short as a row's recipient needs it: a finding at the same place under the
 * same severity is said already. One way, so that no row of the database tells a path.
 */
export function placeKey(file: string, line: number | null): string {
  return createHash('sha256')
    .update(JSON.stringify([file, line]))
    .digest('hex')
    .slice(0, 8);
}

/** A finding's id as a target holds it. */
export function findingKey(id: string): string {
  return /^[\w.-]{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 16);
}

/** What a target says: about which finding, or the summary, and what its post does. */
export type TargetMeaning =
  | { about: 'finding'; finding: string; does: 'comment' | 'edit' | 'moved'; place: string; severity: Severity }
  | { about: 'finding'; finding: string; does: 'resolved' }
  | { about: 'summary'; does: 'comment' }
  /** `reviewVersion`: whose summary. */
  | { about: 'summary'; does: 'outdated'; reviewVersion: number };

const severities = 'critical|high|medium|low|info';
const placedForm = new RegExp(`^([\\w.-]{1,64})/([0-9a-f]{8})-(${severities})(?:/(edit|moved))?$`);
const outdatedForm = /^summary\/([1-9]\d*)\/outdated$/;
const resolvedForm = /^([\w.-]{1,64})\/resolved$/;

/**
 * `reviews/12#<finding>/<place>-<severity>` is a comment, with `/edit` or `/moved` a change of it;
 * `reviews/12#<finding>/resolved`; `reviews/12#summary`, `reviews/12#summary/<version>/outdated`.
 */
export function targetOf(topic: CodeReviewTopic, meaning: TargetMeaning): string {
  if (meaning.about === 'summary')
    return `${topic}#summary${meaning.does === 'comment' ? '' : `/${meaning.reviewVersion}/outdated`}`;
  const { finding, does } = meaning;
  if (does === 'resolved') return `${topic}#${finding}/resolved`;
  return `${topic}#${finding}/${meaning.place}-${meaning.severity}${does === 'comment' ? '' : `/${does}`}`;
}

/** The topic of a target: the server reads a topic again at every save, so it gets one post at a time. */
export function groupOf(target: string): string {
  return target.slice(0, target.indexOf('#'));
}

/** The topic of a target; null where it is none of this channel's form. */
export function readTopic(target: string): CodeReviewTopic | null {
  const [, topic] = /^((?:reviews|changes)\/[1-9]\d*)#/.exec(target) ?? [];
  return topic === undefined ? null : (topic as CodeReviewTopic);
}

/** What a target of the topic says; null for one of another topic or form. */
export function readTarget(topic: CodeReviewTopic, target: string): TargetMeaning | null {
  if (!target.startsWith(`${topic}#`)) return null;
  const rest = target.slice(topic.length + 1);
  if (rest === 'summary') return { about: 'summary', does: 'comment' };
  const [, outdated] = outdatedForm.exec(rest) ?? [];
  if (outdated !== undefined) return { about: 'summary', does: 'outdated', reviewVersion: Number(outdated) };
  const [, finding = '', place = '', severity, does = 'comment'] = placedForm.exec(rest) ?? [];
  if (finding !== '') {
    const known = { about: 'finding', finding, place, severity: severity as Severity } as const;
    return { ...known, does: does as 'comment' | 'edit' | 'moved' };
  }
  const [, resolved = ''] = resolvedForm.exec(rest) ?? [];
  return resolved === '' ? null : { about: 'finding', finding: resolved, does: 'resolved' };
}
