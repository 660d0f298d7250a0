import type { ChannelReview, ContentLevel, ReviewMailContent } from '@criticizer/core/ports';
import { isWebUrl } from '../rendering/change-link.js';
import { checkCountsMailInput, checkReviewMailInput } from '../rendering/check-mail-input.js';
import { nameLine } from '../rendering/name-place.js';
import { decideCountsVerdict } from '../rendering/render-counts-mail.js';
import { fill, type ReviewMailInput, type ReviewMailLabels } from '../rendering/review-mail-input.js';
import {
  describeCheck,
  describeGap,
  describeSecrets,
  groupFindings,
  isNeutral,
  titleOf,
  verdictOf,
} from '../rendering/review-verdict.js';
import { describeAsBefore, describeSince } from '../rendering/since-version.js';
import type { CountedFrame } from './chat-frame.js';
import { chatLabelsOf } from './chat-labels.js';
import { type ChatWords, chatWordsOf } from './chat-words.js';
import { type ChatFinding, describeFinding } from './describe-finding.js';

/** A list that may have been cut. */
export interface ChatList {
  shown: readonly string[];
  /** How many are left out. */
  more: number;
}

/**
 * A review in words, for any chat: what is said is decided here, how it looks is not. Texts are on one
 * line, but those of findings and the summary, and shown as a reader must see them. Only those marked
 * so have words of the change or the model.
 */
export interface ChatReview {
  labels: ReviewMailLabels;
  content: ContentLevel;
  /** `Change 4711, version 2`: of fixed words and numbers. */
  heading: string;
  /** Untrusted: the change's title; empty where it may not be said. */
  title: string;
  /** Untrusted: by whom, what kind, which server. */
  facts: string;
  /** Of numbers and fixed words. */
  verdict: string;
  /** The worst severity shown, else what keeps it from being called clean. */
  token: ReturnType<typeof verdictOf>['token'];
  /** `Since version 1: 2 new, 1 resolved.`: of numbers and fixed words; null: no version to compare with. */
  since: string | null;
  /** Untrusted: findings of the earlier version that were not reported again. */
  notReported: ChatList;
  /** Of numbers and fixed words: what was not read; `notReviewed` names it. Null: nothing. */
  gap: string | null;
  /** Of numbers and fixed words: what else the reader must know before trusting the review. */
  notes: readonly string[];
  /** Untrusted in part: sentences of core that name files. */
  warnings: ChatList;
  /** Untrusted; empty: none. */
  summary: string;
  /** Worst first, at most 30 of them. */
  findings: readonly ChatFinding[];
  /** All of them. */
  findingCount: number;
  /** Untrusted: files that were not reviewed in full, with the reason. */
  notReviewed: ChatList;
  /** Of fixed words: the last line. */
  footer: string;
  changeUrl: string | undefined;
}

const maxShown = 5;
/** More than any chat has room for. */
const maxDescribed = 30;

function listFirst(all: readonly string[], total = all.length): ChatList {
  const shown = all.slice(0, maxShown);
  return { shown, more: total - shown.length };
}

const nothing: ChatList = { shown: [], more: 0 };

function describeState(state: 'open' | 'resolved' | 'not_verifiable', labels: ReviewMailLabels): string {
  if (state === 'resolved') return labels.stateResolved;
  return state === 'open' ? labels.stateOpen : labels.stateNotVerifiable;
}

const stateOrder = ['resolved', 'open', 'not_verifiable'] as const;

function listNotReported({ sinceVersion }: ReviewMailContent, { labels, oneLine }: ChatWords): ChatList {
  if (sinceVersion === undefined) return nothing;
  const { notReported, open, resolved, notVerifiable } = sinceVersion;
  const sorted = stateOrder.flatMap((state) => notReported.filter((one) => one.state === state));
  const lines = sorted.map(
    ({ state, title, severity, file, line }) =>
      `${describeState(state, labels)}: ${oneLine(title, 120)} · ${labels[severity]} · ${oneLine(nameLine(file, line, labels), 180)}`,
  );
  return listFirst(lines, open + resolved + notVerifiable);
}

function listNotReviewed({ coverage }: ReviewMailContent, { labels, oneLine }: ChatWords): ChatList {
  const files = coverage.files.filter((file) => file.state !== 'reviewed' && !isNeutral(file));
  const lines = files.map(({ path, reason, state }) => {
    const known = reason !== undefined && Object.hasOwn(labels.reasons, reason) ? labels.reasons[reason] : reason;
    const why = oneLine(known ?? (state === 'partial' ? labels.filesPartial : labels.filesSkipped), 80);
    return `${oneLine(path, 160)}: ${why}`;
  });
  return listFirst(lines);
}

const isSaid = (text: string | null): text is string => text !== null;

function describeContent(
  review: ChannelReview,
  content: ReviewMailContent,
  frame: CountedFrame,
): Omit<ChatReview, 'changeUrl' | 'heading' | 'labels'> {
  const words = chatWordsOf(frame);
  const { labels, oneLine, readable } = words;
  const input: ReviewMailInput = { ...content, labels };
  checkReviewMailInput(input);
  const verdict = verdictOf(input);
  const secrets = describeSecrets(input, labels);
  const { change } = content;
  const ordered = groupFindings(content.result.findings).flatMap(({ files }) => files.flatMap((one) => one.findings));
  const findings = ordered
    .slice(0, maxDescribed)
    .map((one) => describeFinding(one, words, review.linkFor(one.id, frame.target)));
  return {
    content: findings.some(({ excerpt }) => excerpt !== '') ? 'code' : 'findings',
    title: oneLine(titleOf(input, 200), 200),
    facts: [
      `${labels.by} ${oneLine(change.user, 100)}`,
      labels[change.kind],
      `${labels.server} ${oneLine(change.serverId, 100)}`,
    ].join(', '),
    verdict: verdict.phrase,
    token: verdict.token,
    since: describeSince(content.sinceVersion, labels),
    notReported: listNotReported(content, words),
    gap: describeGap(verdict.counts, labels),
    notes: [
      describeAsBefore(content.sinceVersion, labels),
      ...describeCheck(content.check, labels),
      secrets?.sentence ?? null,
    ].filter(isSaid),
    warnings: listFirst(content.warnings.map((warning) => oneLine(warning, 200))),
    summary: readable(content.result.summary, 800),
    findings,
    findingCount: ordered.length,
    notReviewed: listNotReviewed(content, words),
    footer: content.isWithoutModel === true ? labels.footerWithoutModel : labels.footer,
  };
}

function describeCounts(
  { counts }: ChannelReview,
  hasLink: boolean,
  frame: CountedFrame,
): Omit<ChatReview, 'changeUrl' | 'heading' | 'labels'> {
  const { labels, oneLine } = chatWordsOf(frame);
  checkCountsMailInput({ counts, labels });
  const verdict = decideCountsVerdict({ counts, labels });
  const { change, files, withheldSecrets } = counts;
  const saysNothing = verdict.token === 'clean';
  return {
    content: 'counts',
    title: '',
    facts: [labels[change.kind], `${labels.server} ${oneLine(change.serverId, 100)}`].join(', '),
    verdict: verdict.phrase,
    token: verdict.token,
    since: describeSince(counts.sinceVersion, labels),
    notReported: nothing,
    gap: describeGap(verdict.counts, labels),
    notes: [
      describeAsBefore(counts.sinceVersion, labels),
      ...describeCheck(counts.check, labels),
      withheldSecrets === 0 ? null : fill(labels.secrets, { n: withheldSecrets }),
      `${labels.filesReviewed}: ${files.reviewed}`,
      saysNothing ? null : hasLink ? labels.countsOnlyOpen : labels.countsOnly,
    ].filter(isSaid),
    warnings: nothing,
    summary: '',
    findings: [],
    findingCount: 0,
    notReviewed: nothing,
    footer: counts.isWithoutModel === true ? labels.footerWithoutModel : labels.footer,
  };
}

/**
 * What a chat says of a review, within its content level: at `counts` numbers, fixed words, server and
 * link (ruling R21). Pure. Throws `TypeError` for a review that would make the message say something
 * false.
 */
export function describeReview(review: ChannelReview, frame: CountedFrame): ChatReview {
  const labels = chatLabelsOf(frame.labels);
  const { content, counts, reviewVersion } = review;
  const { serverId, number, changelistId, kind } = counts.change;
  const link = frame.changeUrl?.({ serverId, number, changelistId, kind });
  if (link !== undefined && !isWebUrl(link)) throw new TypeError('changeUrl: expected an http or https URL');
  const version = reviewVersion > 1 ? `, ${labels.version} ${reviewVersion}` : '';
  const said =
    content === null ? describeCounts(review, link !== undefined, frame) : describeContent(review, content, frame);
  return {
    ...said,
    labels,
    heading: `${labels.change} ${number}${version}`,
    changeUrl: link === undefined ? undefined : new URL(link).href,
  };
}
