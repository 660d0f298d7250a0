// Public entry `@criticizer/notify/p4-code-review`. Named exports only.

export type { ReadContentDigest } from './bind-version.js';
export type { CodeReviewChannelOptions } from './channel-options.js';
export type { CodeReviewScope } from './code-review-call.js';
export { createCodeReviewChannel } from './code-review-channel.js';
export {
  type CodeReviewClient,
  type CodeReviewClientOptions,
  type CodeReviewWrite,
  type CodeReviewWriteOptions,
  createCodeReviewClient,
  type OwnComments,
} from './code-review-client.js';
export type {
  CodeReview,
  CodeReviewListedComment,
  CodeReviewTopic,
  NewCodeReviewComment,
} from './code-review-schemas.js';
export { makeInert, makeInertCode } from './inert-text.js';
