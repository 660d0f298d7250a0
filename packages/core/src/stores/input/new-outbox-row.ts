import { checkFields, type OptionCheck, type OptionShape } from '../../foundation/check-options.js';
import {
  checkBoolean,
  checkedElsewhere,
  checkObject,
  nested,
  oneOf,
  optional,
} from '../../foundation/option-checks.js';
import { checkDate, checkHex, checkMs, checkOneOf, checkText, checkWhole } from '../../foundation/store-input.js';
import type { DeliveryFailure, NewOutboxRow, OutboxSettlement } from '../notify-outbox.js';
import { checkTraceparent } from './traceparent.js';

const address: OptionCheck = (option, value) => checkText(option, value, 320);

const rowShape: OptionShape<NewOutboxRow> = {
  changelistId: checkText,
  reviewVersion: (option, value) => checkWhole(option, value, 1),
  recipient: address,
  recipientKey: address,
  key: (option, value) => checkHex(option, value, 32),
  required: checkBoolean,
  via: (option, value) => checkText(option, value, 64),
  jobId: (option, value) => {
    if (value !== null) checkText(option, value);
  },
  messageArtifactId: checkText,
  messageSha256: (option, value) => checkHex(option, value, 64),
  traceparent: optional((option, value) => {
    if (value !== null) checkTraceparent(option, value);
  }),
  sendAt: optional((option, value) => {
    if (value !== null) checkDate(option, value);
  }),
};

/** What every store checks before it writes a mail row. Throws `TypeError` naming the option. */
export function checkNewOutboxRow(row: NewOutboxRow, at = 'row'): void {
  checkFields(at, row, rowShape);
}

const common = { lease: checkObject, kind: checkedElsewhere };
const failure = nested<DeliveryFailure>({
  scope: checkedElsewhere,
  code: checkedElsewhere,
  category: checkedElsewhere,
  message: checkedElsewhere,
});
const delayMs: OptionCheck = (option, value) => checkMs(option, value);
const phase = oneOf('none', 'envelope', 'data');

const settlementShapes: {
  readonly [Kind in OutboxSettlement['kind']]: OptionShape<Extract<OutboxSettlement, { kind: Kind }>>;
} = {
  sent: {
    ...common,
    notificationId: (option, value) => checkText(option, value, 1024),
    provider: checkText,
    recovered: checkBoolean,
    possibleDuplicate: optional(checkBoolean),
  },
  retry: { ...common, delayMs, failure, phase },
  wait: { ...common, delayMs, reason: checkedElsewhere, phase },
  failed: { ...common, failure },
  unknown: { ...common, failure },
  reopen: common,
  verified: common,
  unverified: common,
  cancelled: common,
};

/** The shape of a mail row's settlement. Throws `TypeError` naming the option. */
export function checkOutboxSettlement(settlement: OutboxSettlement, at = 'settlement'): void {
  checkOneOf(`${at}.kind`, settlement.kind, Object.keys(settlementShapes));
  const shape: OptionShape<object> = settlementShapes[settlement.kind];
  checkFields(at, settlement, shape);
}
