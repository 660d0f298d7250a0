import type { ChangeSummary } from '../../changes/change.js';
import type { ContentLevel } from '../../foundation/outbound.js';
import type { FrozenMail } from '../../outbox/senders/mailer.js';
import type { CodeExcerpt } from '../../review/code-excerpt.js';
import type { FindingPlace } from '../../review/merge/place-findings.js';
import type { Confidence, Severity } from '../../review/review-result.js';
import type { Recipient } from '../recipients/recipient-resolver.js';

/** One finding with its resolved place. Every string is untrusted: a model wrote it from somebody's code. */
export interface ReviewMailFinding {
  id: string;
  /** `redaction`: a credential that was withheld from the model (GRD-7). Left out: `model`. */
  origin?: 'model' | 'redaction' | undefined;
  /** Effective; at most `medium` where the place is unverified (GRD-2). */
  severity: Severity;
  category: string;
  title: string;
  /** Null: about the description, the user or a job of the change, and in no file. */
  file: string | null;
  /** `line: null`: about the file as a whole, and always so where the place is unverified. */
  place: FindingPlace;
  /**
   * Redacted code round the place. Only in a mail that may hold `code`; a mail that shows it declares
   * that content (ruling R21). Left out: none.
   */
  excerpt?: CodeExcerpt | undefined;
  /** The model's own severity; a mail says it where the effective one is lower. */
  model?: { severity: Severity } | undefined;
  message: string;
  suggestion?: string | undefined;
  confidence?: Confidence | undefined;
  rule_id?: string | undefined;
  /** `open`: the version before reported it too. Left out, as is `since`: there is no version to compare with. */
  state?: 'new' | 'open' | undefined;
  /** The review version that reported it first; null: not known. */
  since?: number | null | undefined;
  /** Where this recipient, and whoever has the mail, hides the finding (GRD-8). Left out: nowhere. */
  hideUrl?: string | undefined;
}

/** How many findings became what since the version that a review was compared with. */
export interface SinceVersion {
  reviewVersion: number;
  /** Findings of this review that are new, and those that were there already. */
  new: number;
  reportedAgain: number;
  /** Those of the earlier version that were not reported again, by what became of them. */
  open: number;
  resolved: number;
  notVerifiable: number;
  /** Files that are as an earlier review read them, and were not read again, of how many. Left out: none. */
  filesAsBefore?: { count: number; of: number } | undefined;
}

/** A finding of an earlier version that was not reported again; texts are untrusted. */
export interface EarlierMailFinding {
  /** The same in every version of the change. */
  id: string;
  state: 'open' | 'resolved' | 'not_verifiable';
  severity: Severity;
  title: string;
  /** Null: about the change itself. */
  file: string | null;
  /** Where it is now; null: the file as a whole, or not found. */
  line: number | null;
  /** The model's, redacted. Left out: none. */
  reason?: string | undefined;
}

/** What became of one file of the change. */
export interface ReviewMailCoverage {
  path: string;
  state: 'reviewed' | 'partial' | 'skipped';
  /** A known word (`binary`, `oversize`, `budget`, …) is put into a sentence, anything else is shown as it is. */
  reason?: string | undefined;
}

/**
 * What a mail says of a review. Everything in it is redacted but depot paths, which recipients see
 * as they are (ruling R15); everything that came from the change or the model is untrusted
 * markup-wise.
 */
export interface ReviewMailContent {
  change: Pick<ChangeSummary, 'serverId' | 'number' | 'changelistId' | 'user' | 'description' | 'kind'>;
  /** A positive integer. */
  reviewVersion: number;
  /**
   * Show a finding at its `place`, or as about the whole file where `place.line` is null, and say
   * so where `place.status` is `unverified`. `model` is what the model claimed: never shown as a
   * place (GRD-2).
   */
  result: { summary?: string | undefined; findings: readonly ReviewMailFinding[] };
  /**
   * Findings that the settings keep out of `result.findings` (INT-3). With any of them nothing may
   * say "no findings".
   */
  notShown: {
    /** Those below `floor`, or below what a rule of `review.rules` has in its place. */
    belowFloor: number;
    /** What all of them are below. */
    floor: Severity;
    /** Those beyond `review.maxFindings`. */
    overCap: number;
  };
  /**
   * Findings that the check pass dropped, and those that it was to check and did not; left out: none
   * of either. With any dropped nothing may say "no findings" (GRD-5).
   */
  check?: { dropped: number; notChecked: number } | undefined;
  /**
   * Findings that suppressions hide, at least 1; left out: none. With any nothing may say "no
   * findings"; `warnings` say who hid them, why and until when (GRD-8).
   */
  suppressed?: number | undefined;
  /**
   * What became of the findings of an earlier version since (GRD-6); left out: there is none to
   * compare with. A mail says it first. With any `open` or `notVerifiable` nothing may say "no
   * findings".
   */
  sinceVersion?: (SinceVersion & { notReported: readonly EarlierMailFinding[] }) | undefined;
  /** Findings to show in full, the first ones; the others by title and place. Left out: all. */
  fullFindings?: number | undefined;
  /** False where anything stands against calling the review whole; nothing may then say "no findings" (OUT-9). */
  conclusive: boolean;
  /** True where no model read any of the change: what is reported comes from redaction. Left out: one did. */
  isWithoutModel?: true | undefined;
  /** Every changed file in exactly one state; the mail says plainly what was not reviewed. */
  coverage: { files: readonly ReviewMailCoverage[] };
  /** Secrets replaced before the model saw the change. */
  withheldSecrets: number;
  /**
   * The places of those that no finding shown is about, and by which rule each was found, at most 200;
   * `path: null` is the description, the user or a job, `line: null` no line of the new side. Never a
   * value. Left out: not known.
   */
  secrets?: readonly { path: string | null; line: number | null; rule: string }[] | undefined;
  /** Plain sentences of core: findings hidden by the settings, files that may be hidden, a reply cut short. */
  warnings: readonly string[];
}

/**
 * What a mail says of a review where findings may not go: numbers, fixed words and the change's
 * number. No path, no text of the change or the model, no user. The composer is given no more, so
 * it cannot say more.
 */
export interface ReviewMailCounts {
  change: Pick<ReviewMailContent['change'], 'serverId' | 'number' | 'changelistId' | 'kind'>;
  /** A positive integer. */
  reviewVersion: number;
  /** Findings above the floor, by effective severity. */
  findings: Readonly<Record<Severity, number>>;
  /** Findings below `floor`. With any of them nothing may say "no findings". */
  belowFloor: number;
  floor: Severity;
  /** As in `ReviewMailContent`. */
  check?: ReviewMailContent['check'];
  /** As in `ReviewMailContent`; a mail of counts says no more of them. */
  suppressed?: ReviewMailContent['suppressed'];
  /** As in `ReviewMailContent`, in numbers. */
  sinceVersion?: SinceVersion | undefined;
  conclusive: ReviewMailContent['conclusive'];
  /** As in `ReviewMailContent`. */
  isWithoutModel?: ReviewMailContent['isWithoutModel'];
  /** Files of the change; `skipped` are those that had something to review and were not reviewed at all. */
  files: { reviewed: number; partial: number; skipped: number; total: number };
  withheldSecrets: number;
}

/** What the mails of an earlier version of the change began. */
export interface MailThread {
  subject: string;
  /** What that mail holds of its review. */
  content?: ContentLevel | undefined;
}

/** To whom a mail goes, under which key, and the date that it is frozen with. */
export interface MailEnvelope {
  recipient: Recipient;
  key: string;
  date: Date;
  /**
   * Left out: the change has no earlier mail that could be read. A composer keeps its subject where
   * `content` is that of its own mail: readers put mails with another subject into another thread.
   */
  thread?: MailThread | undefined;
  /**
   * Where this recipient stops these mails; a POST acts at once (RFC 8058). Left out: there is no such
   * link.
   */
  unsubscribeUrl?: string | undefined;
}

/**
 * Turns a review into the one frozen mail of a recipient. Pure: the same arguments give the same
 * mail. A mail declares its `content`: `code` where a finding has an excerpt, else at most `findings`, or
 * `counts`. The subject is the change's,
 * never the verdict's: it is the same for every version.
 */
export interface MailComposer {
  compose(content: ReviewMailContent, envelope: MailEnvelope): FrozenMail;
  /** For a recipient that the policy of content levels gives no findings (ruling R21). */
  composeCounts(counts: ReviewMailCounts, envelope: MailEnvelope): FrozenMail;
}
