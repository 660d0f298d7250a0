import { withoutPlaceholders } from '../placeholder.js';
import type { Scan } from '../rule.js';
import { isSecretValue, type ValueContext } from './assigned-values.js';
import type { KeyStrength } from './key-names.js';

/** A name that a value belongs to, and what it says about it. */
export interface Key {
  start: number;
  end: number;
  strength: KeyStrength;
}

const RULE_BY_STRENGTH: Readonly<Record<KeyStrength, string>> = {
  password: 'password',
  secret: 'secret',
  key: 'key',
  weak: 'secret',
  vendor: 'secret',
  none: 'secret',
};

/** Reports the value that the pieces in `spans` make up if it is a secret of its key; returns its end, or 0. */
export function reportIfSecret(scan: Scan, key: Key, spans: number[], context: ValueContext): number {
  let value = '';
  for (let i = 0; i < spans.length; i += 2) value += scan.text.slice(spans[i], spans[i + 1]);
  if (!isSecretValue(withoutPlaceholders(value), key.strength, context) || repeatsName(scan.text, key, value)) return 0;
  const end = spans[spans.length - 1] as number;
  if (spans.length === 2) scan.report(RULE_BY_STRENGTH[key.strength], spans[0] as number, end, 'low');
  else scan.reportSpans(RULE_BY_STRENGTH[key.strength], spans, 'low');
  return end;
}

/** `KPSK = "kPSK"`: a constant that holds its own name. */
function repeatsName(text: string, key: Key, value: string): boolean {
  if (value.length > 40 || value.length > key.end - key.start + 4) return false;
  const folded = value.toLowerCase().replace(/[^a-z0-9]/g, '');
  return (
    folded.length >= 3 &&
    text
      .slice(key.start, key.end)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '')
      .includes(folded)
  );
}
