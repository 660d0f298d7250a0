import type { ReviewMailContent, ReviewMailCounts, Severity } from '@criticizer/core/ports';
import { visibleLine } from './visible-text.js';

/** Worst first: the order in which a mail shows them. */
export const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'info'];

/** All that a review mail says, and how: the same input gives the same mail (NOT-5). */
export interface ReviewMailInput extends ReviewMailContent {
  /** `change`: `https:` or `http:` only; `unsubscribe`: `https:` or `mailto:`. The mail has no other link. */
  links?: { change?: string | undefined; unsubscribe?: string | undefined } | undefined;
  /** Why the recipient gets the mail: `Recipient.reason`. */
  reason?: string | undefined;
  /** True where somebody reads replies. Default false: the footer says that nobody does. */
  readsReplies?: boolean | undefined;
  /** Other words or another language; what is left out stays English. */
  labels?: Partial<ReviewMailLabels> | undefined;
}

/** What a mail of counts alone says, and how. */
export interface CountsMailInput extends Pick<ReviewMailInput, 'links' | 'reason' | 'readsReplies' | 'labels'> {
  counts: ReviewMailCounts;
}

/** Every fixed word of a mail. `{n}` and other names in braces are filled in. */
export interface ReviewMailLabels {
  /** BCP 47, for screen readers and hyphenation. */
  lang: string;
  review: string;
  change: string;
  by: string;
  server: string;
  version: string;
  openChange: string;
  submitted: string;
  pending: string;
  shelved: string;
  critical: string;
  high: string;
  medium: string;
  low: string;
  info: string;
  noFindings: string;
  incomplete: string;
  withWarnings: string;
  /** `{severity}`: the one finding. */
  findingBelow: string;
  /** `{n}`, `{severity}`: all findings lie below the floor. */
  findingsBelow: string;
  /** `{n}`: findings over the cap. */
  moreNotShown: string;
  /** The check dropped one finding. */
  findingDropped: string;
  /** `{n}`: findings that the check dropped. */
  findingsDropped: string;
  /** A suppression hides one finding. */
  findingSuppressed: string;
  /** `{n}`: findings that suppressions hide. */
  findingsSuppressed: string;
  /** `{version}`: begins what became of findings since that review. */
  since: string;
  /** `{n}`, as the next ones. */
  sinceNew: string;
  sinceOpen: string;
  sinceResolved: string;
  sinceNotVerifiable: string;
  /** `{n}`, `{total}`: files that are as an earlier review read them. */
  filesAsBefore: string;
  /** `{n}`: findings of earlier reviews that were not reported again. */
  earlierOpen: string;
  earlierNotVerifiable: string;
  /** Before a finding of an earlier review that was not reported again. */
  stateResolved: string;
  stateOpen: string;
  stateNotVerifiable: string;
  /** Follows the facts of a finding that an earlier review had. */
  openSince: string;
  /** Precedes the facts of a finding that no earlier review had. */
  isNew: string;
  /** `{n}`: findings that were to be checked and were not. */
  notChecked: string;
  /** `{missing}`, `{partial}`, `{total}`. */
  incompleteNote: string;
  summary: string;
  findings: string;
  line: string;
  lines: string;
  wholeFile: string;
  /** Stands with every finding that nothing in the change confirms. */
  placeUnverified: string;
  /** Stands with every finding on a line that the change did not touch. */
  placeContext: string;
  /** `{severity}`: the model's own. */
  lowered: string;
  confidence: string;
  rule: string;
  suggestion: string;
  /** Of the link by which a reader hides a finding. */
  hideFinding: string;
  warnings: string;
  coverage: string;
  filesReviewed: string;
  filesPartial: string;
  filesSkipped: string;
  /** Files without a new side, or without a change in it. */
  filesNeutral: string;
  noFiles: string;
  /** `{n}`. */
  more: string;
  /** `{n}`. */
  moreFindings: string;
  shortened: string;
  /** `{n}`. */
  secrets: string;
  /** `{n}`: findings of the mail that are about withheld secrets. Follows `secrets`. */
  secretsReported: string;
  /** Stands with a finding about a withheld secret: the model did not make it. */
  foundByRedaction: string;
  /** Where a secret stood that is in no file. */
  changeItself: string;
  /** In a mail that has counts alone. */
  countsOnly: string;
  /** In a mail that has counts alone and a link. */
  countsOnlyOpen: string;
  /** `{change}`, `{version}`. */
  footer: string;
  /** The same where no model read the change. */
  footerWithoutModel: string;
  /** Why the recipient gets the mail, by their word; follows the footer. */
  why: Readonly<Record<string, string>>;
  /** `{reason}`: another word. */
  whyOther: string;
  /** Before the URL. */
  unsubscribe: string;
  /** Follows the footer where nobody reads replies. */
  noReplies: string;
  /** Reasons by their word. */
  reasons: Readonly<Record<string, string>>;
}

/** The words of a review mail in English. */
export const defaultLabels: ReviewMailLabels = {
  lang: 'en',
  review: 'Code review',
  change: 'Change',
  by: 'by',
  server: 'server',
  version: 'version',
  openChange: 'Open the change',
  submitted: 'submitted',
  pending: 'pending',
  shelved: 'shelved',
  critical: 'critical',
  high: 'high',
  medium: 'medium',
  low: 'low',
  info: 'info',
  noFindings: 'no findings',
  incomplete: 'incomplete review',
  withWarnings: 'see warnings',
  findingBelow: '1 finding below {severity}',
  findingsBelow: '{n} findings below {severity}',
  moreNotShown: '{n} more not shown',
  findingDropped: '1 finding dropped by the check',
  findingsDropped: '{n} findings dropped by the check',
  findingSuppressed: '1 finding hidden by a suppression',
  findingsSuppressed: '{n} findings hidden by suppressions',
  since: 'Since version {version}',
  sinceNew: '{n} new',
  sinceOpen: '{n} still open',
  sinceResolved: '{n} resolved',
  sinceNotVerifiable: '{n} not verifiable',
  filesAsBefore: '{n} of {total} files as before, not read again.',
  earlierOpen: 'earlier findings still open: {n}',
  earlierNotVerifiable: 'earlier findings not verifiable: {n}',
  stateResolved: 'resolved',
  stateOpen: 'still open, not reported again',
  stateNotVerifiable: 'not verifiable',
  openSince: 'open since version {version}',
  isNew: 'new',
  notChecked: 'Not checked against the code a second time: {n} of the findings.',
  incompleteNote:
    'This change was not reviewed in full: of {total} files, {missing} not at all and {partial} only in part. Silence about those parts means nothing.',
  summary: 'Summary',
  findings: 'Findings',
  line: 'line',
  lines: 'lines',
  wholeFile: 'whole file',
  placeUnverified: 'place not confirmed',
  placeContext: 'in unchanged code that this change exposes',
  lowered: 'severity lowered from {severity}',
  confidence: 'confidence',
  rule: 'rule',
  suggestion: 'Suggestion',
  hideFinding: 'Not a problem? Hide it',
  warnings: 'Warnings',
  coverage: 'Coverage',
  filesReviewed: 'Reviewed in full',
  filesPartial: 'Reviewed in part',
  filesSkipped: 'Not reviewed',
  filesNeutral: 'Nothing to review',
  noFiles: 'No file of this change was reviewed.',
  more: 'and {n} more, listed in the plain-text part',
  moreFindings: 'and {n} more, in the plain-text part of this mail',
  shortened: 'Some findings are shortened here. The plain-text part of this mail has all of them in full.',
  secretsReported: 'Findings of this mail about them: {n}.',
  foundByRedaction: 'found by redaction, not by the model',
  changeItself: 'the change itself (description, user, jobs)',
  secrets: 'Secrets withheld from the reviewer: {n}. If any of them is real, change it.',
  countsOnly: 'The findings themselves are not in this mail: they may not be sent to this address.',
  countsOnlyOpen: 'The findings themselves are not in this mail. Open the change to read them.',
  footer:
    'Written by a language model, not by a person: it can be wrong, and it can miss things. Sent to you for {change}, version {version} of the review.',
  footerWithoutModel:
    'No language model read this change. What is reported was found by fixed rules: it can be wrong, and it can miss things. Sent to you for {change}, version {version} of the review.',
  why: {
    author: 'You get this mail because the change is yours.',
    reviewer: 'You get this mail because you are a reviewer of the change.',
    owner: 'You get this mail because you own files that the change touches.',
    requested: 'You get this mail because whoever asked for the review named you.',
    configured: 'You get this mail because the settings of this service name you.',
  },
  whyOther: 'Why you get this mail: {reason}.',
  unsubscribe: 'Stop these mails',
  noReplies: 'Nobody reads replies.',
  reasons: {
    deleted: 'deleted in this change',
    binary: 'binary file',
    symlink: 'symbolic link',
    generated: 'generated file',
    filtered: 'left out by a filter',
    unscanned: 'left out by a filter, and over the limits for a scan for secrets',
    oversize: 'too large',
    undecodable: 'text encoding not recognised',
    unchanged: 'no change in content',
    integrated: 'taken over unchanged from another branch',
    purged: 'content purged on the server',
    unavailable: 'content, or that of the revision before, no longer on the server',
    damaged: 'content differs from what the server declares',
    bad_path: 'path that cannot be asked for',
    budget: 'over the limits of one review',
    no_model: 'no model reviews here yet',
    error: 'could not be read',
  },
};

/** The labels of a mail: the given ones over the English ones. */
export function labelsOf(input: Pick<ReviewMailInput, 'labels'>): ReviewMailLabels {
  const given = Object.fromEntries(Object.entries(input.labels ?? {}).filter(([, value]) => value !== undefined));
  return {
    ...defaultLabels,
    ...given,
    reasons: { ...defaultLabels.reasons, ...input.labels?.reasons },
    why: { ...defaultLabels.why, ...input.labels?.why },
  };
}

/** True for the words that the labels put into a sentence. */
export function isKnownReason(reason: string | undefined): boolean {
  return reason !== undefined && Object.hasOwn(defaultLabels.why, reason);
}

function explainReason(reason: string, labels: ReviewMailLabels): string {
  const known = Object.hasOwn(labels.why, reason) ? labels.why[reason] : undefined;
  return known ?? fill(labels.whyOther, { reason: visibleLine(reason, 200) });
}

/** The last sentences of a mail. */
export function footerText(
  input: Pick<ReviewMailInput, 'labels' | 'reviewVersion' | 'reason' | 'readsReplies' | 'isWithoutModel'> & {
    change: { number: number };
  },
): string {
  const labels = labelsOf(input);
  return [
    fill(input.isWithoutModel === true ? labels.footerWithoutModel : labels.footer, {
      change: `${labels.change} ${input.change.number}`,
      version: input.reviewVersion,
    }),
    ...(input.reason?.trim() ? [explainReason(input.reason, labels)] : []),
    ...(input.readsReplies === true ? [] : [labels.noReplies]),
  ].join(' ');
}

/** The line of the text part that says where to stop these mails, if anywhere. */
export function listUnsubscribe({ links, labels }: Pick<ReviewMailInput, 'links' | 'labels'>): string[] {
  return links?.unsubscribe === undefined ? [] : [`${labelsOf({ labels }).unsubscribe}: ${links.unsubscribe}`];
}

/** Fills `{name}` in a label. */
export function fill(label: string, values: Readonly<Record<string, string | number>>): string {
  return label.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
