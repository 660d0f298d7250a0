// Public entry `@criticizer/notify`: rendering and the outbox; needs no mail library.
export type { EnvelopeFrom } from './envelope-sender.js';
export type { DeliverDueOptions, RunMailsOptions } from './outbox/deliver-due.js';
export { createMailOutbox, type MailOutbox, type MailOutboxOptions } from './outbox/mail-outbox.js';
export type { StartMailsOptions, StopMailsOptions } from './outbox/mail-worker.js';
export type { MailStores } from './outbox/mail-writer.js';
export type { Mailbox, MailIntent, OutgoingMail } from './outbox/outgoing-mail.js';
export type { LinkedChange } from './rendering/change-link.js';
export {
  type ComposeCountsMailOptions,
  type ComposeReviewMailOptions,
  composeCountsMail,
  composeReviewMail,
  type MailFrame,
} from './rendering/compose-review-mail.js';
export { type RenderedMail, renderReviewMail } from './rendering/render-review-mail.js';
export {
  createReviewMailComposer,
  type ReviewMailComposerOptions,
} from './rendering/review-mail-composer.js';
export {
  type CountsMailInput,
  defaultLabels,
  type ReviewMailInput,
  type ReviewMailLabels,
} from './rendering/review-mail-input.js';
