import type { JsonObject } from '../foundation/json.js';
import type { RedactedText } from '../foundation/redacted-text.js';

/** How a reply ended; anything unknown is `provider_error`. Only `complete` may be read as a whole review. */
export type StopState =
  | 'complete'
  | 'truncated_output'
  | 'context_overflow'
  | 'refused'
  | 'content_filtered'
  | 'empty'
  | 'provider_error';

/** How strictly the provider can be made to follow a schema; strongest first in a provider's list. */
export type StructuredMode = 'json_schema' | 'tool' | 'json_object' | 'prompt';

/** One turn of the conversation. */
export interface LlmTurn {
  /** `assistant` for text that the model wrote earlier. */
  role: 'user' | 'assistant';
  /** Redacted text only (ART-6): minted by `redactForLlm`, checked when the request is prepared. */
  text: RedactedText;
}

/** One request to a model: redacted texts and the schema that its answer must fit. */
export interface LlmRequest {
  /** Trusted template text. */
  system: string;
  /** At least one. User and assistant alternate; the first turn and the last one are the user's. */
  turns: readonly LlmTurn[];
  /** The canonical ReviewResult schema; the provider translates it to what it accepts. */
  schema: JsonObject;
  schemaName: string;
  mode: StructuredMode;
  maxOutputTokens: number;
}

/** The exact request, made without opening a connection and without a credential (EGR-3). */
export interface PreparedLlmRequest {
  method: 'POST';
  /** Scheme, host, port and path. */
  url: string;
  /** Without credentials, in wire order. */
  headers: Readonly<Record<string, string>>;
  body: string;
  model: string;
}

/** Tokens that the vendor counted for one exchange; null for what it does not say. */
export interface LlmUsage {
  /** All of the input, what the vendor read from its cache included. */
  inputTokens: number | null;
  /** All of the output, reasoning included. */
  outputTokens: number | null;
  /** The part of `inputTokens` that the vendor read from its cache. */
  cachedInputTokens: number | null;
  /** The part of `outputTokens` that the model spent on reasoning. */
  reasoningTokens: number | null;
}

/** For an exchange of which the vendor counted nothing. */
export const noUsage: LlmUsage = Object.freeze({
  inputTokens: null,
  outputTokens: null,
  cachedInputTokens: null,
  reasoningTokens: null,
});

/**
 * What was unusual about the form of a reply that was read all the same:
 * - `text_beside_tool_call`: prose stood beside the call; the call's arguments are the reply.
 * - `several_tool_calls`: the tool was called more than once; each call's arguments are a text of the reply.
 * - `several_choices`: more than one choice came back; the text of each is a text of the reply.
 * - `legacy_function_call`: the call came in the field that tool calls replaced.
 * - `unknown_stop`: the stop reason is missing, or is none of this vendor's.
 */
export type ReplyNote =
  | 'text_beside_tool_call'
  | 'several_tool_calls'
  | 'several_choices'
  | 'legacy_function_call'
  | 'unknown_stop';

/** What a model answered, before anything reads it. */
export interface LlmReply {
  stop: StopState;
  /** Raw until redacted again (ruling R15). */
  text: string;
  /** The other texts of a reply that has several, each a document of its own. Raw. Default none. */
  moreTexts?: readonly string[] | undefined;
  /** Kept as diagnostics of the review. Default none. */
  notes?: readonly ReplyNote[] | undefined;
  usage: LlmUsage;
  /** The provider's, for support; null where it gives none. */
  requestId: string | null;
  /** What the provider called the stop, for diagnostics. */
  providerStop: string | null;
}

/** How long a call may take, and what ends it early. */
export interface LlmCallOptions {
  signal: AbortSignal;
  /** Milliseconds. */
  timeoutMs: number;
}

/** Counts the tokens of a text as a model does. Pure: the same text, the same count. */
export interface TokenCounter {
  /** Names the encoding: `o200k_base`. */
  readonly name: string;
  /** A whole number from 0. */
  count(text: string): number;
}

/**
 * One LLM endpoint. `prepare` is deterministic; `send` does one HTTP exchange and no retry. Errors
 * are `CriticizerError`s with the failure table's category, `retryAfterMs` where the provider gave
 * one, and `parks` where the credential is to blame and can be refreshed.
 */
export interface LlmProvider {
  /** The version of this port that the part is written to. Wiring refuses a number that it does not know. */
  readonly contract: 1;
  /**
   * Stands for the endpoint: stored replies are found again by id and model (GRD-1), so another
   * endpoint needs another id.
   */
  readonly id: string;
  readonly model: string;
  /**
   * Host and port that requests go to, where it is always the same one; a request prepared for
   * another is blocked. A fallback goes from a provider inside the house only to one that says that
   * it is inside, too.
   */
  readonly host?: string | undefined;
  readonly limits: { contextTokens: number; maxOutputTokens: number };
  readonly modes: readonly StructuredMode[];
  /**
   * Vendor switches that stand in every body beside what the protocol sets. Default none. A stored
   * reply to a request with other switches is not used again (GRD-1).
   */
  readonly extraBody?: JsonObject | undefined;
  /**
   * Counts tokens as the model does, for plans alone. Left out: two bytes a token, until the usage of
   * replies says otherwise.
   */
  readonly tokens?: TokenCounter | undefined;
  /**
   * Makes the exact request: same request, same bytes. Opens no connection to the endpoint (EGR-3).
   * May return a promise, for whoever must load something first. Core gives up a promise that is
   * pending after `timeoutMs` (`LLM_PREPARE_TIMEOUT`, parks) and aborts the signal then.
   */
  prepare(request: LlmRequest, options: LlmCallOptions): PreparedLlmRequest | Promise<PreparedLlmRequest>;
  send(prepared: PreparedLlmRequest, options: LlmCallOptions): Promise<LlmReply>;
}
