/** Worst first: the order in which a mail shows them. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof severities)[number];

/** One finding, as the review's schema has it. Every string is untrusted: a model wrote it from somebody's code. */
export interface ReviewMailFinding {
  id: string;
  severity: Severity;
  category: string;
  title: string;
  file: string;
  /** 1-based. */
  line: number;
  end_line?: number | undefined;
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
  /** False where anything stands against calling the review whole: a reply cut or refused, findings dropped. Then nothing here says "no findings" (OUT-9). */
  conclusive: boolean;
  coverage: { files: readonly ReviewMailCoverage[] };
  /** Secrets that were found in the change and replaced before it was reviewed. */
  withheldSecrets: number;
  /** Plain sentences about the review itself. */
  warnings: readonly string[];
  /** `https:` or `http:` only. The one link the mail has. */
  links?: { change?: string | undefined } | undefined;
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
  /** `{missing}`, `{partial}`, `{total}`. */
  incompleteNote: string;
  summary: string;
  findings: string;
  line: string;
  lines: string;
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
  /** Reasons by their word. */
  reasons: Readonly<Record<string, string>>;
}

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
  incompleteNote:
    'This change was not reviewed in full: of {total} files, {missing} not at all and {partial} only in part. Silence about those parts means nothing.',
  summary: 'Summary',
  findings: 'Findings',
  line: 'line',
  lines: 'lines',
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
    'Written by a language model, not by a person: it can be wrong, and it can miss things. Sent to you for {change}, review {version}. Nobody reads replies.',
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

/** Fills `{name}` in a label. */
export function fill(label: string, values: Readonly<Record<string, string | number>>): string {
  return label.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** Throws `TypeError` naming the field whose value would make the mail say something false. */
export function checkReviewMailInput(input: ReviewMailInput): void {
  const refuse = (field: string, expected: string): never => {
    throw new TypeError(`review mail: ${field}: expected ${expected}`);
  };
  if (!Number.isSafeInteger(input.change.number) || input.change.number < 0) refuse('change.number', 'a whole number');
  if (!Number.isSafeInteger(input.reviewVersion) || input.reviewVersion < 1) refuse('reviewVersion', 'a positive integer');
  if (typeof input.conclusive !== 'boolean') refuse('conclusive', 'a boolean');
  if (!Number.isSafeInteger(input.withheldSecrets) || input.withheldSecrets < 0) refuse('withheldSecrets', 'a whole number');
  for (const finding of input.result.findings) {
    if (!severities.includes(finding.severity)) refuse('result.findings[].severity', severities.join(', '));
  }
  for (const file of input.coverage.files) {
    if (!['reviewed', 'partial', 'skipped'].includes(file.state)) refuse('coverage.files[].state', 'reviewed, partial or skipped');
  }
  const link = input.links?.change;
  if (link !== undefined && !/^https?:$/.test(URL.canParse(link) ? new URL(link).protocol : ''))
    refuse('links.change', 'an http or https URL');
}
