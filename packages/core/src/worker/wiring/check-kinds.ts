import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import { checkArray, checkBoolean, checkedElsewhere, optional } from '../../foundation/option-checks.js';
import { checkText } from '../../foundation/store-input.js';
import type { JobKind, Stage } from '../run/stage.js';

const kindShape: OptionShape<JobKind<unknown>> = {
  kind: (option, value) => checkText(option, value, 128),
  payload: checkedElsewhere,
  stages: checkArray,
  deleteCompleted: optional(checkBoolean),
  sendsTo: optional(checkArray),
};

function checkStages(at: string, stages: readonly Stage<unknown>[]): void {
  const refuse = (message: string): never => {
    throw new TypeError(`${at}: ${message}`);
  };
  if (stages.length === 0) refuse('needs stages: expected at least one');
  for (const stage of stages) {
    checkText(`${at}.name`, stage?.name, 128);
    if (typeof stage.run !== 'function') refuse(`the stage "${stage.name}" needs a function run`);
  }
  if (new Set(stages.map(({ name }) => name)).size !== stages.length) refuse('needs stages with names of their own');
}

/**
 * Checks the kinds of job that a host registers, before a worker claims anything for them.
 * `reserved` names are the SDK's own. Throws `TypeError` that names the kind: an unknown key, a
 * name given twice, a payload without `safeParse`, no stages, two stages of one name, a stage
 * without `run`.
 */
export function checkKinds(
  factory: string,
  kinds: readonly JobKind<unknown>[],
  reserved: readonly string[] = [],
): void {
  checkArray(`${factory}: kinds`, kinds);
  const taken = new Set(reserved);
  for (const [n, kind] of kinds.entries()) {
    const at = `${factory}: kinds[${n}]`;
    checkFields(at, kind ?? null, kindShape);
    if (taken.has(kind.kind))
      throw new TypeError(`${at}.kind: "${kind.kind}" is there already; expected names that differ`);
    taken.add(kind.kind);
    if (typeof kind.payload?.safeParse !== 'function')
      throw new TypeError(`${at}.payload: expected a schema with safeParse, such as zod's, for "${kind.kind}"`);
    checkStages(`${at}.stages of "${kind.kind}"`, kind.stages);
  }
}
