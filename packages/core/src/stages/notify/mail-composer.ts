import type { ChangeSummary } from '../../changes/change.js';
import type { FrozenMail } from '../../outbox/mailer.js';
import type { PlacedFinding } from '../../review/merge/place-findings.js';
import type { Severity } from '../../review/review-result.js';
import type { Recipient } from '../recipients/recipient-resolver.js';

/**
 * What a mail says of a review. Everything in it is redacted but depot paths, which recipients see
 * as they are (ruling R15); everything that came from the change or the model is untrusted
 * markup-wise.
 */
export interface ReviewMailContent {
  change: Pick<ChangeSummary, 'serverId' | 'number' | 'changelistId' | 'user' | 'description' | 'kind'>;
  reviewVersion: number;
  /**
   * Show a finding at its `place`, or as about the whole file where `place.line` is null, and say
   * so where `place.status` is `unverified`. `model` is what the model claimed: never shown as a
   * place (GRD-2).
   */
  result: { summary?: string | undefined; findings: readonly PlacedFinding[] };
  /**
   * Findings that the settings keep out of `result.findings` (INT-3). With any of them nothing may
   * say "no findings".
   */
  notShown: {
    /** Those below `floor`. */
    belowFloor: number;
    floor: Severity;
    /** Those beyond `review.maxFindings`. */
    overCap: number;
  };
  /** False where anything stands against calling the review whole; nothing may then say "no findings" (OUT-9). */
  conclusive: boolean;
  /** Every changed file in exactly one state; the mail says plainly what was not reviewed. */
  coverage: {
    files: readonly { path: string; state: 'reviewed' | 'partial' | 'skipped'; reason?: string | undefined }[];
  };
  /** Secrets replaced before the model saw the change. */
  withheldSecrets: number;
  /** Plain sentences of core: findings hidden by the settings, files that may be hidden, a reply cut short. */
  warnings: readonly string[];
}

/** Turns a review into the one frozen mail of a recipient. Pure: the same arguments give the same mail. */
export interface MailComposer {
  compose(content: ReviewMailContent, envelope: { recipient: Recipient; key: string; date: Date }): FrozenMail;
}
