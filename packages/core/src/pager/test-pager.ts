import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { partWith } from '../foundation/contract.js';
import { checkAbortSignal, optional, withMethods } from '../foundation/option-checks.js';
import type { OutboundGate } from '../foundation/outbound.js';
import type { Clock } from '../foundation/time/clock.js';
import { systemClock } from '../foundation/time/system-clock.js';
import type { Alert } from './alert.js';
import { callPager, type PagerAction } from './call-pager.js';
import type { Pager, PagerFailure } from './pager.js';

/** Which pager is tested, behind which gate. */
export interface PagerTestOptions {
  pager: Pager;
  /** Of `createOutboundGate`: the kill switch holds for a test too, and it is recorded. */
  outbound: Pick<OutboundGate, 'check' | 'pass'>;
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
}

/** How a test ended; `action` is the call that was not taken. */
export type PagerTest = { ok: true } | { ok: false; action: PagerAction; failure: PagerFailure };

const optionShape: OptionShape<PagerTestOptions> = {
  pager: partWith('trigger', 'resolve'),
  outbound: withMethods('check', 'pass'),
  signal: optional(checkAbortSignal),
  clock: optional(withMethods('nowMs', 'monotonicMs', 'sleep')),
};

/** What each of the two calls of a test may take, in milliseconds. */
const timeoutMs = 20_000;

/**
 * Triggers a test alert at a pager and resolves it: somebody may be woken. Each call is made once.
 * Throws `TypeError` for wrong options; rejects with the reason of `signal`.
 */
export async function testPager(options: PagerTestOptions): Promise<PagerTest> {
  checkOptions('testPager', options, optionShape);
  const { pager, outbound, signal = new AbortController().signal, clock = systemClock } = options;
  const startedAt = new Date(clock.nowMs());
  const alert: Alert = {
    key: `criticizer:pager.test:PAGER_TEST:at-${startedAt.getTime()}`,
    episode: 1,
    kind: 'pager.test',
    code: 'PAGER_TEST',
    severity: 'warning',
    summary: 'A test of the pager, which is resolved at once: PAGER_TEST',
    place: {},
    count: 1,
    startedAt,
  };
  for (const action of ['trigger', 'resolve'] as const) {
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    const result = await callPager({ pager, action, alert, isRepeat: false, outbound, signal, deadlineMs, clock });
    if (result.kind !== 'taken') return { ok: false, action, failure: result.failure };
  }
  return { ok: true };
}
