import type { RedactedText } from '../egress/redacted-text.js';
import type { JsonObject } from '../json.js';

/** How a reply ended; anything unknown is `provider_error`. Only `complete` may be read as a whole review. */
export type StopState = 'complete' | 'truncated_output' | 'context_overflow' | 'refused' | 'content_filtered' | 'empty' | 'provider_error';

/** How strictly the provider can be made to follow a schema; strongest first in a provider's list. */
export type StructuredMode = 'json_schema' | 'tool' | 'json_object' | 'prompt';

export interface LlmRequest {
  /** Trusted template text. */
  system: string;
  /** Redacted text only (ART-6): minted by `redactForLlm`, checked when the request is prepared. */
  user: RedactedText;
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

export interface LlmUsage {
  inputTokens: number | null;
  outputTokens: number | null;
}

export interface LlmReply {
  stop: StopState;
  /** Raw until redacted again (ruling R15). */
  text: string;
  usage: LlmUsage;
  /** The provider's, for support; null where it gives none. */
  requestId: string | null;
  /** What the provider called the stop, for diagnostics. */
  providerStop: string | null;
}

/**
 * One LLM endpoint. `prepare` is pure and deterministic; `send` does one HTTP exchange and no retry. Errors are `CriticizerError`s with the
 * failure table's category, `retryAfterMs` where the provider gave one, and `parks` where the credential is to blame and can be refreshed.
 */
export interface LlmProvider {
  /** Stands for the endpoint: stored replies are found again by id and model (GRD-1), so another endpoint needs another id. */
  readonly id: string;
  readonly model: string;
  readonly limits: { contextTokens: number; maxOutputTokens: number };
  readonly modes: readonly StructuredMode[];
  prepare(request: LlmRequest): PreparedLlmRequest;
  send(prepared: PreparedLlmRequest, options: { signal: AbortSignal; timeoutMs: number }): Promise<LlmReply>;
}
