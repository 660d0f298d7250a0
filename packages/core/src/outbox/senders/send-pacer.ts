import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkedElsewhere, withMethods } from '../../foundation/option-checks.js';
import type { Clock } from '../../foundation/time/clock.js';

/** Spreads what is sent, so that a backlog leaves at a pace instead of at once. */
export interface SendPacer {
  /**
   * 0: send now; the mail is counted. Else the milliseconds until its place in line comes up: call
   * again then. The same row keeps its place.
   */
  reserve(rowId: string): number;
}

/** How many mails a minute may leave this process. */
export interface SendPacerOptions {
  /** Mails in any 60 seconds, at most. Per pacer, so per process. */
  maxPerMinute: number;
  /** Its monotonic time is used. */
  clock: Pick<Clock, 'monotonicMs'>;
}

const optionShape: OptionShape<SendPacerOptions> = {
  maxPerMinute: checkedElsewhere,
  clock: withMethods('monotonicMs'),
};

const WINDOW_MS = 60_000;
/** A place in line that nobody claimed for so long is dropped: another process may have sent the mail. */
const PLACE_MS = 10 * WINDOW_MS;

/**
 * A sliding window over what was sent, and a line for what was not: in a quiet hour mails leave at
 * once, after an outage they leave evenly, first come first served. Throws `TypeError` for a rate
 * that is no whole number from 1 to 100,000.
 */
export function createSendPacer(options: SendPacerOptions): SendPacer {
  checkOptions('createSendPacer', options, optionShape);
  const { maxPerMinute, clock } = options;
  if (!Number.isSafeInteger(maxPerMinute) || maxPerMinute < 1 || maxPerMinute > 100_000)
    throw new TypeError('createSendPacer: maxPerMinute: expected an integer from 1 to 100,000');
  const sentAt: number[] = [];
  const places = new Map<string, number>();
  let nextPlaceMs = 0;

  function forgetOld(nowMs: number): void {
    while (sentAt[0] !== undefined && sentAt[0] <= nowMs - WINDOW_MS) sentAt.shift();
    for (const [rowId, placeMs] of places) {
      if (placeMs + PLACE_MS > nowMs) break; // in the order of their places
      places.delete(rowId);
    }
  }

  function giveNewPlace(rowId: string, nowMs: number, freeAtMs: number): number {
    const placeMs = Math.max(freeAtMs, nextPlaceMs);
    nextPlaceMs = placeMs + WINDOW_MS / maxPerMinute;
    places.set(rowId, placeMs);
    return Math.ceil(placeMs - nowMs);
  }

  return {
    reserve(rowId) {
      const nowMs = clock.monotonicMs();
      forgetOld(nowMs);
      const placeMs = places.get(rowId);
      const turnMs = placeMs ?? nextPlaceMs;
      const isFull = sentAt.length >= maxPerMinute;
      if (turnMs <= nowMs && !isFull) {
        places.delete(rowId);
        sentAt.push(nowMs);
        return 0;
      }
      const freeAtMs = isFull ? (sentAt[0] ?? nowMs) + WINDOW_MS : nowMs;
      if (placeMs === undefined) return giveNewPlace(rowId, nowMs, freeAtMs);
      return Math.ceil(Math.max(placeMs, freeAtMs) - nowMs);
    },
  };
}

/**
 * One pacer for each mailer: the pace spares a server, and two mailers are two servers. Gives none
 * where `maxPerMinute` is null. Throws as `createSendPacer` does.
 */
export function createPacers(
  ids: readonly string[],
  { maxPerMinute, clock }: { maxPerMinute: number | null; clock: SendPacerOptions['clock'] },
): ReadonlyMap<string, SendPacer> {
  if (maxPerMinute === null) return new Map();
  return new Map(ids.map((id) => [id, createSendPacer({ maxPerMinute, clock })]));
}
