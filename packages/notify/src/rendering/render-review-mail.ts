import { checkReviewMailInput } from './check-mail-input.js';
import { renderHtml } from './render-html.js';
import { renderText } from './render-text.js';
import type { ReviewMailInput } from './review-mail-input.js';
import { subjectOf } from './review-verdict.js';

/** The three texts of a mail. */
export interface RenderedMail {
  subject: string;
  /** Every finding in full. */
  text: string;
  /** Below 100 kB: mail clients clip what is larger. */
  html: string;
}

/**
 * Renders a review as a mail. Pure: the same input gives the same bytes in every process, time zone
 * and locale (NOT-5). All text of change and model is escaped, made visible where it hides or
 * reorders, and never turned into a link. Says `no findings` only where every file was reviewed in
 * full. Throws `TypeError` for an input that would make the mail say something false.
 */
export function renderReviewMail(input: ReviewMailInput): RenderedMail {
  checkReviewMailInput(input);
  return { subject: subjectOf(input), text: renderText(input), html: renderHtml(input) };
}
