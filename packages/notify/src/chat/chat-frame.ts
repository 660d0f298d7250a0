import type { LinkedChange } from '../rendering/change-link.js';
import type { ReviewMailLabels } from '../rendering/review-mail-input.js';
import type { CharCost } from './fit.js';

/** What a message says in addition to the review. */
export interface ChatFrame {
  /** The place that it goes to, for the links that hide findings. */
  target: string;
  /** Other words or another language; what is left out stays English. */
  labels?: Partial<ReviewMailLabels> | undefined;
  /** Where a reader opens the change: http or https; undefined: no link. */
  changeUrl?: ((change: LinkedChange) => string | undefined) | undefined;
}

/** What a chat counts its limits in. Default: one for each UTF-16 unit. */
export interface CountedFrame extends ChatFrame {
  costOf?: CharCost | undefined;
}
