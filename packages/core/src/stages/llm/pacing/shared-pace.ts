import { createHash } from 'node:crypto';
import { CriticizerError } from '../../../foundation/errors.js';
import type { Clock } from '../../../foundation/time/clock.js';
import type { LlmProvider } from '../../../llm/llm-provider.js';
import type { Settings } from '../../../settings/settings.js';
import type { DocumentStore } from '../../../stores/document-store.js';
import { attribute, metric } from '../../../telemetry/names.js';
import type { Telemetry } from '../../../telemetry/telemetry.js';
import {
  addToSlot,
  pauseUntil,
  type RateDecision,
  type RateLimits,
  type RateState,
  readRateState,
  takePlace,
} from './rate-window.js';

/** A place that a request has in its provider's row. */
export interface PacePlace {
  /** Whether the request waited for it. */
  waited: boolean;
  /** The tokens that the vendor counted, in place of the estimate. */
  settle(tokens: number): Promise<void>;
  /** The request was not sent. */
  release(): Promise<void>;
}

/** Spreads the requests of all processes to one provider. */
export interface SharedPace {
  /**
   * Waits until one more request of about so many tokens may leave, at most `llm.rateLimit.maxWaitMs`.
   * Throws, parking, `LLM_RATE_LIMITED` where the host's own limit takes longer and `RATE_LIMITED`
   * where the vendor's pause does; and the signal's reason.
   */
  reserve(provider: Pick<LlmProvider, 'id'>, tokens: number, signal: AbortSignal): Promise<PacePlace>;
  /** Keeps every process from sending to it for so long, at most 5 minutes: its `Retry-After`. */
  pause(provider: Pick<LlmProvider, 'id'>, retryAfterMs: number): Promise<void>;
}

/** What the pace is made of. */
export interface SharedPaceOptions {
  settings: Settings['llm']['rateLimit'];
  /** Whether a request waits for the end of a pause; else it is refused at once, for another provider. */
  waitsOutPauses: boolean;
  documents: Pick<DocumentStore<never>, 'read' | 'write'>;
  /** The store's clock, by which all processes count. */
  storeNow(): Promise<Date>;
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  telemetry: Pick<Telemetry, 'count'>;
}

/** As long as a retry honours a Retry-After (ERR-3). */
const longestPauseMs = 5 * 60_000;
const unlimited: RateLimits = { requests: null, tokens: null };

/** Name of a provider's row among the documents, whose names have at most 128 characters. */
function nameRow(id: string): string {
  return `llm.rate.${id.length <= 100 ? id : createHash('sha256').update(id).digest('hex')}`;
}

function refuse(provider: string, reason: string, waitMs: number): CriticizerError {
  const isPaused = reason === 'paused';
  return new CriticizerError(
    isPaused ? 'RATE_LIMITED' : 'LLM_RATE_LIMITED',
    isPaused
      ? 'The model provider asked to be left alone for longer than a request waits.'
      : 'The limit of llm.rateLimit leaves no room for as long as a request waits.',
    { category: 'rate_limit', parks: true, retryAfterMs: waitMs, details: { provider, reason } },
  );
}

// long: the moves of one row, each short, over the same stores
/** The pace over one row for each provider, changed by compare-and-set. Its verbs throw what the stores throw. */
export function createSharedPace(options: SharedPaceOptions): SharedPace {
  const { settings, waitsOutPauses, documents, storeNow, clock, telemetry } = options;
  const limits = new Map<string, RateLimits>(settings.perMinute.map((row) => [row.provider, row]));

  /**
   * Decides over the row and replaces it where the decision says so. A conflict means that another
   * process got on, so this one reads again and decides again.
   */
  async function update<Decision>(
    id: string,
    decide: (state: RateState) => Promise<{ decision: Decision; next: RateState | null }>,
  ): Promise<Decision> {
    for (;;) {
      const { name, version, value } = await documents.read(nameRow(id));
      const { decision, next } = await decide(readRateState(value));
      if (next === null || (await documents.write(name, version, next)).outcome === 'written') return decision;
    }
  }

  const change = (id: string, next: (state: RateState) => RateState): Promise<void> =>
    update(id, async (state) => ({ decision: undefined, next: next(state) }));

  /** One look at the row: the slot that was taken, or how long to wait. */
  function tryOnce(id: string, tokens: number): Promise<RateDecision> {
    const own = limits.get(id) ?? unlimited;
    return update(id, async (state) => {
      // Without a limit only a pause matters, which nobody has to write.
      if (own === unlimited && state.pausedUntilMs === 0)
        return { decision: { kind: 'taken', slotMs: 0, state }, next: null };
      const decision = takePlace(state, own, tokens, (await storeNow()).getTime());
      return { decision, next: decision.kind === 'wait' || own === unlimited ? null : decision.state };
    });
  }

  function takenPlace(id: string, slotMs: number, tokens: number, waited: boolean): PacePlace {
    const isCounted = limits.has(id);
    const add = (more: { requests: number; tokens: number }): Promise<void> =>
      change(id, (state) => addToSlot(state, slotMs, more));
    return {
      waited,
      async settle(actual) {
        if (isCounted && actual !== tokens) await add({ requests: 0, tokens: actual - tokens });
      },
      async release() {
        if (isCounted) await add({ requests: -1, tokens: -tokens });
      },
    };
  }

  return {
    async reserve({ id }, tokens, signal) {
      const endsAtMs = clock.monotonicMs() + settings.maxWaitMs;
      for (let waited = false; ; waited = true) {
        signal.throwIfAborted();
        const decision = await tryOnce(id, tokens);
        if (decision.kind === 'taken') return takenPlace(id, decision.slotMs, tokens, waited);
        const { reason, waitMs } = decision;
        if (!waited)
          telemetry.count(metric.llmRateWait, 1, { [attribute.llmProvider]: id, [attribute.reason]: reason });
        const mayWait = reason !== 'paused' || waitsOutPauses;
        if (!mayWait || clock.monotonicMs() + waitMs > endsAtMs) throw refuse(id, reason, waitMs);
        await clock.sleep(waitMs, signal);
      }
    },
    async pause({ id }, retryAfterMs) {
      const untilMs = (await storeNow()).getTime() + Math.min(retryAfterMs, longestPauseMs);
      await change(id, (state) => pauseUntil(state, untilMs));
    },
  };
}
