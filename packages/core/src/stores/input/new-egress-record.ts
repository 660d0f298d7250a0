import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import { checkArray, checkedElsewhere, checkObject } from '../../foundation/option-checks.js';
import { checkHex, checkText, checkWhole } from '../../foundation/store-input.js';
import type { NewEgressRecord } from '../egress-log.js';

/** Its keys; `checkNewEgressRecord` checks the other values. */
const recordShape: OptionShape<NewEgressRecord> = {
  id: checkedElsewhere,
  jobId: checkedElsewhere,
  changelistId: checkedElsewhere,
  reviewVersion: checkedElsewhere,
  provider: checkedElsewhere,
  host: checkedElsewhere,
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

/** What every store checks before it appends. Throws `TypeError` naming the option. */
export function checkNewEgressRecord(record: NewEgressRecord, at = 'record'): void {
  checkFields(at, record, recordShape);
  checkText(`${at}.id`, record.id);
  checkText(`${at}.jobId`, record.jobId);
  checkText(`${at}.changelistId`, record.changelistId, 512);
  checkWhole(`${at}.reviewVersion`, record.reviewVersion, 1);
  checkText(`${at}.provider`, record.provider);
  checkText(`${at}.host`, record.host);
  checkText(`${at}.model`, record.model);
  checkText(`${at}.promptVersion`, record.promptVersion);
  checkText(`${at}.schemaVersion`, record.schemaVersion);
  checkWhole(`${at}.bytes`, record.bytes, 0, Number.MAX_SAFE_INTEGER);
  checkHex(`${at}.bodySha256`, record.bodySha256, 64);
}
