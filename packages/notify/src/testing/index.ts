// The testing entry: stand-ins of the servers that channels post to. Imports nothing of the main entry, so that it
// starts fast.
export type {
  CodeReviewComment,
  CodeReviewContext,
  CodeReviewLine,
  CodeReviewMail,
  CodeReviewRecord,
  CodeReviewState,
  CodeReviewVersion,
} from './code-review-records.js';
export {
  type CodeReviewFault,
  type CodeReviewServer,
  type CodeReviewServerOptions,
  startCodeReviewServer,
} from './code-review-server.js';
export { type ImapFaults, type ImapServer, type ImapServerOptions, startImapServer } from './imap-server.js';
export type { SlackConversation, SlackServerMessage } from './slack-conversations.js';
export {
  type SlackFault,
  type SlackServer,
  type SlackServerOptions,
  startSlackServer,
} from './slack-server.js';
export {
  type FailedRun,
  startTeamsServer,
  type TeamsFault,
  type TeamsServer,
  type TeamsServerOptions,
} from './teams-server.js';
export {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookAnswer,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from './webhook-receiver.js';
