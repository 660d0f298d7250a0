import { Agent, type Dispatcher } from 'undici';
import { checkFields, checkOptions, type OptionShape } from '../foundation/check-options.js';
import { CriticizerError, isCriticizerError } from '../foundation/errors.js';
import {
  checkAbortSignal,
  checkArray,
  checkedElsewhere,
  checkFunction,
  checkName,
  checkObject,
  observerShape,
  oneOf,
  optional,
} from '../foundation/option-checks.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import type { HttpClient, HttpExchangeOptions, HttpRequest, HttpResponse } from './http-client.js';
import { abortedBy, mapHttpError, timedOut, tooLarge } from './map-http-error.js';
import { decodeCapped, readCapped } from './read-body.js';
import {
  checkTarget,
  createGuardedLookup,
  parsePrivateOrigins,
  type ResolveHost,
  resolveBySystem,
} from './target-guard.js';

/** Limits and permissions of a client. Times are in milliseconds, sizes in bytes. */
export interface HttpClientOptions {
  /** Until the socket is secured, name resolution included. Default 10,000. */
  connectTimeoutMs?: number | undefined;
  /**
   * Until the answer's headers are there. A model that does not stream thinks before them. Default:
   * no limit but the total.
   */
  headersTimeoutMs?: number | undefined;
  /** Between two pieces of the body. Default 30,000. */
  bodyTimeoutMs?: number | undefined;
  /** For an exchange that names none. Default 300,000. */
  totalTimeoutMs?: number | undefined;
  /** Default 8 MiB, decoded. */
  maxResponseBytes?: number | undefined;
  /** Default 16 per origin. */
  maxConnections?: number | undefined;
  /**
   * Origins that may resolve to private or loopback addresses, and may be plain `http:`: the host's
   * own gateways. Cloud metadata and link-local addresses stay refused. Default none.
   */
  allowPrivateOrigins?: readonly string[] | undefined;
  /**
   * PEM certificates to trust instead of the built-in list, for a house with its own authority.
   * Verification itself cannot be turned off.
   */
  trustedCertificates?: readonly string[] | undefined;
  /** Default: the system resolver. */
  resolveHost?: ResolveHost | undefined;
  /** Told of every `HTTP_BLOCKED` and `NETWORK_TLS`. */
  securityEvents?: SecurityEvents | undefined;
  logger?: Logger | undefined;
}

const optionShape: OptionShape<HttpClientOptions> = {
  connectTimeoutMs: checkedElsewhere,
  headersTimeoutMs: checkedElsewhere,
  bodyTimeoutMs: checkedElsewhere,
  totalTimeoutMs: checkedElsewhere,
  maxResponseBytes: checkedElsewhere,
  maxConnections: checkedElsewhere,
  allowPrivateOrigins: optional(checkArray),
  trustedCertificates: optional(checkArray),
  resolveHost: optional(checkFunction),
  securityEvents: observerShape.securityEvents,
  logger: observerShape.logger,
};
const requestShape: OptionShape<HttpRequest> = {
  method: oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
  url: checkName,
  headers: optional(checkObject),
  body: checkedElsewhere,
};
const exchangeShape: OptionShape<HttpExchangeOptions> = {
  signal: optional(checkAbortSignal),
  timeoutMs: checkedElsewhere,
  maxResponseBytes: checkedElsewhere,
};

const longestTimeoutMs = 2 ** 31 - 1;
const ownHeaders: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'accept-encoding',
  'expect',
  'upgrade',
]);

function positive(name: string, value: number | undefined, standard: number, atMost = longestTimeoutMs): number {
  const chosen = value ?? standard;
  if (!Number.isSafeInteger(chosen) || chosen < 1 || chosen > atMost)
    throw new TypeError(`createHttpClient: ${name} expects a whole number from 1 to ${atMost}`);
  return chosen;
}

function wireHeaders(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const entries = Object.entries(headers ?? {}).map(([name, value]): [string, string] => {
    const lower = name.toLowerCase();
    if (ownHeaders.has(lower)) throw new TypeError(`exchange: the header ${lower} is set by the client`);
    return [lower, value];
  });
  return Object.fromEntries([...entries, ['accept-encoding', 'identity']]);
}

function plainHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** One abort for two causes; `release` forgets both. */
function deadline(signal: AbortSignal | undefined, timeoutMs: number, host: string) {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal === undefined ? undefined : abortedBy(signal, host));
  const timer = setTimeout(() => controller.abort(timedOut('total', host)), timeoutMs);
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    release(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

// long: the steps of an exchange, each short, over one agent and its limits
/**
 * The one HTTP client of the house, on undici. TLS is always verified; names are resolved once per
 * connection, every address is checked and the socket is pinned to what was checked (SSRF, DNS
 * rebinding). Reads no environment, so no proxy variable changes where bytes go. Throws `TypeError`
 * for options out of range.
 */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  checkOptions('createHttpClient', options, optionShape);
  const connectTimeoutMs = positive('connectTimeoutMs', options.connectTimeoutMs, 10_000);
  const headersTimeoutMs = positive('headersTimeoutMs', options.headersTimeoutMs, longestTimeoutMs);
  const bodyTimeoutMs = positive('bodyTimeoutMs', options.bodyTimeoutMs, 30_000);
  const totalTimeoutMs = positive('totalTimeoutMs', options.totalTimeoutMs, 300_000);
  const standardMaxBytes = positive('maxResponseBytes', options.maxResponseBytes, 8 * 1_024 * 1_024);
  const connections = positive('maxConnections', options.maxConnections, 16, 10_000);
  const privateOrigins = parsePrivateOrigins(options.allowPrivateOrigins ?? []);
  const logger = options.logger ?? silentLogger;
  const agents = new Map<boolean, Agent>();
  let closed = false;

  const agentFor = (privateAllowed: boolean): Agent => {
    const found = agents.get(privateAllowed);
    if (found !== undefined) return found;
    const lookup = createGuardedLookup(options.resolveHost ?? resolveBySystem, privateAllowed);
    const ca = options.trustedCertificates === undefined ? {} : { ca: [...options.trustedCertificates] };
    const made = new Agent({
      connections,
      pipelining: 1,
      connect: { timeout: connectTimeoutMs, lookup, rejectUnauthorized: true, ...ca },
    });
    agents.set(privateAllowed, made);
    return made;
  };

  const report = (error: CriticizerError): CriticizerError => {
    if (error.code === 'HTTP_BLOCKED' || error.code === 'NETWORK_TLS')
      raiseSecurityEvent(
        options.securityEvents,
        {
          type: 'http.blocked',
          reason: 'an outgoing HTTP request was refused',
          details: { code: error.code, ...error.details },
        },
        logger,
      );
    return error;
  };

  const run = async (
    url: URL,
    agent: Agent,
    request: HttpRequest,
    signal: AbortSignal,
    maxBytes: number,
  ): Promise<HttpResponse> => {
    const wire: Dispatcher.RequestOptions = {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: wireHeaders(request.headers),
      body: request.body ?? null,
      headersTimeout: headersTimeoutMs,
      bodyTimeout: bodyTimeoutMs,
      signal,
    };
    const answer = await agent.request(wire);
    // Destroying a body that is still arriving makes it emit an error nobody waits for.
    answer.body.on('error', () => undefined);
    const headers = plainHeaders(answer.headers);
    if (request.method !== 'HEAD' && Number(headers['content-length'] ?? 0) > maxBytes) {
      answer.body.destroy();
      throw tooLarge(url.host, maxBytes);
    }
    const raw = await readCapped(answer.body, url.host, maxBytes);
    return {
      status: answer.statusCode,
      headers,
      body: await decodeCapped(raw, headers['content-encoding'], url.host, maxBytes),
    };
  };

  return {
    async exchange(request: HttpRequest, exchange: HttpExchangeOptions = {}): Promise<HttpResponse> {
      checkFields('exchange: request', request, requestShape);
      checkFields('exchange: options', exchange, exchangeShape);
      const timeoutMs = positive('timeoutMs', exchange.timeoutMs, totalTimeoutMs);
      const maxBytes = positive('maxResponseBytes', exchange.maxResponseBytes, standardMaxBytes);
      let host = '';
      try {
        const { url, privateAllowed } = checkTarget(request.url, privateOrigins);
        host = url.host;
        if (closed)
          throw new CriticizerError('ABORTED', 'the HTTP client is closed', {
            category: 'conflict',
            details: { host },
          });
        const limit = deadline(exchange.signal, timeoutMs, host);
        try {
          if (limit.signal.aborted) throw limit.signal.reason;
          return await run(url, agentFor(privateAllowed), request, limit.signal, maxBytes);
        } catch (error) {
          throw limit.signal.aborted && isCriticizerError(limit.signal.reason) ? limit.signal.reason : error;
        } finally {
          limit.release();
        }
      } catch (error) {
        throw error instanceof TypeError ? error : report(mapHttpError(error, host));
      }
    },
    isPrivateOriginAllowed: (origin) => URL.canParse(origin) && privateOrigins.has(new URL(origin).origin),
    async close() {
      closed = true;
      await Promise.all([...agents.values()].map((agent) => agent.close()));
      agents.clear();
    },
  };
}
