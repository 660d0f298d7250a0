import type { Random } from './random.ts';

/** A text with secrets in known places, as a labeller would hand it over. */
export interface LabelledText {
  /** What the secret looks like or how it is written down; targets are set by family. */
  family: string;
  /** The vendor's format, the kind of setting or the shape of key within the family. */
  rule: string;
  text: string;
  /** Start and end of each piece of the secret. */
  spans: readonly (readonly [start: number, end: number])[];
  path?: string;
  diff?: boolean;
}

/** Writes a value down: the text around it, and the path it is read with where the syntax belongs to one. */
export interface Context {
  name: string;
  path?: string;
  write(value: string, random: Random): string;
}

/** Labels a value written in a context; throws when the value is not in the text, which would make the label a lie. */
export function labelled(family: string, rule: string, value: string, context: Context, random: Random): LabelledText {
  return labelledText(family, rule, context.write(value, random), [value], context.path);
}

/** Labels values that stand in a text in this order. */
export function labelledText(
  family: string,
  rule: string,
  text: string,
  values: readonly string[],
  path?: string,
): LabelledText {
  let from = 0;
  const spans = values.map((value): [number, number] => {
    const start = text.indexOf(value, from);
    if (start < 0) throw new Error(`${family}/${rule}: the labelled value is not in its text`);
    from = start + value.length;
    return [start, from];
  });
  return path === undefined ? { family, rule, text, spans } : { family, rule, text, spans, path };
}
