import { z } from 'zod';
import type { JsonObject } from '../foundation/json.js';

/** Most severe first; reports sort in this order. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
/** What a finding is about. */
export const CATEGORIES = [
  'correctness',
  'security',
  'performance',
  'reliability',
  'maintainability',
  'style',
  'test',
] as const;
/** How sure the reviewer is, surest first. */
export const CONFIDENCES = ['high', 'medium', 'low'] as const;

/** How bad a finding is; the first of `SEVERITIES` is the worst. */
export type Severity = (typeof SEVERITIES)[number];

/** What a finding is about. */
export type Category = (typeof CATEGORIES)[number];

/** How sure the model says it is. */
export type Confidence = (typeof CONFIDENCES)[number];

/** One remark about one place of a change. */
export interface Finding {
  /** From a model: its own. In a parsed review: ours, stable across versions of the change (`identity.ts`). */
  id: string;
  severity: Severity;
  category: Category;
  title: string;
  /** One of the change's paths. */
  file: string;
  /** 1-based, on the new side. */
  line: number;
  /** Not below `line`. */
  end_line?: number | undefined;
  message: string;
  suggestion?: string | undefined;
  confidence?: Confidence | undefined;
  rule_id?: string | undefined;
}

/** What a reviewer emits, as the specification fixes it (OUT-1). Keys are the wire's. */
export interface ReviewResult {
  schema_version: string;
  prompt_version: string;
  summary?: string | undefined;
  findings: Finding[];
  /** Open by the schema: anchors, model ids, quotes and coverage live here (ruling R7). */
  meta?: JsonObject | undefined;
}

/** One finding, exactly. A key the schema does not name is an error. */
export const findingSchema = z.strictObject({
  id: z.string().min(1),
  severity: z.enum(SEVERITIES),
  category: z.enum(CATEGORIES),
  title: z.string().min(1),
  file: z.string().min(1),
  line: z.int().min(1),
  end_line: z.int().min(1).optional(),
  message: z.string().min(1),
  suggestion: z.string().optional(),
  confidence: z.enum(CONFIDENCES).optional(),
  rule_id: z.string().optional(),
}) satisfies z.ZodType<Finding>;

const metaSchema = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** The whole document, exactly. The one source of its JSON schema, its types' checks and the prompt's lists (OUT-1). */
export const reviewResultSchema = z.strictObject({
  schema_version: z.string().regex(/^[0-9]+\.[0-9]+$/),
  prompt_version: z.string().regex(/^[0-9]+\.[0-9]+(\.[0-9]+)?$/),
  summary: z.string().optional(),
  findings: z.array(findingSchema),
  meta: metaSchema.optional(),
}) satisfies z.ZodType<ReviewResult>;

function canonicalJsonSchema(): JsonObject {
  const made = z.toJSONSchema(reviewResultSchema, {
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // zod bounds integers by what a double can hold; the contract names no upper bound.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (zodSchema._zod.def.type === 'custom')
        Object.assign(jsonSchema, { type: 'object', additionalProperties: true });
    },
  });
  const { $schema: _dialect, ...schema } = JSON.parse(JSON.stringify(made)) as Record<string, JsonObject>;
  return schema;
}

/** The canonical JSON schema, deep-equal to the specification's (OUT-1). Providers translate it to what they accept. */
export const reviewResultJsonSchema: JsonObject = canonicalJsonSchema();

/** How many findings of each severity, all five keys always present. */
export function summariseFindings(findings: readonly Pick<Finding, 'severity'>[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const finding of findings) counts[finding.severity] += 1;
  return counts;
}

/** Negative when `a` is more severe than `b`. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}
