import type { HttpClient } from '@criticizer/core/http';
import {
  checkBoolean,
  checkedElsewhere,
  checkName,
  checkWhole,
  nested,
  type OptionCheck,
  type OptionShape,
  optional,
  partWith,
  withMethods,
} from '@criticizer/core/internal';
import type { Clock } from '@criticizer/core/ports';
import { checkChannelId } from '../option-shapes.js';
import { checkLabels } from '../rendering/check-labels.js';
import type { LinkedChange } from '../rendering/review-mail-composer.js';
import type { ReviewMailLabels } from '../rendering/review-mail-input.js';
import type { ChatSecret } from './post-answer.js';

/** What every channel to a chat takes. */
export interface ChatFrameOptions {
  /** Kept in every row that it delivers: `slack` or `teams` where left out. */
  id?: string | undefined;
  /** `createHttpClient` of `@criticizer/core/http`. */
  http: HttpClient;
  /**
   * The link to a change: a template such as `https://swarm.example.com/changes/{change}`, in which
   * `{server}` may occur too, or a function of the change alone. Default: no link.
   */
  changeUrl?: string | ((change: LinkedChange) => string | undefined) | undefined;
  /** Other words or another language; what is left out stays English. */
  labels?: Partial<ReviewMailLabels> | undefined;
  /** True: a review ends only when its posts are taken (NOT-10). Default true. */
  required?: boolean | undefined;
  /** For one request, in milliseconds: 100 to 600,000. Default 30,000. */
  requestTimeoutMs?: number | undefined;
  /** `sleep` is used by checks alone. Default: the system's. */
  clock?: (Pick<Clock, 'nowMs'> & Partial<Pick<Clock, 'sleep'>>) | undefined;
}

export const checkSecret: OptionCheck = nested<ChatSecret>({ source: partWith('read'), name: checkName });

export const ms =
  (min: number, max: number): OptionCheck =>
  (option, value) =>
    checkWhole(option, value, min, max);

/** The name of a webhook in rows. */
export const checkTarget: OptionCheck = checkChannelId;

export const chatFrameShape: OptionShape<ChatFrameOptions> = {
  id: optional(checkChannelId),
  http: withMethods('exchange'),
  changeUrl: checkedElsewhere,
  labels: optional(checkLabels),
  required: optional(checkBoolean),
  requestTimeoutMs: optional(ms(100, 600_000)),
  clock: optional(withMethods('nowMs')),
};
