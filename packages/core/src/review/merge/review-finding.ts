import { z } from 'zod';
import { isJsonRecord } from '../json/strict-json.js';
import { type Finding, findingSchema, SEVERITIES } from '../review-result.js';
import type { JoinedFinding } from './duplicate-findings.js';
import type { FindingIdentity } from './identity.js';
import type { PlacedFinding } from './place-findings.js';

/**
 * What became of a finding since the version before. Reviews are not compared with earlier ones
 * yet: every finding is `new`.
 */
export type FindingState = 'new';

/** A finding of a finished review. Mails, formats and the model's own document are views of it. */
export interface ReviewFinding extends PlacedFinding {
  /** What it is about, to compare it with a finding of another version. */
  identity: FindingIdentity;
  state: FindingState;
}

const digest = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .nullable();
const identitySchema = z.object({
  line: digest,
  neighbours: digest,
  section: digest,
  occurrence: z.int().min(0),
}) satisfies z.ZodType<FindingIdentity>;
const line = z.int().min(1);

/** A finding at rest. */
export const reviewFindingSchema = findingSchema.omit({ line: true, end_line: true }).extend({
  place: z.object({
    line: line.nullable(),
    endLine: line.nullable(),
    status: z.enum(['exact', 'moved', 'file', 'unverified']),
    on: z.literal('context').optional(),
  }),
  model: z.object({ severity: z.enum(SEVERITIES), line, endLine: line.nullable() }),
  identity: identitySchema,
  state: z.literal('new'),
}) satisfies z.ZodType<ReviewFinding>;

const unknownIdentity: FindingIdentity = { line: null, neighbours: null, section: null, occurrence: 0 };

/** The finding of a merged review; its identity stands in what the reply's `meta.findings` holds. */
export function makeReviewFinding({ placed, entry }: JoinedFinding): ReviewFinding {
  const identity = identitySchema.safeParse(isJsonRecord(entry) ? entry['identity'] : undefined);
  return { ...placed, identity: identity.success ? identity.data : unknownIdentity, state: 'new' };
}

/** A finding of which only its place is known. */
export function withoutIdentity(placed: PlacedFinding): ReviewFinding {
  return { ...placed, identity: unknownIdentity, state: 'new' };
}

/** The finding as the model sent it: line and severity are its own. */
export function toModelFinding(finding: ReviewFinding): Finding {
  const { place: _place, model, identity: _identity, state: _state, ...rest } = finding;
  const { severity, line: from, endLine } = model;
  return { ...rest, severity, line: from, ...(endLine === null ? {} : { end_line: endLine }) };
}
