import { checkNewOutboxRow } from '../notify/new-outbox-row.js';
import { checkDate, checkJson, checkJsonObject, checkMs, checkOneOf, checkStorable, checkText, checkWhole } from '../store-input.js';
import type { Failure } from './job.js';
import type { ClaimRequest, NewJob, Settlement } from './job-store.js';

/** What every store checks before it writes a job. Throws `TypeError` naming the option. */
export function checkNewJob(job: NewJob, at = 'job'): void {
  checkText(`${at}.kind`, job.kind, 128);
  checkText(`${at}.stage`, job.stage, 128);
  checkText(`${at}.idempotencyKey`, job.idempotencyKey, 512);
  checkJson(`${at}.payload`, job.payload);
  if (job.priority !== undefined) checkWhole(`${at}.priority`, job.priority);
  if (job.delayMs !== undefined) checkMs(`${at}.delayMs`, job.delayMs);
  if (job.runAt !== undefined) checkDate(`${at}.runAt`, job.runAt);
  if (job.changelistId !== undefined) checkText(`${at}.changelistId`, job.changelistId, 512);
  if (job.reviewVersion !== undefined) {
    if (job.changelistId === undefined) throw new TypeError(`${at}.reviewVersion: needs changelistId`);
    checkWhole(`${at}.reviewVersion`, job.reviewVersion, 1);
  }
  if (job.completedWith !== undefined) checkJsonObject(`${at}.completedWith`, job.completedWith);
}

/** Owner, token and duration of any claim: jobs, mail rows, audit deliveries, artifact sweeps. Throws `TypeError` naming the option. */
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

function checkFailure(at: string, failure: Failure): void {
  checkText(`${at}.code`, failure.code);
  checkStorable(`${at}.message`, failure.message);
}

/** The shape of a settlement, effects included. Throws `TypeError` naming the option. */
export function checkSettlement(settlement: Settlement, at = 'settlement'): void {
  checkOneOf(`${at}.kind`, settlement.kind, ['advance', 'checkpoint', 'done', 'retry', 'wait', 'release', 'dead-letter', 'fail']);
  for (const [name, id] of Object.entries(settlement.effects?.outputs ?? {})) {
    checkText(`${at}.effects.outputs`, name);
    checkText(`${at}.effects.outputs.${name}`, id);
  }
  for (const row of settlement.effects?.outbox ?? []) checkNewOutboxRow(row, `${at}.effects.outbox`);
  switch (settlement.kind) {
    case 'advance':
      checkText(`${at}.stage`, settlement.stage, 128);
      checkMs(`${at}.leaseMs`, settlement.leaseMs, 1);
      break;
    case 'checkpoint':
      checkMs(`${at}.leaseMs`, settlement.leaseMs, 1);
      break;
    case 'done':
      checkJsonObject(`${at}.result`, settlement.result);
      if (settlement.deleteRow === true && (settlement.requireNotified || settlement.effects !== undefined))
        throw new TypeError(`${at}.deleteRow: not together with requireNotified or effects`);
      break;
    case 'retry':
      checkMs(`${at}.delayMs`, settlement.delayMs);
      checkFailure(`${at}.failure`, settlement.failure);
      break;
    case 'fail':
      checkFailure(`${at}.failure`, settlement.failure);
      if (settlement.result !== undefined) checkJsonObject(`${at}.result`, settlement.result);
      break;
    case 'wait':
      checkMs(`${at}.delayMs`, settlement.delayMs);
      checkText(`${at}.reason`, settlement.reason, 1024);
      break;
    case 'dead-letter':
      checkText(`${at}.deadLetter.errorClass`, settlement.deadLetter.errorClass);
      checkStorable(`${at}.deadLetter.lastStack`, settlement.deadLetter.lastStack);
      checkJsonObject(`${at}.deadLetter.sanitizedContext`, settlement.deadLetter.sanitizedContext);
      checkOneOf(`${at}.deadLetter.escalation`, settlement.deadLetter.escalation, ['none', 'operator', 'page']);
      break;
    case 'release':
      break;
  }
}
