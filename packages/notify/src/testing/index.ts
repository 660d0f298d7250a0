// The testing entry: a stand-in of P4 Code Review. Imports nothing of the main entry, so that it starts fast.
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
