import { checkDate, checkHex, checkJsonObject, checkMs, checkOneOf, checkText, checkWhole } from '../store-input.js';
import type { AuditSettlement, NewAuditEvent } from './audit-store.js';

/** What every store checks before it writes an audit event. Throws `TypeError` naming the option. */
export function checkNewAuditEvent(event: NewAuditEvent, destinations: readonly string[], at = 'event'): void {
  checkText(`${at}.id`, event.id);
  if (event.occurredAt !== null) checkDate(`${at}.occurredAt`, event.occurredAt);
  checkOneOf(`${at}.actorType`, event.actorType, ['admin_user', 'service_account', 'system']);
  checkText(`${at}.action`, event.action, 2048);
  checkOneOf(`${at}.resultStatus`, event.resultStatus, ['success', 'failure', 'partial']);
  if (event.httpStatus !== null) checkWhole(`${at}.httpStatus`, event.httpStatus);
  checkJsonObject(`${at}.payload`, event.payload);
  checkHex(`${at}.payloadSha256`, event.payloadSha256, 64);
  checkWhole(`${at}.schemaVersion`, event.schemaVersion, 1);
  for (const destination of destinations) checkText('destinations', destination, 128);
  if (new Set(destinations).size !== destinations.length) throw new TypeError('destinations: expected each name once');
}

/** The shape of a delivery's settlement. Throws `TypeError` naming the option. */
export function checkAuditSettlement(settlement: AuditSettlement, at = 'settlement'): void {
  checkOneOf(`${at}.kind`, settlement.kind, ['delivered', 'retry', 'wait', 'dead-letter']);
  if (settlement.kind === 'retry' || settlement.kind === 'wait') checkMs(`${at}.delayMs`, settlement.delayMs);
  if (settlement.kind === 'retry' || settlement.kind === 'dead-letter') checkText(`${at}.errorCode`, settlement.errorCode);
}
