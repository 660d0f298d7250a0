/** Worst first: the order in which a mail shows them. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;

/** How bad a finding is; the first of `SEVERITIES` is the worst. */
export type Severity = (typeof severities)[number];

/** How sure a place is, surest first; see `FindingPlace` of `@criticizer/core`. */
export const placeStatuses = ['exact', 'moved', 'file', 'unverified'] as const;

/** One finding with its resolved place. Every string is untrusted: a model wrote it from somebody's code. */
export interface ReviewMailFinding {
  id: string;
  /** Effective; at most `medium` where the place is unverified (GRD-2). */
  severity: Severity;
  category: string;
  title: string;
  file: string;
  /**
   * Lines are 1-based, on the new side. `line: null`: about the file as a whole, and always so
   * where the place is unverified.
   */
  place: { line: number | null; endLine: number | null; status: (typeof placeStatuses)[number] };
  /** The model's own severity; a mail says it where the effective one is lower. */
  model?: { severity: Severity } | undefined;
  message: string;
  suggestion?: string | undefined;
  confidence?: 'high' | 'medium' | 'low' | undefined;
  rule_id?: string | undefined;
}

/** What became of one file of the change. */
export interface ReviewMailCoverage {
  path: string;
  state: 'reviewed' | 'partial' | 'skipped';
  /** A known word (`binary`, `oversize`, `budget`, …) is put into a sentence, anything else is shown as it is. */
  reason?: string | undefined;
}

/** Everything a review mail says. Nothing else is read: the same input gives the same mail (NOT-5). */
export interface ReviewMailInput {
  change: {
    serverId: string;
    number: number;
    changelistId: string;
    user: string;
    /** Untrusted; its first line is the title. */
    description: string;
    kind: 'submitted' | 'pending' | 'shelved';
  };
  /** A positive integer. */
  reviewVersion: number;
  result: { summary?: string | undefined; findings: readonly ReviewMailFinding[] };
  /** Findings that are left out: those below the severity `floor`, and those over the cap. The subject counts both. */
  notShown: { belowFloor: number; floor: Severity; overCap: number };
  /**
   * False where anything stands against calling the review whole: a reply cut or refused, findings
   * dropped. Then nothing here says "no findings" (OUT-9).
   */
  conclusive: boolean;
  coverage: { files: readonly ReviewMailCoverage[] };
  /** Secrets that were found in the change and replaced before it was reviewed. */
  withheldSecrets: number;
  /** Plain sentences about the review itself. */
  warnings: readonly string[];
  /** `https:` or `http:` only. The one link the mail has. */
  links?: { change?: string | undefined } | undefined;
  /** True where somebody reads replies. Default false: the footer says that nobody does. */
  readsReplies?: boolean | undefined;
  /** Other words or another language; what is left out stays English. */
  labels?: Partial<ReviewMailLabels> | undefined;
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
  /** `{severity}`: exactly one finding, and it lies below the floor. */
  findingBelow: string;
  /** `{n}`, `{severity}`: all findings lie below the floor. */
  findingsBelow: string;
  /** `{n}`: findings over the cap. */
  moreNotShown: string;
  /** `{missing}`, `{partial}`, `{total}`. */
  incompleteNote: string;
  summary: string;
  findings: string;
  line: string;
  lines: string;
  wholeFile: string;
  /** Stands with every finding that nothing in the change confirms. */
  placeUnverified: string;
  /** `{severity}`: the model's own. */
  lowered: string;
  confidence: string;
  rule: string;
  suggestion: string;
  warnings: string;
  coverage: string;
  filesReviewed: string;
  filesPartial: string;
  filesSkipped: string;
  noFiles: string;
  /** `{n}`. */
  more: string;
  /** `{n}`. */
  moreFindings: string;
  shortened: string;
  /** `{n}`. */
  secrets: string;
  /** `{change}`, `{version}`. */
  footer: string;
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
  version: 'review',
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
  incompleteNote:
    'This change was not reviewed in full: of {total} files, {missing} not at all and {partial} only in part. Silence about those parts means nothing.',
  summary: 'Summary',
  findings: 'Findings',
  line: 'line',
  lines: 'lines',
  wholeFile: 'whole file',
  placeUnverified: 'place not confirmed',
  lowered: 'severity lowered from {severity}',
  confidence: 'confidence',
  rule: 'rule',
  suggestion: 'Suggestion',
  warnings: 'Warnings',
  coverage: 'Coverage',
  filesReviewed: 'Reviewed in full',
  filesPartial: 'Reviewed in part',
  filesSkipped: 'Not reviewed',
  noFiles: 'No file of this change was reviewed.',
  more: 'and {n} more, listed in the plain-text part',
  moreFindings: 'and {n} more, in the plain-text part of this mail',
  shortened: 'Some findings are shortened here. The plain-text part of this mail has all of them in full.',
  secrets: 'Secrets withheld from the reviewer: {n}. If any of them is real, change it.',
  footer:
    'Written by a language model, not by a person: it can be wrong, and it can miss things. Sent to you for {change}, review {version}.',
  noReplies: 'Nobody reads replies.',
  reasons: {
    deleted: 'deleted in this change',
    binary: 'binary file',
    symlink: 'symbolic link',
    generated: 'generated file',
    filtered: 'left out by a filter',
    oversize: 'too large',
    undecodable: 'text encoding not recognised',
    unchanged: 'no change in content',
    purged: 'content purged on the server',
    budget: 'over the size limit of one review',
    error: 'could not be read',
  },
};

/** The labels of a mail: the given ones over the English ones. */
export function labelsOf(input: ReviewMailInput): ReviewMailLabels {
  const given = Object.fromEntries(Object.entries(input.labels ?? {}).filter(([, value]) => value !== undefined));
  return { ...defaultLabels, ...given, reasons: { ...defaultLabels.reasons, ...input.labels?.reasons } };
}

/** The last sentences of a mail. */
export function footerText(input: ReviewMailInput): string {
  const labels = labelsOf(input);
  const change = `${labels.change} ${input.change.number}`;
  const footer = fill(labels.footer, { change, version: input.reviewVersion });
  return input.readsReplies === true ? footer : `${footer} ${labels.noReplies}`;
}

/** Fills `{name}` in a label. */
export function fill(label: string, values: Readonly<Record<string, string | number>>): string {
  return label.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

type Refuse = (field: string, expected: string) => never;

function checkFinding({ severity, place }: ReviewMailFinding, refuse: Refuse): void {
  if (!severities.includes(severity)) refuse('result.findings[].severity', severities.join(', '));
  if (!placeStatuses.includes(place?.status)) refuse('result.findings[].place.status', placeStatuses.join(', '));
  const hasLine = place.status === 'exact' || place.status === 'moved';
  if (hasLine && !(isCount(place.line) && place.line !== 0))
    refuse('result.findings[].place.line', 'a positive integer');
  if (!hasLine && place.line !== null)
    refuse('result.findings[].place.line', `null where the place is ${place.status}`);
  const isGrave = severities.indexOf(severity) < severities.indexOf('medium');
  if (place.status === 'unverified' && isGrave)
    refuse('result.findings[].severity', 'at most medium where the place is unverified');
}

function checkNotShown({ belowFloor, overCap, floor }: ReviewMailInput['notShown'], refuse: Refuse): void {
  if (!isCount(belowFloor)) refuse('notShown.belowFloor', 'a whole number');
  if (!isCount(overCap)) refuse('notShown.overCap', 'a whole number');
  if (!severities.includes(floor)) refuse('notShown.floor', severities.join(', '));
}

/** Throws `TypeError` naming the field whose value would make the mail say something false. */
export function checkReviewMailInput(input: ReviewMailInput): void {
  const refuse: Refuse = (field, expected) => {
    throw new TypeError(`review mail: ${field}: expected ${expected}`);
  };
  if (!isCount(input.change.number)) refuse('change.number', 'a whole number');
  if (!Number.isSafeInteger(input.reviewVersion) || input.reviewVersion < 1)
    refuse('reviewVersion', 'a positive integer');
  if (typeof input.conclusive !== 'boolean') refuse('conclusive', 'a boolean');
  if (!isCount(input.withheldSecrets)) refuse('withheldSecrets', 'a whole number');
  for (const finding of input.result.findings) checkFinding(finding, refuse);
  checkNotShown(input.notShown, refuse);
  for (const file of input.coverage.files) {
    if (!['reviewed', 'partial', 'skipped'].includes(file.state))
      refuse('coverage.files[].state', 'reviewed, partial or skipped');
  }
  const link = input.links?.change;
  if (link !== undefined && !/^https?:$/.test(URL.canParse(link) ? new URL(link).protocol : ''))
    refuse('links.change', 'an http or https URL');
}
