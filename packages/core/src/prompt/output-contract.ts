import { reviewResultSchema } from '../review/review-result.js';
import type { QuoteShape } from './prompt-variant.js';

interface FieldList {
  required: readonly string[];
  optional: readonly string[];
}

/** Required and optional keys, read from the schema so that prompt and parser cannot drift apart. */
function fieldsOf(shape: Readonly<Record<string, { safeParse(value: unknown): { success: boolean } }>>): FieldList {
  const keys = Object.keys(shape);
  const isOptional = (key: string): boolean => shape[key]?.safeParse(undefined).success === true;
  return { required: keys.filter((key) => !isOptional(key)), optional: keys.filter(isOptional) };
}

const FINDING_SHAPE = reviewResultSchema.shape.findings.element.shape;

function oneOf(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}

/** The fields and enum sets of a reply, as the schema has them (PR-3). */
export function describeContract(): string {
  const top = fieldsOf(reviewResultSchema.shape);
  const finding = fieldsOf(FINDING_SHAPE);
  return [
    `Top level, required: ${top.required.join(', ')}. Optional: ${top.optional.join(', ')}.`,
    `Each element of findings, required: ${finding.required.join(', ')}. Optional: ${finding.optional.join(', ')}.`,
    `severity is one of ${oneOf(FINDING_SHAPE.severity.options)}.`,
    `category is one of ${oneOf(FINDING_SHAPE.category.options)}.`,
    `confidence, when given, is one of ${oneOf(FINDING_SHAPE.confidence.unwrap().options)}.`,
  ].join('\n');
}

/** What the system text says about quotes and `meta`, in the shape that the request's schema allows. */
export const META_LINES = {
  map: {
    closed: 'A key that is not listed here is not allowed; the one open place is the object meta.',
    quotes:
      'an object from finding id to the text of the cited line, copied without its number and mark. Send it when you can.',
  },
  list: {
    closed: 'A key that is not listed here is not allowed; meta holds quotes and nothing else.',
    quotes:
      'a list of objects with the keys id, of a finding, and quote, the text of the cited line copied without its number and mark.',
  },
} as const satisfies Readonly<Record<QuoteShape, object>>;
