// Public entry `@criticizer/notify`: rendering and the outbox; needs no mail library.
export { type ComposeReviewMailOptions, composeReviewMail } from './compose-review-mail.js';
export type { DeliverDueOptions } from './deliver-due.js';
export {
  createMailOutbox,
  type MailIntent,
  type MailOutbox,
  type MailOutboxOptions,
  type OutgoingMail,
} from './mail-outbox.js';
export { type RenderedMail, renderReviewMail } from './render-review-mail.js';
export { createReviewMailComposer, type ReviewMailComposerOptions } from './review-mail-composer.js';
export {
  defaultLabels,
  type ReviewMailCoverage,
  type ReviewMailFinding,
  type ReviewMailInput,
  type ReviewMailLabels,
  type Severity,
} from './review-mail-input.js';
