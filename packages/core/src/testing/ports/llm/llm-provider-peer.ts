import type { JsonObject } from '../../../foundation/json.js';
import type { LlmProvider, LlmUsage } from '../../../llm/llm-provider.js';

/** What the peer plays, in its vendor's own words and statuses. */
export type LlmPeerScene =
  /** A whole reply with the text `contractReplyText`. */
  | 'complete'
  /** The same text, cut at the output limit. */
  | 'truncated'
  | 'filtered'
  | 'refused'
  /** A whole reply without text. */
  | 'empty'
  /** The prompt is longer than the window. */
  | 'context_overflow'
  /** The reply of `complete` with a stop reason nobody has heard of. */
  | 'unknown_stop'
  /** The reply of `truncated` with a stop reason nobody has heard of. */
  | 'unknown_stop_cut'
  /**
   * `contractReplyText` as the arguments of a tool call, with prose beside it. Played to a provider
   * with the mode `tool` only.
   */
  | 'text_beside_tool_call'
  /**
   * Two tool calls, with `contractReplyText` and `contractSecondText`. Played to a provider with
   * the mode `tool` only.
   */
  | 'two_tool_calls'
  /** 429 with a delay of 7 seconds. */
  | 'rate_limited'
  /** 503 or the vendor's word for it. */
  | 'unavailable'
  /** Every credential is denied. */
  | 'unauthorized'
  /** 200 with something that is not the vendor's format at all. */
  | 'unreadable'
  /** The connection opens and nothing comes. */
  | 'silent';

/** What the peer answers in the scene `complete`: valid JSON, so that a provider which parses its reply is content. */
export const contractReplyText = '{"findings":[]}';

/** Arguments of the second call in the scene `two_tool_calls`. */
export const contractSecondText = '{"findings":["second"]}';

/** A provider and the peer that it talks to, which plays scenes. */
export interface LlmProviderUnderTest {
  provider: LlmProvider;
  /** The credential in use, to look for where it must not be; null for a provider without one. */
  credential: string | null;
  /** What the peer counts in the scene `complete`, in the port's words. `noUsage` for a vendor that counts nothing. */
  usage: LlmUsage;
  /**
   * Makes a provider like this one with these vendor switches. Left out by a provider that takes
   * none; its cases are passed over.
   */
  withExtraBody?: ((extraBody: JsonObject) => LlmProvider) | undefined;
  /** Scenes that the vendor has no words for; their cases are passed over. Default none. */
  unplayable?: readonly LlmPeerScene[] | undefined;
  play(scene: LlmPeerScene): void;
  /** Requests that reached the peer, oldest first. */
  requests(): readonly {
    url: string;
    headers: Readonly<Record<string, string | string[] | undefined>>;
    body: string;
  }[];
  dispose(): Promise<void>;
}

/** Makes a provider and its peer for each case. */
export interface LlmProviderHarness {
  /** A fresh provider and peer for each test. */
  create(): Promise<LlmProviderUnderTest>;
  /** How long a case waits for a call that must settle. Milliseconds, default 4,000. */
  deadlineMs?: number | undefined;
}
