import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import type { JsonObject } from '../../foundation/json.js';
import type { StructuredMode } from '../../llm/llm-provider.js';
import { estimateTokens } from '../../prompt/plan-chunks.js';
import type { PromptVariant, QuoteShape } from '../../prompt/prompt-variant.js';
import { requestSchema } from '../../prompt/request-schema.js';
import { renderTeamRules } from '../../prompt/team-rules.js';
import type { Guidance } from './guidance/guidance.js';

/** What a request says besides the change. */
export interface Instructions {
  /** The trusted half of the prompt. */
  system: string;
  schema: JsonObject;
  /** Estimate of both together. */
  tokens: number;
  /** SHA-256 of both, hex. */
  digest: string;
}

/** A variant is a value, and its template gives the same text for the same input: each is made once. */
const known = new WeakMap<PromptVariant, Map<string, Instructions>>();
/** Instructions of one variant that are kept, so that many mixtures of files cannot fill the memory. */
const maxKnown = 256;

/** The instructions of a variant in this mode, with the guidance for the files that a request shows (PR-3). */
export function instructionsFor(mode: StructuredMode, variant: PromptVariant, guidance: Guidance): Instructions {
  // Strict schemas close every object, so they cannot hold a map by finding id.
  const quotes = mode === 'json_schema' || mode === 'tool' ? 'list' : 'map';
  const ofVariant = known.get(variant) ?? new Map<string, Instructions>();
  const key = JSON.stringify([quotes, guidance]);
  const instructions = ofVariant.get(key) ?? makeInstructions(quotes, variant, guidance);
  if (ofVariant.size >= maxKnown) ofVariant.clear();
  known.set(variant, ofVariant.set(key, instructions));
  return instructions;
}

function makeInstructions(quotes: QuoteShape, variant: PromptVariant, guidance: Guidance): Instructions {
  const system = variant.template.system(variant, quotes, guidance.languages) + renderTeamRules(guidance.rules);
  const schema = requestSchema(quotes, variant);
  return {
    system,
    schema,
    tokens: estimateTokens(system) + estimateTokens(JSON.stringify(schema)),
    digest: createHash('sha256').update(canonicalJson({ system, schema })).digest('hex'),
  };
}
