import {
  checkedElsewhere,
  checkFields,
  createUrlTemplate,
  type OptionCheck,
  type OptionShape,
} from '@criticizer/core/internal';
import type { LinkedChange } from '../rendering/review-mail-composer.js';
import { defaultLabels, type ReviewMailLabels } from '../rendering/review-mail-input.js';
import type { CharCost } from './fit.js';

/** What a message says beside the review. */
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

const labelsShape: OptionShape<object> = Object.fromEntries(
  Object.keys(defaultLabels).map((label) => [label, checkedElsewhere]),
);

/** The check of the option `labels`. */
export const checkLabels: OptionCheck = (option, value) => checkFields(option, value, labelsShape);

/** The link to a change by a template, a function of the host, or none. Throws `TypeError` for a wrong template. */
export function readChangeUrl(
  changeUrl: string | ((change: LinkedChange) => string | undefined) | undefined,
): ChatFrame['changeUrl'] {
  if (typeof changeUrl !== 'string') return changeUrl;
  const link = createUrlTemplate('changeUrl', changeUrl, { names: ['change', 'server'], required: 'change' });
  return ({ number, serverId }) => link({ change: number, server: serverId });
}
