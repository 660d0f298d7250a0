import { type Actor, actorTypes, checkActor } from '../../foundation/actor.js';
import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import { checkedElsewhere } from '../../foundation/option-checks.js';
import {
  checkDate,
  checkHex,
  checkJsonObject,
  checkMs,
  checkOneOf,
  checkStorable,
  checkText,
  checkWhole,
} from '../../foundation/store-input.js';
import type { AuditSettlement, NewAuditEvent } from '../audit-store.js';
import { canonicalAddress } from '../source-ip.js';

/** Most UTF-8 bytes of a text column: AUD-9's cap, and what an entry of PostgreSQL's indexes holds. */
export const maxAuditTextBytes = 2048;
/** Most UTF-8 bytes of a delivery's last error message (AUD-9); `truncateText` of the audit cuts longer ones. */
export const maxAuditErrorMessageBytes = 1024;

const textColumns = ['actorId', 'tenantId', 'traceId', 'requestId', 'targetType', 'targetId', 'userAgent'] as const;

/**
 * Names of sinks: 1 to 128 characters, each once, whatever its case: an operator who types one into a
 * kill switch or a filter must not meet the other. Throws `TypeError` naming the option.
 */
export function checkDestinations(option: string, destinations: readonly string[]): void {
  if (!Array.isArray(destinations)) throw new TypeError(`${option}: expected a list of names`);
  const seen = new Map<string, string>();
  for (const destination of destinations) {
    checkText(option, destination, 128);
    const folded = destination.normalize('NFC').toLowerCase();
    const earlier = seen.get(folded);
    if (earlier === destination) throw new TypeError(`${option}: expected each name once`);
    if (earlier !== undefined)
      throw new TypeError(`${option}: "${earlier}" and "${destination}" differ by case only; rename one of them`);
    seen.set(folded, destination);
  }
}

function checkBytes(option: string, text: string, maxBytes: number): void {
  checkStorable(option, text);
  if (Buffer.byteLength(text) > maxBytes) throw new TypeError(`${option}: expected at most ${maxBytes} bytes`);
}

/** Its keys; `checkNewAuditEvent` checks the values. */
const eventShape: OptionShape<NewAuditEvent> = {
  id: checkedElsewhere,
  occurredAt: checkedElsewhere,
  actorType: checkedElsewhere,
  actorId: checkedElsewhere,
  tenantId: checkedElsewhere,
  traceId: checkedElsewhere,
  requestId: checkedElsewhere,
  action: checkedElsewhere,
  targetType: checkedElsewhere,
  targetId: checkedElsewhere,
  resultStatus: checkedElsewhere,
  httpStatus: checkedElsewhere,
  sourceIp: checkedElsewhere,
  userAgent: checkedElsewhere,
  payload: checkedElsewhere,
  payloadSha256: checkedElsewhere,
  schemaVersion: checkedElsewhere,
};

/** What every store checks before it writes an audit event. Throws `TypeError` naming the option. */
export function checkNewAuditEvent(event: NewAuditEvent, destinations: readonly string[], at = 'event'): void {
  checkFields(at, event, eventShape);
  checkText(`${at}.id`, event.id);
  if (event.occurredAt !== null) checkDate(`${at}.occurredAt`, event.occurredAt);
  checkOneOf(`${at}.actorType`, event.actorType, actorTypes);
  checkText(`${at}.action`, event.action, 512);
  for (const column of textColumns) checkBytes(`${at}.${column}`, event[column] ?? '', maxAuditTextBytes);
  if (event.sourceIp !== null && canonicalAddress(event.sourceIp) !== event.sourceIp)
    throw new TypeError(`${at}.sourceIp: expected one canonical IPv4 or IPv6 address`);
  checkOneOf(`${at}.resultStatus`, event.resultStatus, ['success', 'failure', 'partial']);
  if (event.httpStatus !== null) checkWhole(`${at}.httpStatus`, event.httpStatus);
  checkJsonObject(`${at}.payload`, event.payload);
  checkHex(`${at}.payloadSha256`, event.payloadSha256, 64);
  checkWhole(`${at}.schemaVersion`, event.schemaVersion, 1);
  checkDestinations('destinations', destinations);
}

const common = { lease: checkedElsewhere, kind: checkedElsewhere };
/** Their keys; `checkAuditSettlement` checks the values. */
const settlementShapes: {
  readonly [Kind in AuditSettlement['kind']]: OptionShape<Extract<AuditSettlement, { kind: Kind }>>;
} = {
  delivered: common,
  accepted: { ...common, delayMs: checkedElsewhere, receipt: checkedElsewhere },
  retry: { ...common, delayMs: checkedElsewhere, errorCode: checkedElsewhere, errorMessage: checkedElsewhere },
  wait: { ...common, delayMs: checkedElsewhere, reason: checkedElsewhere },
  'dead-letter': {
    ...common,
    errorCode: checkedElsewhere,
    errorSummary: checkedElsewhere,
    errorDetails: checkedElsewhere,
  },
};

/** The shape of a delivery's settlement. Throws `TypeError` naming the option. */
export function checkAuditSettlement(settlement: AuditSettlement, at = 'settlement'): void {
  checkOneOf(`${at}.kind`, settlement.kind, Object.keys(settlementShapes));
  const shape: OptionShape<object> = settlementShapes[settlement.kind];
  checkFields(at, settlement, shape);
  if ('delayMs' in settlement) checkMs(`${at}.delayMs`, settlement.delayMs);
  if (settlement.kind === 'accepted') checkJsonObject(`${at}.receipt`, settlement.receipt);
  if (settlement.kind === 'retry' || settlement.kind === 'dead-letter')
    checkText(`${at}.errorCode`, settlement.errorCode);
  if (settlement.kind === 'retry') checkBytes(`${at}.errorMessage`, settlement.errorMessage, maxAuditErrorMessageBytes);
  if (settlement.kind !== 'dead-letter') return;
  checkStorable(`${at}.errorSummary`, settlement.errorSummary);
  if (settlement.errorDetails !== null) checkJsonObject(`${at}.errorDetails`, settlement.errorDetails);
}

/** Who ends a dead letter and why. Throws `TypeError` naming the option. */
export function checkAuditOperator(option: string, { actor, note }: { actor: Actor; note: string }): void {
  checkActor(`${option}.actor`, actor);
  checkText(`${option}.note`, note, 65_536);
}
