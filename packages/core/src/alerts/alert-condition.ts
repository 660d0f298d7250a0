import { createHash } from 'node:crypto';
import type { OptionShape } from '../foundation/check-options.js';
import { checkFields } from '../foundation/check-options.js';
import { checkedElsewhere } from '../foundation/option-checks.js';
import { type Alert, type AlertSeverity, alertSeverities } from '../pager/alert.js';

/**
 * Something that is wrong now, found by a source or reported by a part. Two conditions with the same
 * kind, code and place are one cause (OPS-3). Holds no path, no finding and no person: only names from
 * code and configuration.
 */
export interface AlertCondition {
  /** Lower-case words joined by dots or underscores: `dead_letter.page`. At most 64 characters. */
  kind: string;
  /** A stable code, as in docs/reference/errors.md. At most 64 characters of `A-Z 0-9 _`. */
  code: string;
  severity: AlertSeverity;
  /** At most 6 entries; values of 1 to 128 characters of `A-Z a-z 0-9 . _ : -`, others become `_`. */
  place?: Readonly<Record<string, string>> | undefined;
  /** How many things it hits; at least 1. Default 1. */
  count?: number | undefined;
  /** One plain sentence without the count: what is wrong. At most 160 characters; the default names kind and code. */
  text?: string | undefined;
  /** Milliseconds for which it must last before anybody is paged. Default 0. */
  forMs?: number | undefined;
  /** Milliseconds for which it must be gone before the page is resolved, so that flickering pages once. Default 0. */
  keepMs?: number | undefined;
}

/** A condition as it is stored: complete and safe to send. */
export interface CheckedCondition {
  key: string;
  kind: string;
  code: string;
  severity: AlertSeverity;
  place: Readonly<Record<string, string>>;
  count: number;
  text: string;
  forMs: number;
  keepMs: number;
}

const shape: OptionShape<AlertCondition> = {
  kind: checkedElsewhere,
  code: checkedElsewhere,
  severity: checkedElsewhere,
  place: checkedElsewhere,
  count: checkedElsewhere,
  text: checkedElsewhere,
  forMs: checkedElsewhere,
  keepMs: checkedElsewhere,
};

const kindForm = /^[a-z][a-z0-9_.]{0,63}$/;
const codeForm = /^[A-Z][A-Z0-9_]{0,63}$/;
const nameForm = /^[a-z][A-Za-z0-9]{0,31}$/;
/** Sentences are written in code. What could carry text from outside is refused: quotes, breaks, paths. */
const textForm = /^[A-Z][A-Za-z0-9 ,.:;()'_-]{0,159}$/;
const maxPlaces = 6;
/** Longest wait that a condition may ask for: a day. */
const maxWaitMs = 86_400_000;
const maxKey = 255;

function need(holds: boolean, at: string, expected: string): void {
  if (!holds) throw new TypeError(`condition.${at}: expected ${expected}`);
}

/** A value as a name: what no name has becomes `_`, and the rest is cut. Never empty. */
function toName(value: string): string {
  return value.replaceAll(/[^A-Za-z0-9._:-]/g, '_').slice(0, 128) || '_';
}

function checkPlace(place: Readonly<Record<string, string>>): [string, string][] {
  const entries = Object.entries(place);
  need(entries.length <= maxPlaces, 'place', `at most ${maxPlaces} entries`);
  for (const [name, value] of entries) {
    need(nameForm.test(name), 'place', 'names of 1 to 32 letters and digits');
    need(typeof value === 'string' && value !== '', `place.${name}`, 'a string that is not empty');
  }
  return entries.map(([name, value]): [string, string] => [name, toName(value)]).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Pagers take keys of 255 characters: a longer one ends with a digest of the whole. */
function shorten(key: string): string {
  if (key.length <= maxKey) return key;
  return `${key.slice(0, maxKey - 33)}:${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}

function checkWait(at: string, value: number): number {
  need(Number.isSafeInteger(value) && value >= 0 && value <= maxWaitMs, at, `a whole number from 0 to ${maxWaitMs}`);
  return value;
}

/** Fills in what was left out, and refuses what could carry content (ruling R21). Throws `TypeError`. */
export function checkCondition(condition: AlertCondition): CheckedCondition {
  checkFields('condition', condition, shape);
  const { kind, code, severity, place = {}, count = 1, forMs = 0, keepMs = 0 } = condition;
  need(typeof kind === 'string' && kindForm.test(kind), 'kind', 'lower-case words such as stage.parked');
  need(typeof code === 'string' && codeForm.test(code), 'code', 'a code such as AUTH_DENIED');
  need(alertSeverities.includes(severity), 'severity', `one of ${alertSeverities.join(', ')}`);
  need(Number.isSafeInteger(count) && count >= 1, 'count', 'a whole number from 1');
  const text = condition.text ?? `An alert of the kind ${kind} with the code ${code}.`;
  need(typeof text === 'string' && textForm.test(text), 'text', 'one plain sentence of at most 160 characters');
  const entries = checkPlace(place);
  const key = ['criticizer', kind, code, ...entries.map(([name, value]) => `${name}-${value}`)].join(':');
  return {
    ...{ key: shorten(key), kind, code, severity, count, text },
    place: Object.fromEntries(entries),
    forMs: checkWait('forMs', forMs),
    keepMs: checkWait('keepMs', keepMs),
  };
}

/** The sentence that a person reads first. */
function summarize({ text, code, place, count }: CheckedCondition): string {
  const where = Object.values(place).join(' ');
  const many = count === 1 ? '' : `, ${count} of them`;
  return `${text.replace(/\.$/, '')}: ${code}${where === '' ? '' : ` at ${where}`}${many}`.slice(0, 256);
}

/** A condition as the pagers get it. */
export function toAlert(condition: CheckedCondition, episode: number, startedAtMs: number): Alert {
  const { key, kind, code, severity, place, count } = condition;
  const summary = summarize(condition);
  return { key, episode, kind, code, severity, summary, place, count, startedAt: new Date(startedAtMs) };
}
