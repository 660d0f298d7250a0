// Public entry `@criticizer/notify`: rendering and the outbox; needs no mail library.
export type { EnvelopeFrom } from './envelope-sender.js';
export type { DeliverDueOptions, RunMailsOptions } from './outbox/deliver-due.js';
export {
  createMailOutbox,
  type MailIntent,
  type MailOutbox,
  type MailOutboxOptions,
  type OutgoingMail,
} from './outbox/mail-outbox.js';
export { type ComposeReviewMailOptions, composeReviewMail } from './rendering/compose-review-mail.js';
export { type RenderedMail, renderReviewMail } from './rendering/render-review-mail.js';
export { createReviewMailComposer, type ReviewMailComposerOptions } from './rendering/review-mail-composer.js';
export { defaultLabels, type ReviewMailInput, type ReviewMailLabels } from './rendering/review-mail-input.js';
