import { checkSinkSecret, httpSinkShape, type SinkSecret } from '../audit/sinks/sink-options.js';
import type { OptionCheck } from '../foundation/check-options.js';
import { checkName, optional } from '../foundation/option-checks.js';
import type { Clock } from '../foundation/time/clock.js';
import type { HttpClient } from '../http/http-client.js';

/** Where a credential comes from: read before every use, so that a rotation needs no restart (SEC-5). */
export type PagerSecret = SinkSecret;

/** What every pager over HTTP needs. */
export interface HttpPagerOptions {
  /** 1 to 64 letters, digits, `_` and `-`. */
  id: string;
  /** Of `createHttpClient`: it reaches public hosts, and the private origins that it was given. */
  http: HttpClient;
  /** Names this installation in the pager: `criticizer-prod`. Default `criticizer`. */
  source?: string | undefined;
  clock?: Pick<Clock, 'nowMs'> | undefined;
}

export const checkPagerSecret: OptionCheck = checkSinkSecret;

const { id, http, clock, url } = httpSinkShape;
export const checkPagerId: OptionCheck = id;
export const checkPagerUrl: OptionCheck = url;

/** The checks of `HttpPagerOptions`. */
export const httpPagerShape = { id, http, clock, source: optional(checkName) } as const;
