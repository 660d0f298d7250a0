import { IS_ALNUM } from './charset.js';
import { LONG_RUN } from './long-runs.js';
import type { TriggerAutomaton } from './trigger-automaton.js';

/** True for a text in which no rule would look closer. */
export type IsQuiet = (text: string) => boolean;

const ALNUM_BIT = 128;

/**
 * Tells texts without a literal, a long run of letters and digits, or as many digits as `digits`, by one look at each character: for the many short
 * texts of a payload, most of which hold nothing.
 */
export function createIsQuiet({ table, classOf, reporting }: TriggerAutomaton, digits: number): IsQuiet {
  // One entry for every UTF-16 unit spares the loop a comparison: the class, and whether it is a letter or digit.
  const kinds = Uint8Array.from(IS_ALNUM, (isAlnum, code) => (classOf[code] ?? 0) | (isAlnum * ALNUM_BIT));
  return (text) => {
    let state = 0;
    let run = 0;
    let missing = digits;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const kind = kinds[code] as number;
      state = table[state + (kind & (ALNUM_BIT - 1))] as number;
      if (state >= reporting) return false;
      if (kind < ALNUM_BIT) {
        run = 0;
        continue;
      }
      run += 1;
      if (run === LONG_RUN) return false;
      if (code > 57) continue;
      missing -= 1;
      if (missing === 0) return false;
    }
    return true;
  };
}
