import { z } from 'zod';
import type { JsonValue } from '../../../foundation/json.js';

/** What one provider may be sent in any 60 seconds; null: not limited. */
export interface RateLimits {
  requests: number | null;
  tokens: number | null;
}

/** What was sent within a slot of `slotMs` that begins at `startMs`. A type, so that it counts as JSON. */
type Slot = {
  startMs: number;
  requests: number;
  tokens: number;
};

/** The row of one provider: what was sent lately, and until when the vendor's pause lasts. */
export type RateState = {
  slots: readonly Slot[];
  pausedUntilMs: number;
};

/** Why a request has to wait. */
export type WaitReason = 'requests' | 'tokens' | 'paused';

/** A place that was taken, or how long there is none. */
export type RateDecision =
  | { kind: 'taken'; state: RateState; slotMs: number }
  | { kind: 'wait'; reason: WaitReason; waitMs: number };

/** Granularity of the row: a request stops counting 60 to 65 seconds after it was sent. */
export const slotMs = 5_000;
const windowMs = 60_000;

const whole = z.number().int().min(0);
const stateSchema = z.object({
  slots: z.array(z.object({ startMs: whole, requests: whole, tokens: whole })),
  pausedUntilMs: whole,
}) satisfies z.ZodType<RateState>;

/** Reads the stored row; one that was never written, or that nobody can read, is empty. */
export function readRateState(value: JsonValue): RateState {
  const read = stateSchema.safeParse(value);
  return read.success ? read.data : { slots: [], pausedUntilMs: 0 };
}

/** The instant at which nothing of a slot lies within the window any more. */
const slotEndMs = ({ startMs }: Slot): number => startMs + slotMs + windowMs;

/** What still counts. After the store's clock was set back, slots lie ahead: within a window they count too. */
const currentSlots = ({ slots }: RateState, nowMs: number): readonly Slot[] =>
  slots
    .filter((slot) => slotEndMs(slot) > nowMs && slot.startMs <= nowMs + windowMs)
    .sort((a, b) => a.startMs - b.startMs);

/** Milliseconds until `count` of the slots sums up to at most `room`; 0 where it does now. */
function waitFor(slots: readonly Slot[], count: (slot: Slot) => number, room: number, nowMs: number): number {
  let sum = slots.reduce((total, slot) => total + count(slot), 0);
  let waitMs = 0;
  for (const slot of slots) {
    if (sum <= room) break;
    sum -= count(slot);
    waitMs = slotEndMs(slot) - nowMs;
  }
  return waitMs;
}

/**
 * Takes a place for one request of `tokens` tokens, so that no 60 seconds hold more than `limits`.
 * A request larger than the limit of tokens takes a window of its own.
 */
export function takePlace(state: RateState, limits: RateLimits, tokens: number, nowMs: number): RateDecision {
  if (state.pausedUntilMs > nowMs) return { kind: 'wait', reason: 'paused', waitMs: state.pausedUntilMs - nowMs };
  const slots = currentSlots(state, nowMs);
  const needs: readonly { reason: WaitReason; waitMs: number }[] = [
    {
      reason: 'requests',
      waitMs: limits.requests === null ? 0 : waitFor(slots, (slot) => slot.requests, limits.requests - 1, nowMs),
    },
    {
      reason: 'tokens',
      waitMs:
        limits.tokens === null ? 0 : waitFor(slots, (slot) => slot.tokens, Math.max(0, limits.tokens - tokens), nowMs),
    },
  ];
  const longest = needs.reduce((a, b) => (b.waitMs > a.waitMs ? b : a));
  if (longest.waitMs > 0) return { kind: 'wait', ...longest };
  const startMs = Math.floor(nowMs / slotMs) * slotMs;
  return { kind: 'taken', slotMs: startMs, state: addToSlot({ ...state, slots }, startMs, { requests: 1, tokens }) };
}

/** The row with this much more, or less, in one slot; a count never falls below 0. */
export function addToSlot(state: RateState, startMs: number, more: { requests: number; tokens: number }): RateState {
  const found = state.slots.find((slot) => slot.startMs === startMs) ?? { startMs, requests: 0, tokens: 0 };
  const changed = {
    startMs,
    requests: Math.max(0, found.requests + more.requests),
    tokens: Math.max(0, found.tokens + more.tokens),
  };
  return { ...state, slots: [...state.slots.filter((slot) => slot.startMs !== startMs), changed] };
}

/** The row with a pause until `untilMs`; a longer one is kept. */
export function pauseUntil(state: RateState, untilMs: number): RateState {
  return { ...state, pausedUntilMs: Math.max(state.pausedUntilMs, untilMs) };
}
