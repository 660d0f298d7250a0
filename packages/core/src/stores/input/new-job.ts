import { checkFields, type OptionCheck, type OptionShape } from '../../foundation/check-options.js';
import { checkArray, checkBoolean, checkedElsewhere, checkObject, optional } from '../../foundation/option-checks.js';
import {
  checkDate,
  checkJson,
  checkJsonObject,
  checkMs,
  checkOneOf,
  checkStorable,
  checkText,
  checkWhole,
} from '../../foundation/store-input.js';
import type { NewDeadLetter } from '../dead-letter-store.js';
import type { Failure } from '../job.js';
import type { ClaimRequest, NewJob, Settlement, SettlementEffects } from '../job-store.js';
import { checkSampledCounts } from '../sample-store.js';
import { checkNewOutboxRow } from './new-outbox-row.js';
import { checkTraceparent } from './traceparent.js';

const name: OptionCheck = (option, value) => checkText(option, value, 128);
const delay: OptionCheck = (option, value) => checkMs(option, value);
const lease: OptionCheck = (option, value) => checkMs(option, value, 1);

const newJobShape: OptionShape<NewJob> = {
  kind: name,
  stage: name,
  idempotencyKey: checkText,
  payload: checkJson,
  priority: optional((option, value) => checkWhole(option, value)),
  delayMs: optional(delay),
  runAt: optional(checkDate),
  changelistId: optional(checkText),
  reviewVersion: optional((option, value) => checkWhole(option, value, 1)),
  completedWith: optional(checkJsonObject),
  traceparent: optional(checkTraceparent),
};

/** What every store checks before it writes a job. Throws `TypeError` naming the option. */
export function checkNewJob(job: NewJob, at = 'job'): void {
  checkFields(at, job, newJobShape);
  if (job.reviewVersion !== undefined && job.changelistId === undefined)
    throw new TypeError(`${at}.reviewVersion: needs changelistId`);
}

/** The two priorities of a compare-and-set. Throws `TypeError` naming the option. */
export function checkPriorities(expected: number, next: number): void {
  checkWhole('priority.expected', expected);
  checkWhole('priority.next', next);
}

/**
 * Owner, token and duration of any claim: jobs, mail rows, audit deliveries, artifact sweeps.
 * Throws `TypeError` naming the option.
 */
export function checkLeaseRequest(request: { owner: string; token: string; leaseMs: number; limit: number }): void {
  checkText('request.owner', request.owner);
  checkText('request.token', request.token);
  checkMs('request.leaseMs', request.leaseMs, 1);
  checkWhole('request.limit', request.limit, 1);
}

/** Throws `TypeError` naming the option. An empty `kinds` is allowed and claims nothing. */
export function checkClaimRequest(request: ClaimRequest): void {
  checkLeaseRequest(request);
  for (const kind of request.kinds) checkText('request.kinds', kind, 128);
}

const effectsShape: OptionShape<SettlementEffects> = {
  outputs: optional((option, value) => {
    checkObject(option, value);
    for (const [output, id] of Object.entries(value as object)) {
      checkText(option, output);
      checkText(`${option}.${output}`, id);
    }
  }),
  publish: optional(checkArray),
  outbox: optional((option, value) => {
    checkArray(option, value);
    for (const row of value as NonNullable<SettlementEffects['outbox']>) checkNewOutboxRow(row, option);
  }),
  samples: optional(checkSampledCounts),
};

const failureShape: OptionShape<Failure> = { code: checkText, category: checkedElsewhere, message: checkStorable };

const deadLetterShape: OptionShape<NewDeadLetter> = {
  errorClass: checkText,
  category: checkedElsewhere,
  lastStack: checkStorable,
  sanitizedContext: checkJsonObject,
  escalation: (option, value) => checkOneOf(option, value, ['none', 'operator', 'page']),
};

const fields =
  <Fields extends object>(shape: OptionShape<Fields>): OptionCheck =>
  (option, value) =>
    checkFields(option, value ?? null, shape);

const checkUuid: OptionCheck = (option, value) => {
  if (typeof value !== 'string' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value))
    throw new TypeError(`${option}: expected a UUID in lower case`);
};

const common = { lease: checkObject, kind: checkedElsewhere, effects: optional(fields(effectsShape)) };

const settlementShapes: { readonly [Kind in Settlement['kind']]: OptionShape<Extract<Settlement, { kind: Kind }>> } = {
  advance: { ...common, stage: name, leaseMs: lease, id: optional(checkUuid) },
  checkpoint: { ...common, leaseMs: lease, id: optional(checkUuid) },
  done: { ...common, result: checkJsonObject, requireNotified: checkBoolean, deleteRow: optional(checkBoolean) },
  retry: { ...common, delayMs: delay, failure: fields(failureShape) },
  fail: { ...common, failure: fields(failureShape), result: optional(checkJsonObject) },
  wait: { ...common, delayMs: delay, reason: (option, value) => checkText(option, value, 1024) },
  release: common,
  'dead-letter': { ...common, deadLetter: fields(deadLetterShape) },
};

/** The shape of a settlement, effects included. Throws `TypeError` naming the option. */
export function checkSettlement(settlement: Settlement, at = 'settlement'): void {
  checkOneOf(`${at}.kind`, settlement.kind, Object.keys(settlementShapes));
  const shape: OptionShape<object> = settlementShapes[settlement.kind];
  checkFields(at, settlement, shape);
  if (settlement.kind !== 'done' || settlement.deleteRow !== true) return;
  if (settlement.requireNotified || settlement.effects !== undefined)
    throw new TypeError(`${at}.deleteRow: not together with requireNotified or effects`);
}
