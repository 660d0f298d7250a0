import { z } from 'zod';
import { secretFields, type WithheldSecret } from '../../changes/redacted-change.js';
import { isJsonRecord } from '../json/strict-json.js';
import { type Finding, findingSchema, SEVERITIES } from '../review-result.js';
import type { JoinedFinding } from './duplicate-findings.js';
import type { FindingIdentity } from './identity.js';
import type { PlacedFinding } from './place-findings.js';

/**
 * Whether an earlier review of the change has a finding (GRD-6): `open` where it has, `new` where it
 * has not, or where there is no earlier review to compare with.
 */
export const FINDING_STATES = ['new', 'open'] as const;
/** One of `FINDING_STATES`. */
export type FindingState = (typeof FINDING_STATES)[number];

/** What the check pass said of a finding, and why: `lower` where its severity was lowered. */
export interface FindingCheck {
  verdict: 'keep' | 'lower' | 'drop';
  /** The model's, redacted; empty where it gave none for keeping. */
  reason: string;
}

/** A finding of the model in a merged review, as it is stored. */
export interface MergedFinding extends PlacedFinding {
  /** What it is about, to compare it with a finding of another version. */
  identity: FindingIdentity;
  state: FindingState;
  /** The first review version of the change that reported it; null: not known, stored by an earlier version. */
  since: number | null;
  /** What the check pass said of it (GRD-5); absent where it was not checked. */
  check?: FindingCheck | undefined;
}

/** A finding that the model made. */
export interface ModelFinding extends MergedFinding {
  origin: 'model';
}

/**
 * A credential that redaction withheld from the model (GRD-7). It names place and rule, never the
 * value nor a digest of it. A finding of the model about the same line is part of it.
 */
export interface SecretFinding extends Omit<MergedFinding, 'file' | 'model' | 'check'> {
  origin: 'redaction';
  /** Null: it is in the description, the user or a job of the change. */
  file: string | null;
  model?: undefined;
  /** The rule that found it. */
  rule_id: string;
  /** Where redaction hid it, and how sure it is. */
  secret: WithheldSecret;
}

/** The finding with its origin, as a finished review tells it from withheld credentials. */
export function asModelFinding(finding: MergedFinding): ModelFinding {
  return { ...finding, origin: 'model' };
}

/** The finding as it is stored: where it is says whose it is. */
export function withoutOrigin({ origin: _origin, ...finding }: ModelFinding): MergedFinding {
  return finding;
}

/** A finding of a finished review. Mails, formats and the model's own document are views of it. */
export type ReviewFinding = ModelFinding | SecretFinding;

const digest = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .nullable();
const identitySchema = z.object({
  line: digest,
  neighbours: digest,
  section: digest,
  occurrence: z.int().min(0),
  before: digest.optional(),
  after: digest.optional(),
  alike: z.int().min(0).optional(),
  places: z.int().min(0).optional(),
}) satisfies z.ZodType<FindingIdentity>;
const line = z.int().min(1);

/** A finding of the model at rest. */
export const reviewFindingSchema = findingSchema.omit({ line: true, end_line: true }).extend({
  place: z.object({
    line: line.nullable(),
    endLine: line.nullable(),
    status: z.enum(['exact', 'moved', 'file', 'unverified']),
    on: z.literal('context').optional(),
  }),
  model: z.object({ severity: z.enum(SEVERITIES), line, endLine: line.nullable() }),
  identity: identitySchema,
  state: z.enum(FINDING_STATES),
  since: z.int().min(1).nullable().default(null),
  check: z.object({ verdict: z.enum(['keep', 'lower', 'drop']), reason: z.string() }).optional(),
}) satisfies z.ZodType<MergedFinding>;

/** A withheld credential at rest. */
export const secretFindingSchema = z.object({
  ...findingSchema.omit({ line: true, end_line: true, file: true }).shape,
  ...reviewFindingSchema.pick({ place: true, identity: true, state: true, since: true }).shape,
  origin: z.literal('redaction'),
  file: z.string().min(1).nullable(),
  rule_id: z.string(),
  secret: z.object(secretFields) satisfies z.ZodType<WithheldSecret>,
}) satisfies z.ZodType<SecretFinding>;

const unknownIdentity: FindingIdentity = { line: null, neighbours: null, section: null, occurrence: 0 };

/** The finding of a merged review; its identity stands in what the reply's `meta.findings` holds. */
export function makeReviewFinding({ placed, entry }: JoinedFinding): MergedFinding {
  const identity = identitySchema.safeParse(isJsonRecord(entry) ? entry['identity'] : undefined);
  return { ...placed, identity: identity.success ? identity.data : unknownIdentity, state: 'new', since: null };
}

/** A finding of which only its place is known. */
export function withoutIdentity(placed: PlacedFinding): MergedFinding {
  return { ...placed, identity: unknownIdentity, state: 'new', since: null };
}

/** The finding as the model sent it: line and severity are its own. */
export function toModelFinding(finding: MergedFinding & Partial<Pick<ModelFinding, 'origin'>>): Finding {
  const { origin: _origin, place: _place, model, identity: _identity, ...known } = finding;
  const { state: _state, since: _since, check: _check, ...rest } = known;
  const { severity, line: from, endLine } = model;
  return { ...rest, severity, line: from, ...(endLine === null ? {} : { end_line: endLine }) };
}
