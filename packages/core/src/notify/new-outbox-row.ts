import { checkHex, checkMs, checkOneOf, checkText, checkWhole } from '../store-input.js';
import type { NewOutboxRow, OutboxSettlement } from './notify-outbox.js';

/** What every store checks before it writes a mail row. Throws `TypeError` naming the option. */
export function checkNewOutboxRow(row: NewOutboxRow, at = 'row'): void {
  checkText(`${at}.changelistId`, row.changelistId, 512);
  checkWhole(`${at}.reviewVersion`, row.reviewVersion, 1);
  checkText(`${at}.recipient`, row.recipient, 320);
  checkText(`${at}.recipientKey`, row.recipientKey, 320);
  checkHex(`${at}.key`, row.key, 32);
  if (typeof row.required !== 'boolean') throw new TypeError(`${at}.required: expected a boolean`);
  if (row.jobId !== null) checkText(`${at}.jobId`, row.jobId);
  checkText(`${at}.messageArtifactId`, row.messageArtifactId);
  checkHex(`${at}.messageSha256`, row.messageSha256, 64);
}

const settlementKinds = ['sent', 'retry', 'wait', 'failed', 'unknown', 'reopen', 'verified', 'unverified', 'cancelled'];

/** The shape of a mail row's settlement. Throws `TypeError` naming the option. */
export function checkOutboxSettlement(settlement: OutboxSettlement, at = 'settlement'): void {
  checkOneOf(`${at}.kind`, settlement.kind, settlementKinds);
  if (settlement.kind === 'sent') {
    checkText(`${at}.notificationId`, settlement.notificationId, 1024);
    checkText(`${at}.provider`, settlement.provider);
  }
  if (settlement.kind === 'retry' || settlement.kind === 'wait') {
    checkMs(`${at}.delayMs`, settlement.delayMs);
    checkOneOf(`${at}.phase`, settlement.phase, ['none', 'envelope', 'data']);
  }
}
