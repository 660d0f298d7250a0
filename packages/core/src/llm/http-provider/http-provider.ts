import { CriticizerError } from '../../foundation/errors.js';
import { isSuccess } from '../../foundation/failures/http-failure.js';
import type { JsonObject } from '../../foundation/json.js';
import { isRedactedText, readRedactedText } from '../../foundation/redacted-text.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import type { HttpResponse } from '../../http/http-client.js';
import { checkTurns } from '../check-turns.js';
import { joinExtraBody, type ProtocolFields, readExtraBody } from '../extra-body.js';
import type { LlmProvider, LlmReply, LlmRequest, PreparedLlmRequest, StructuredMode } from '../llm-provider.js';
import { type AuthorizedExchange, credentialDenied, isUnauthorized } from './keyed-exchange.js';
import type { HttpProviderOptions } from './provider-options.js';

/** A turn whose text may leave: it was redacted. */
export interface PlainTurn {
  role: 'user' | 'assistant';
  text: string;
}

/** Where and when an answer was read. */
export interface AnswerContext {
  host: string;
  /** For delays that a server names as a date. */
  nowMs: number;
}

/** A vendor's wire format at one endpoint: what a request says, and what an answer means. Pure. */
export interface LlmProtocol {
  /** The one URL that requests go to. */
  url: string;
  /** Beside `content-type` and `accept`; no credential. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** What `buildBody` may set, or leaves out on purpose; `extraBody` may have none of it. */
  bodyFields: ProtocolFields;
  /** The same bytes for the same input; what never changes stands first, for the vendor's prompt cache. */
  buildBody(request: LlmRequest, turns: readonly PlainTurn[]): JsonObject;
  /** Reads a 2xx. Throws `LLM_REPLY_UNREADABLE` (upstream) for what is not the vendor's format at all. */
  readReply(response: HttpResponse, context: AnswerContext): LlmReply;
  /** Whether the answer denies the credential. Default: its status is 401. */
  isDenied?: ((response: HttpResponse) => boolean) | undefined;
  /** Reads any other status: a reply with a stop state, or a thrown `CriticizerError`. */
  readFailure(response: HttpResponse, context: AnswerContext): LlmReply;
}

/** A protocol, and how its endpoint is reached. */
export interface HttpProviderParts {
  /** Name of the factory, for messages about its options. */
  maker: string;
  protocol: LlmProtocol;
  modes: readonly StructuredMode[];
  exchange: AuthorizedExchange;
  /** Whether a credential is sent, so that a denied one parks: its source is a refresh path (INT-4). */
  hasCredential: boolean;
}

/** What the factories of protocols give: they need nothing to prepare a request, so they prepare at once. */
export interface HttpLlmProvider extends LlmProvider {
  prepare(request: LlmRequest): PreparedLlmRequest;
}

const schemaName = /^[A-Za-z0-9_-]{1,64}$/;

/** The texts of the turns. Throws `EGRESS_BLOCKED` for one that was not redacted (ART-6). */
function readTurns({ turns }: LlmRequest): readonly PlainTurn[] {
  checkTurns('prepare: turns', turns);
  if (!turns.every((turn) => isRedactedText(turn.text)))
    throw new CriticizerError('EGRESS_BLOCKED', 'the text for the model was not redacted', {
      category: 'policy',
      details: { reasons: ['not_redacted'] },
    });
  return turns.map(({ role, text }) => ({ role, text: readRedactedText(text).text }));
}

/**
 * Checks a request against what a provider can do, and gives its turns as plain text. Throws
 * `TypeError` for a mode that it has not, for `maxOutputTokens` beyond its limit and for a bad
 * schema name; `EGRESS_BLOCKED` for a turn that was not redacted (ART-6).
 */
export function readLlmRequest(
  request: LlmRequest,
  { modes, limits }: Pick<LlmProvider, 'modes' | 'limits'>,
): readonly PlainTurn[] {
  if (!modes.includes(request.mode)) throw new TypeError(`prepare: mode expects one of ${modes.join(', ')}`);
  const most = limits.maxOutputTokens;
  const { maxOutputTokens } = request;
  if (!Number.isSafeInteger(maxOutputTokens) || maxOutputTokens < 1 || maxOutputTokens > most)
    throw new TypeError(`prepare: maxOutputTokens expects a whole number from 1 to ${most}`);
  const turns = readTurns(request);
  if (!schemaName.test(request.schemaName))
    throw new TypeError('prepare: schemaName expects 1 to 64 letters, digits, underscores or dashes');
  return turns;
}

/** The system text with the schema in words, for modes in which the vendor enforces none. */
export function stateSchema({ system, schema }: LlmRequest): string {
  const rule = 'Reply with one JSON object, and nothing else, that conforms to this JSON Schema:';
  return `${system}\n\n${rule}\n${JSON.stringify(schema)}`;
}

/**
 * A provider that speaks one protocol over the given exchange. A denied credential is
 * `AUTH_DENIED` with `parks`, as its source is a refresh path (INT-4, ruling R13).
 */
export function createHttpProvider(
  options: HttpProviderOptions,
  { maker, protocol, modes, exchange, hasCredential }: HttpProviderParts,
): HttpLlmProvider {
  const extraBody = readExtraBody(`${maker}: extraBody`, options.extraBody ?? {}, protocol.bodyFields);
  const clock = options.clock ?? systemClock;
  const { host } = new URL(protocol.url);
  return {
    contract: 1,
    id: options.id,
    model: options.model,
    host,
    limits: { ...options.limits },
    modes,
    extraBody,
    prepare(request) {
      const turns = readLlmRequest(request, { modes, limits: options.limits });
      return {
        method: 'POST',
        url: protocol.url,
        headers: { 'content-type': 'application/json', accept: 'application/json', ...protocol.headers },
        body: JSON.stringify(joinExtraBody(protocol.buildBody(request, turns), extraBody)),
        model: options.model,
      };
    },
    async send(prepared, callOptions) {
      // A prepared request of another provider must not carry this one's key elsewhere.
      if (prepared.url !== protocol.url) throw new TypeError('send: expected a request prepared by this provider');
      const response = await exchange(prepared, callOptions);
      const context = { host, nowMs: clock.nowMs() };
      if (isSuccess(response.status)) return protocol.readReply(response, context);
      if (hasCredential && (protocol.isDenied ?? isUnauthorized)(response)) throw credentialDenied(response, host);
      return protocol.readFailure(response, context);
    },
  };
}
