/** What the model may say of an earlier finding. */
export const FOLLOW_UP_ANSWERS = ['resolved', 'still_open', 'not_verifiable'] as const;
/** One of `FOLLOW_UP_ANSWERS`. */
export type FollowUpAnswer = (typeof FOLLOW_UP_ANSWERS)[number];

/** A valid answer to the question what became of an earlier finding; the reason is redacted. */
export interface AnsweredFinding {
  answer: FollowUpAnswer;
  reason: string;
}
