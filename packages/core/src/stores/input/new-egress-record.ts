import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import { checkArray, checkedElsewhere, checkObject } from '../../foundation/option-checks.js';
import { contentLevels, destinationKinds } from '../../foundation/outbound.js';
import { checkHex, checkText, checkWhole } from '../../foundation/store-input.js';
import type { NewEgressRecord } from '../egress-log.js';

/** Its keys; `checkNewEgressRecord` checks the other values. */
const recordShape: OptionShape<NewEgressRecord> = {
  id: checkedElsewhere,
  destination: checkedElsewhere,
  content: checkedElsewhere,
  jobId: checkedElsewhere,
  changelistId: checkedElsewhere,
  reviewVersion: checkedElsewhere,
  provider: checkedElsewhere,
  host: checkedElsewhere,
  messageKey: checkedElsewhere,
  model: checkedElsewhere,
  promptVersion: checkedElsewhere,
  schemaVersion: checkedElsewhere,
  paths: checkArray,
  bytes: checkedElsewhere,
  bodySha256: checkedElsewhere,
  redactions: checkObject,
  rulesVersion: checkedElsewhere,
  policyHash: checkedElsewhere,
};

function checkTextOrNull(at: string, value: string | null, isRequired: boolean): void {
  if (value !== null || isRequired) checkText(at, value);
}

/** What every store checks before it appends. Throws `TypeError` naming the option. */
export function checkNewEgressRecord(record: NewEgressRecord, at = 'record'): void {
  checkFields(at, record, recordShape);
  checkText(`${at}.id`, record.id);
  if (!destinationKinds.includes(record.destination))
    throw new TypeError(`${at}.destination: expected one of ${destinationKinds.join(', ')}`);
  if (!contentLevels.includes(record.content))
    throw new TypeError(`${at}.content: expected one of ${contentLevels.join(', ')}`);
  const isRequest = record.destination === 'llm';
  checkTextOrNull(`${at}.jobId`, record.jobId, isRequest);
  checkTextOrNull(`${at}.messageKey`, record.messageKey, false);
  checkText(`${at}.changelistId`, record.changelistId, 512);
  checkWhole(`${at}.reviewVersion`, record.reviewVersion, 1);
  checkText(`${at}.provider`, record.provider);
  checkText(`${at}.host`, record.host);
  for (const name of ['model', 'promptVersion', 'schemaVersion', 'rulesVersion', 'policyHash'] as const)
    checkTextOrNull(`${at}.${name}`, record[name], isRequest);
  checkWhole(`${at}.bytes`, record.bytes, 0, Number.MAX_SAFE_INTEGER);
  checkHex(`${at}.bodySha256`, record.bodySha256, 64);
}
