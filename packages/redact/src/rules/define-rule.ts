import { checkFields, checkOptions, type KnownKeys } from '../check-options.js';
import type { Confidence, Rule } from '../grammar/rule.js';
import { RedactionError } from '../redaction-error.js';

/** The text round one trigger, cut to the rule's reach. */
export interface RuleWindow {
  text: string;
  /** Where the trigger starts and ends in `text`. */
  start: number;
  end: number;
}

/** What a rule of one's own looks for. */
export interface RuleDefinition {
  /** Names the placeholder: lower-case words and dashes, 48 characters at most. */
  name: string;
  /** ASCII literals of three characters or more, found in any case; only text round one of them is ever looked at. */
  triggers: readonly string[];
  /** How many characters before and behind the trigger are handed over: at most 256 and 1024; default 64 and 256. */
  reach?: { before?: number | undefined; behind?: number | undefined } | undefined;
  /** `high` makes the guard before a request block; default `low`. */
  confidence?: Confidence | undefined;
  /**
   * Tells where in the window the secret is, as offsets into `window.text`; undefined when there is
   * none. Must not keep state.
   */
  confirm(window: RuleWindow): { start: number; end: number } | undefined;
}

/** A rule that `defineRule` has checked; give it to `createRedactor` as `rules`. */
export interface DefinedRule {
  readonly name: string;
  readonly triggers: readonly string[];
  /** @internal */
  readonly rule: Rule;
}

const knownParts: KnownKeys<RuleDefinition> = {
  name: true,
  triggers: true,
  reach: true,
  confidence: true,
  confirm: true,
};
const knownReach: KnownKeys<NonNullable<RuleDefinition['reach']>> = { before: true, behind: true };

const MAX_BEFORE = 256;
const MAX_BEHIND = 1024;
const SHORTEST_TRIGGER = 3;

/**
 * Checks a rule of one's own: literal triggers and a confirmer on a bounded window, so that its work
 * grows as the text's length by construction. Throws a TypeError for an unknown key, and a RedactionError
 * (`REDACTION_RULE_INVALID`) that names what is wrong: an empty or short trigger, a reach out of bounds,
 * a confirmer that finds an empty secret. At run time an empty or outlying find, or a throw, stops the
 * text with `REDACTION_RULE_FAILED`: nothing of it may leave.
 */
export function defineRule(definition: RuleDefinition): DefinedRule {
  checkOptions('defineRule', definition, knownParts);
  checkFields('defineRule: reach', definition.reach, knownReach);
  const { name, triggers, reach = {}, confidence = 'low', confirm } = definition;
  need(
    typeof name === 'string' && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 48,
    'name: expected lower-case words joined by dashes',
  );
  const about = `rule ${name}: `;
  need(Array.isArray(triggers) && triggers.length > 0, `${about}triggers: expected at least one`);
  for (const trigger of triggers)
    need(isTrigger(trigger), `${about}triggers: expected ASCII literals of at least ${SHORTEST_TRIGGER} characters`);
  need(confidence === 'low' || confidence === 'high', `${about}confidence: expected low or high`);
  need(typeof confirm === 'function', `${about}confirm: expected a function`);
  const before = bounded(reach.before ?? 64, MAX_BEFORE, `${about}reach.before`);
  const behind = bounded(reach.behind ?? 256, MAX_BEHIND, `${about}reach.behind`);
  for (const trigger of triggers) need(!findsNothing(confirm, trigger), `${about}confirm: finds an empty secret`);
  const rule: Rule = {
    triggers,
    confirm(scan, start, end) {
      const from = Math.max(0, start - before);
      const text = scan.text.slice(from, end + behind);
      const found = confirm({ text, start: start - from, end: end - from });
      if (found === undefined) return;
      if (!isInside(found, text.length))
        throw new RedactionError('REDACTION_RULE_FAILED', `${about}confirm: expected a span inside the window`);
      scan.report(name, from + found.start, from + found.end, confidence);
    },
  };
  return Object.freeze({ name, triggers: Object.freeze([...triggers]), rule });
}

function need(condition: boolean, message: string): void {
  if (!condition) throw new RedactionError('REDACTION_RULE_INVALID', `defineRule: ${message}`);
}

function isTrigger(trigger: unknown): boolean {
  return (
    typeof trigger === 'string' && trigger.length >= SHORTEST_TRIGGER && Buffer.byteLength(trigger) === trigger.length
  );
}

function bounded(value: number, max: number, what: string): number {
  need(Number.isInteger(value) && value >= 0 && value <= max, `${what}: expected an integer from 0 to ${max}`);
  return value;
}

/**
 * True when the confirmer takes an empty span for a secret beside nothing, a space or a quote: it
 * would between all that stands there.
 */
function findsNothing(confirm: RuleDefinition['confirm'], trigger: string): boolean {
  return ['', ' ', '"', '=""'].some((rest) => {
    const found = confirm({ text: trigger + rest, start: 0, end: trigger.length });
    return found !== undefined && !isInside(found, trigger.length + rest.length);
  });
}

function isInside({ start, end }: { start: number; end: number }, length: number): boolean {
  return Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= length;
}
