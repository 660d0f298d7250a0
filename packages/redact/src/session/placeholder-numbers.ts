import { placeholderFor } from '../lexicon/placeholder.js';

/** What a placeholder is made of: equal fingerprints share one. */
export interface Numbered {
  rule: string;
  fingerprint: string;
}

/** Placeholders drafted for one text. */
export interface PlaceholderDraft {
  /** One per secret, in the order given. */
  placeholders: readonly string[];
  /** Makes the draft the session's: until then the next draft starts from the same numbers. */
  keep(): void;
}

/** Hands out the placeholders of one session: a secret keeps its first, the others of a rule count on from 1. */
export interface PlaceholderNumbers {
  draft(secrets: readonly Numbered[]): PlaceholderDraft;
}

export function createPlaceholderNumbers(): PlaceholderNumbers {
  // Most sessions find nothing.
  let known: Map<string, string> | undefined;
  let lastNumber: Map<string, number> | undefined;
  return {
    draft(secrets) {
      const made = new Map<string, string>();
      const last = new Map<string, number>();
      const placeholders = secrets.map(({ rule, fingerprint }) => {
        const given = known?.get(fingerprint) ?? made.get(fingerprint);
        if (given !== undefined) return given;
        const n = (last.get(rule) ?? lastNumber?.get(rule) ?? 0) + 1;
        last.set(rule, n);
        const placeholder = placeholderFor(rule, n);
        made.set(fingerprint, placeholder);
        return placeholder;
      });
      return {
        placeholders,
        keep() {
          known ??= new Map();
          lastNumber ??= new Map();
          for (const [fingerprint, placeholder] of made) known.set(fingerprint, placeholder);
          for (const [rule, n] of last) lastNumber.set(rule, n);
        },
      };
    },
  };
}
