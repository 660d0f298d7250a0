import type { HttpClient } from '@criticizer/core/http';
import {
  checkBoolean,
  checkedElsewhere,
  checkName,
  checkWhole,
  nested,
  type OptionCheck,
  type OptionShape,
  observerShape,
  optional,
  partWith,
  withMethods,
} from '@criticizer/core/internal';
import type { Clock, Logger } from '@criticizer/core/ports';
import { checkChannelId } from '../option-shapes.js';
import type { ChangeUrl } from '../rendering/change-link.js';
import { checkLabels } from '../rendering/check-labels.js';
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
   * `{server}` may occur too, or a function of the change alone: where that throws, or gives no http or https URL,
   * posts have no link, and `logger` gets one event. Default: no link.
   */
  changeUrl?: ChangeUrl;
  /** Gets `link.change_url_failed`. Default: nothing is logged. */
  logger?: Logger | undefined;
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
  logger: observerShape.logger,
  labels: optional(checkLabels),
  required: optional(checkBoolean),
  requestTimeoutMs: optional(ms(100, 600_000)),
  clock: optional(withMethods('nowMs')),
};
