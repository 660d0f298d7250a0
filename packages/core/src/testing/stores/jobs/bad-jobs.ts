import type { NewJob } from '../../../stores/job-store.js';
import { halfPair, newJob, nul } from '../sample-rows.js';

export const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** A job as no store may take it, by the option at fault. */
export const badJobs: readonly [option: string, job: NewJob][] = [
  ['idempotencyKey', newJob({ idempotencyKey: '' })],
  ['idempotencyKey', newJob({ idempotencyKey: 'x'.repeat(513) })],
  ['kind', newJob({ kind: '' })],
  ['stage', newJob({ stage: '' })],
  ['priority', newJob({ priority: 1.5 })],
  ['delayMs', newJob({ delayMs: -1 })],
  ['delayMs', newJob({ delayMs: Number.NaN })],
  ['runAt', newJob({ runAt: new Date(Number.NaN) })],
  ['traceparent', newJob({ traceparent: '' })],
  ['traceparent', newJob({ traceparent: `${traceparent}-` })],
  ['traceparent', newJob({ traceparent: `ff${traceparent.slice(2)}` })],
  ['traceparent', newJob({ traceparent: traceparent.toUpperCase() })],
  ['reviewVersion', newJob({ reviewVersion: 1 })],
  ['reviewVersion', newJob({ changelistId: 'p4main/1001', reviewVersion: 0 })],
  ['reviewVersion', newJob({ changelistId: 'p4main/1001', reviewVersion: 1.5 })],
  ...[nul, halfPair].flatMap((odd): [string, NewJob][] => [
    ['kind', newJob({ kind: `k${odd}` })],
    ['stage', newJob({ stage: `s${odd}` })],
    ['idempotencyKey', newJob({ idempotencyKey: `k${odd}` })],
    ['changelistId', newJob({ changelistId: `p4main/1${odd}` })],
    ['payload', newJob({ payload: { list: [`v${odd}`] } })],
    ['payload', newJob({ payload: { [`k${odd}`]: 1 } })],
    ['completedWith', newJob({ completedWith: { skipped: odd } })],
  ]),
];
