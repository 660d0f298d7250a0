import type { Rule } from '../grammar/rule.js';
import { outcomeOf, policyForPath, type ResolvedPolicy } from '../policy/resolve-policy.js';
import { RedactionError } from '../redaction-error.js';
import { rulesFor } from '../rules/rule-set.js';
import type { Fingerprint } from './fingerprint.js';
import { createGovernor } from './govern-hits.js';
import { createPipeline, type Pipeline } from './pipeline.js';

/** Pipelines kept; a policy with more different outcomes than this builds one anew now and then. */
const MAX_KEPT = 16;

/**
 * The pipeline of each path: one for every outcome of the policy's overrides, built when a text
 * first asks for it. `own` come on top of the policy's.
 */
export function createPathPipelines(
  policy: ResolvedPolicy,
  fingerprint: Fingerprint,
  own: readonly Rule[] = [],
): (path: string | undefined) => Pipeline {
  let base: Pipeline | undefined;
  const kept = new Map<string, Pipeline>();
  return (path) => {
    const governing = policyForPath(policy, path);
    if (governing === policy) {
      base ??= compile(policy, fingerprint, own);
      return base;
    }
    const name = outcomeOf(governing);
    const known = kept.get(name);
    if (known !== undefined) return known;
    if (kept.size >= MAX_KEPT) kept.clear();
    const pipeline = compile(governing, fingerprint, own);
    kept.set(name, pipeline);
    return pipeline;
  };
}

/** Throws `REDACTION_RULE_FAILED` where a rule throws: the text must then not leave (RED-10). */
function compile(policy: ResolvedPolicy, fingerprint: Fingerprint, own: readonly Rule[]): Pipeline {
  const pipeline = createPipeline([...rulesFor(policy), ...own]);
  const govern = createGovernor(policy, fingerprint);
  return (text, context) => {
    try {
      return pipeline(text, govern === undefined ? context : { ...context, govern });
    } catch (cause) {
      throw new RedactionError(
        'REDACTION_RULE_FAILED',
        'a redaction rule threw; nothing of this text may leave',
        cause,
      );
    }
  };
}

/**
 * An allowed value of an unmistakable shape would be redacted all the same: better said than found
 * out. Throws a TypeError that shows no value.
 */
export function refuseUnmistakable(values: readonly string[], pipeline: Pipeline): void {
  values.forEach((value, at) => {
    const hit = pipeline(value, { kind: 'unknown', diff: undefined }).find((one) => one.confidence === 'high');
    if (hit !== undefined)
      throw new TypeError(
        `createRedactor: policy.allow.values[${at}]: has the shape of ${hit.rule}, which is redacted under any policy`,
      );
  });
}
