// Whether a channel would take a post: for the doctor, in the channel's own words.
import { isCriticizerError } from '@criticizer/core';
import type { Check, LimitedCheck } from '../http/readiness.js';

/** A channel asks once for each place that it posts to, over the network. */
const limitMs = 15_000;

/** How a channel is asked; `ask` rejects with what is wrong, and resolves to what is worth knowing. */
export interface ChannelQuestion {
  ask(limit: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Ends its connections, also after a failure. */
  close(): Promise<void>;
}

/** The check of a channel, of at most 15 s: what is wrong by its code, and in words as `says`. */
export function checkChannel({ ask, close }: ChannelQuestion): LimitedCheck {
  return {
    limitMs,
    async run(): Promise<Check> {
      try {
        return { ok: true, ...(await ask(AbortSignal.timeout(limitMs))) };
      } catch (error) {
        if (!isCriticizerError(error)) throw error;
        return { ok: false, code: error.code, says: error.message };
      } finally {
        await close();
      }
    },
  };
}
