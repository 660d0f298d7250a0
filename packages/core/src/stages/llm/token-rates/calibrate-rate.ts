import type { LlmProvider } from '../../../llm/llm-provider.js';
import { DEFAULT_BYTES_PER_TOKEN } from '../../../prompt/plan-chunks.js';
import { maxBytesPerToken } from './measure-rate.js';

/** A request and what the vendor counted of it. */
export interface CountedRequest {
  /** UTF-8 bytes of system text and schema: prose, which has more bytes a token than source. */
  fixedBytes: number;
  /** UTF-8 bytes of the user text. */
  userBytes: number;
  inputTokens: number;
}

/** Bytes a token, by the usage of this process's replies. */
export interface RateCalibration {
  learn(provider: Pick<LlmProvider, 'id' | 'model'>, counted: CountedRequest): void;
  /**
   * Bytes of source a token for plans: 2 at first; less as soon as a reply took more tokens; more once
   * there are 8 samples, 20 % below the lowest of the newest 16, at most 4.
   */
  read(provider: Pick<LlmProvider, 'id' | 'model'>): number;
}

/** Shorter user texts say little: the rest of the request outweighs them. */
const leastUserBytes = 8_192;
/** Prose of the system text has about 4.4 bytes a token; more of them make the user text's share larger. */
const fixedBytesPerToken = 5;
const newest = 16;
const enough = 8;
const margin = 0.2;

/** Creates the calibration of one process. It holds 16 numbers a model. */
export function createRateCalibration(): RateCalibration {
  const samples = new Map<string, readonly number[]>();
  const keyOf = ({ id, model }: Pick<LlmProvider, 'id' | 'model'>): string => JSON.stringify([id, model]);
  return {
    learn(provider, { fixedBytes, userBytes, inputTokens }) {
      const userTokens = inputTokens - fixedBytes / fixedBytesPerToken;
      if (userBytes < leastUserBytes || !(userTokens > 0) || !Number.isFinite(userTokens)) return;
      const key = keyOf(provider);
      samples.set(key, [...(samples.get(key) ?? []), userBytes / userTokens].slice(-newest));
    },
    read(provider) {
      const known = samples.get(keyOf(provider)) ?? [];
      const lowest = Math.min(...known);
      const safe = Math.min(lowest * (1 - margin), maxBytesPerToken);
      if (known.length >= enough && safe > DEFAULT_BYTES_PER_TOKEN) return safe;
      return Math.min(DEFAULT_BYTES_PER_TOKEN, lowest);
    },
  };
}
