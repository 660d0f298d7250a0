// Public entry `@criticizer/core/formats`: a finished review as a text that other tools read.

export {
  type FormatReviewOptions,
  formatReview,
  isDepotFolder,
  type ReviewFormat,
  reviewFormats,
} from '../formats/format-review.js';
export { describeSinceVersion } from '../formats/since-version.js';
export type { CodeExcerpt } from '../review/code-excerpt.js';
export type { StoredReview } from '../stages/llm/stored-review.js';
