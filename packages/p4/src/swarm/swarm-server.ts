import { type HttpClient, httpFailure, isSuccess } from '@criticizer/core/http';
import {
  checkedElsewhere,
  type OptionShape,
  observerShape,
  raiseSecurityEvent,
  withMethods,
} from '@criticizer/core/internal';
import {
  type Clock,
  CriticizerError,
  type Logger,
  type OutboundGate,
  type SecurityEvents,
  silentLogger,
  systemClock,
} from '@criticizer/core/ports';
import type { DeclaredDestination } from '@criticizer/core/queue';
import { parseJson } from '../watch/http-endpoint.js';

/** What a test run of P4 Code Review can be told. */
export interface TestRunUpdate {
  status: 'pass' | 'fail';
  /** Shown with the test run: at most 10, of 80 characters each. */
  messages: readonly string[];
  /** Where its status leads. */
  url?: string | undefined;
}

/** The P4 Code Review server that is called back, and how. */
export interface SwarmServerOptions {
  /** `https://swarm.example.com`: the only place that is ever told of a review. No path, no user. */
  origin: string;
  /**
   * `createHttpClient` of `@criticizer/core/http`; with `allowPrivateOrigins: [origin]` where P4
   * Code Review has a private address, or is spoken to over plain `http:`. It follows no redirect and
   * connects to the addresses it has checked.
   */
  http: HttpClient;
  /**
   * `createOutboundGate` of `@criticizer/core/ports`: kill switch, content level and egress record of
   * every post.
   */
  outbound: OutboundGate;
  /** Told of every update URL that is refused, as `http.blocked`. */
  securityEvents: SecurityEvents;
  logger?: Logger | undefined;
  clock?: Clock | undefined;
}

/** Which change, and which job of it, a post is about: for the egress record. */
export interface PostedReview {
  changelistId: string;
  reviewVersion: number;
  /** Null where no job was stored. */
  jobId: string | null;
}

/** What the gate knows P4 Code Review as; the kill switch names it `code-review:swarm`. */
const destination = { kind: 'code-review', id: 'swarm' } as const;

/** One server of P4 Code Review, and what may be sent to it. */
export interface SwarmServer {
  /**
   * The URL in its one spelling. Throws `SWARM_UPDATE_REFUSED`, and raises a security event, unless
   * its origin is the configured one.
   */
  checkUpdateUrl(text: string): string;
  /** What goes there, for dry runs. */
  readonly destination: DeclaredDestination;
  /**
   * Checks the URL once more, passes the gate, which commits the egress record of exactly this body
   * (EGR-1), and posts. Throws what the gate throws (`EGRESS_KILLED` and others; nothing was sent),
   * what the client throws, what `httpFailure` makes of a status, `SWARM_UPDATE_REFUSED`,
   * `SWARM_UPDATE_FAILED`.
   */
  postUpdate(url: string, update: TestRunUpdate, about: PostedReview, signal: AbortSignal): Promise<void>;
}

const maxUrlChars = 2_048;
const maxAnswerBytes = 64 * 1_024;
const timeoutMs = 30_000;

/** The shape of what a server takes; reports take more. */
export const swarmServerShape: OptionShape<SwarmServerOptions> = {
  origin: checkedElsewhere,
  http: withMethods('exchange'),
  outbound: withMethods('check', 'highestContent', 'pass'),
  securityEvents: withMethods('emit'),
  logger: observerShape.logger,
  clock: observerShape.clock,
};

/** Throws a TypeError that names the option. */
export function createSwarmServer(options: SwarmServerOptions): SwarmServer {
  const { http, outbound, securityEvents, logger = silentLogger, clock = systemClock } = options;
  const origin = parseOrigin(options.origin, options.http);

  function checkUpdateUrl(text: string): string {
    const why = defectOf(text, origin);
    if (why === null) return new URL(text).href;
    const reason =
      'A test run named an update URL that is not on the configured server of P4 Code Review; nothing is posted there.';
    const details = { code: 'SWARM_UPDATE_REFUSED', why, origin };
    raiseSecurityEvent(securityEvents, { type: 'http.blocked', reason, details }, logger);
    throw new CriticizerError('SWARM_UPDATE_REFUSED', reason, { category: 'policy', details: { why } });
  }

  return {
    checkUpdateUrl,
    destination: {
      destination,
      host: new URL(origin).host,
      content: 'counts',
      sends: 'state of a test run, numbers of findings and files, codes and fixed words, where a test run asked',
    },
    async postUpdate(url, update, about, signal) {
      const target = checkUpdateUrl(url);
      const body = JSON.stringify(update);
      const { host } = new URL(target);
      // Numbers, codes and fixed words: `describeReviewEnd` says no more.
      await outbound.pass({
        ...about,
        destination,
        recipient: null,
        host,
        content: 'counts',
        bytes: Buffer.from(body),
        messageKey: null,
      });
      signal.throwIfAborted();
      const response = await http.exchange(
        {
          method: 'POST',
          url: target,
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body,
        },
        { signal, timeoutMs, maxResponseBytes: maxAnswerBytes },
      );
      if (!isSuccess(response.status)) throw httpFailure(response, { host, nowMs: clock.nowMs() });
      if (saysError(new TextDecoder().decode(response.body)))
        throw new CriticizerError('SWARM_UPDATE_FAILED', 'P4 Code Review did not take the result of a test run.', {
          category: 'upstream',
        });
    },
  };
}

/** Why nothing may be posted there; null where it may. */
function defectOf(text: unknown, origin: string): 'malformed' | 'user' | 'origin' | null {
  // Printable ASCII without a backslash: nothing that one reader of URLs drops or turns, and another does not.
  if (typeof text !== 'string' || text.length > maxUrlChars || !/^[!-[\]-~]+$/.test(text) || !URL.canParse(text))
    return 'malformed';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'user';
  return url.origin === origin ? null : 'origin';
}

/** The interface answers some failures with 200. */
function saysError(text: string): boolean {
  const answer = parseJson(text);
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'error' in answer &&
    answer.error !== null &&
    answer.error !== false
  );
}

function parseOrigin(text: unknown, http: HttpClient): string {
  const expected = 'origin: expected the address of P4 Code Review alone, such as https://swarm.example.com';
  if (typeof text !== 'string' || !URL.canParse(text)) throw new TypeError(expected);
  const url = new URL(text);
  if (url.origin !== text.replace(/\/$/, '').toLowerCase()) throw new TypeError(expected);
  if (url.protocol === 'https:') return url.origin;
  if (url.protocol === 'http:' && http.isPrivateOriginAllowed?.(url.origin) === true) return url.origin;
  throw new TypeError(`${expected}; http only for an origin in allowPrivateOrigins of http`);
}
