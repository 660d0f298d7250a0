import { checkActor } from '../../foundation/actor.js';
import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import { dispositions } from '../../foundation/disposition.js';
import { checkBoolean, checkedElsewhere } from '../../foundation/option-checks.js';
import { checkMs, checkOneOf, checkText } from '../../foundation/store-input.js';
import type { FindingScope, NewSuppression, RuleScope } from '../suppression-store.js';

const shape: OptionShape<NewSuppression> = {
  scope: checkedElsewhere,
  disposition: (option, value) => checkOneOf(option, value, dispositions),
  reason: (option, value) => checkText(option, value, 1_000),
  actor: checkActor,
  expiresInMs: (option, value) => {
    if (value !== null) checkMs(option, value, 1);
  },
};

const findingShape: OptionShape<FindingScope> = {
  kind: checkedElsewhere,
  changelistId: checkText,
  findingId: (option, value) => checkText(option, value, 128),
  coversSecret: checkBoolean,
};

const textOrNull = (option: string, value: unknown): void => {
  if (value !== null) checkText(option, value, 1_024);
};

const ruleShape: OptionShape<RuleScope> = {
  kind: checkedElsewhere,
  ruleId: textOrNull,
  paths: textOrNull,
  category: textOrNull,
  severity: textOrNull,
  confidence: textOrNull,
};

/** What every store checks before it adds a suppression. Throws `TypeError` naming the option. */
export function checkNewSuppression(suppression: NewSuppression): void {
  checkFields('suppression', suppression, shape);
  const { scope, expiresInMs } = suppression;
  checkOneOf('suppression.scope.kind', scope?.kind, ['finding', 'rule']);
  if (scope.kind === 'finding') {
    checkFields('suppression.scope', scope, findingShape);
    return;
  }
  checkFields('suppression.scope', scope, ruleShape);
  const { kind: _kind, ...conditions } = scope;
  if (Object.values(conditions).every((condition) => condition === null))
    throw new TypeError('suppression.scope: expected at least one condition; it would hide every finding');
  if (expiresInMs === null) throw new TypeError('suppression.expiresInMs: expected milliseconds; a rule must expire');
}
