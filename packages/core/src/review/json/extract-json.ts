import type { StopState } from '../../llm/llm-provider.js';
import { collectRest, NO_REST, type RestOfReply } from '../read/rest-of-reply.js';
import { salvageFindings } from '../read/salvage-findings.js';
import { type FoundCandidates, findCandidates, type JsonCandidate } from './json-candidates.js';
import type { RepairKind } from './json-reader.js';
import { describeStrict, type RepairOptions } from './repaired-object.js';
import { isJsonRecord, parseStrict } from './strict-json.js';

/** Top-level and finding keys: what makes an object look like a review, and a line look like a member. */
const DOCUMENTED: ReadonlySet<string> = new Set(['schema_version', 'prompt_version', 'summary', 'findings', 'meta']);
const MEMBER_KEYS: ReadonlySet<string> = new Set(
  'id severity category title file line end_line message suggestion confidence rule_id'.split(' '),
);

/** The one object that a reply is to hold. */
export interface ReplyShape {
  /** The top-level key of its list. */
  listKey: string;
  /** Top-level keys of text that tell it from other objects. */
  versionKeys: readonly string[];
  /** Its keys and those of the list's members. */
  knownKeys: ReadonlySet<string>;
}

const reviewShape: ReplyShape = {
  listKey: 'findings',
  versionKeys: ['schema_version', 'prompt_version'],
  knownKeys: new Set([...DOCUMENTED, ...MEMBER_KEYS]),
};

export interface ExtractedJson {
  /** Whatever the reply held: the review's shape is checked by the caller. */
  value: unknown;
  repairs: readonly RepairKind[];
  /** How the reply ended, as judged by the provider and the text: a `complete` that was cut is `truncated_output`. */
  state: StopState;
  /** Present where the reply was cut. */
  salvaged: { kept: number; lost: number } | null;
  /** Present where several objects with different lists could have been meant. */
  ambiguous: { candidates: number; chosen: number } | null;
  rest: RestOfReply;
}

export type ExtractOutcome =
  | { kind: 'extracted'; extracted: ExtractedJson }
  | { kind: 'nothing'; cause: 'oversize' | 'no_json' | 'no_answer'; state: StopState };

/** Stop states whose text may still hold complete findings. A refusal's text is never an answer. */
const READABLE: ReadonlySet<StopState> = new Set([
  'complete',
  'truncated_output',
  'context_overflow',
  'content_filtered',
  'provider_error',
]);

/**
 * Step 0 of parsing (ruling R7): finds the one JSON document in a model's reply. Strict JSON comes
 * out exactly as `JSON.parse` gives it; fences, prose, reasoning, a string layer and common damages
 * are mended; a cut reply gives only the complete members of its list, a review's findings by
 * default. Linear in the text, never throws.
 */
export function extractJson(
  text: string,
  stop: StopState,
  maxBytes: number,
  shape: ReplyShape = reviewShape,
): ExtractOutcome {
  if (!READABLE.has(stop)) return { kind: 'nothing', cause: 'no_answer', state: stop };
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes)
    return { kind: 'nothing', cause: 'oversize', state: stop };
  const bare = text.replace(/^[\uFEFF\u200B\s]+/, '');
  return extractLayer(bare, { stop, shape }, 0) ?? { kind: 'nothing', cause: 'no_json', state: stop };
}

/** What a text is read against. */
interface Expected {
  stop: StopState;
  shape: ReplyShape;
}

function extractLayer(text: string, expected: Expected, layer: number): ExtractOutcome | null {
  const { stop, shape } = expected;
  const strict = parseStrict(text);
  if (strict !== null && typeof strict.value === 'string' && layer === 0) {
    return withRepair(extractLayer(strict.value.trim(), expected, 1), 'string_layer');
  }
  if (strict !== null && hasShape(strict.value, shape)) return fromStrict(text, strict.value, expected);
  const found = findCandidates(text, toOptions(shape));
  if (found.candidates.length > 0) return fromCandidates(text, found, expected);
  if (layer === 0) {
    const inner = unescapeLayer(text);
    const unescaped = inner === null ? null : extractLayer(inner.text, expected, 1);
    if (inner !== null && unescaped !== null) return withRepair(unescaped, 'escaped_layer', inner.around);
  }
  // Strict JSON of another shape: the caller says what is wrong with it.
  return strict === null
    ? null
    : extracted({ value: strict.value, repairs: [], state: stop, ambiguous: null, rest: NO_REST });
}

/** The common case. Only what `JSON.parse` gives up silently needs a second look: a key that came twice. */
function fromStrict(text: string, value: Record<string, unknown>, { stop, shape }: Expected): ExtractOutcome {
  const read = describeStrict(text, 0, text.length, value, shape.listKey);
  const ambiguous = read.repeated ? { candidates: 2, chosen: 1 } : null;
  return extracted({
    value: read.value,
    repairs: [],
    state: stop,
    ambiguous,
    rest: { ...NO_REST, repeats: read.repeats },
  });
}

function toOptions({ listKey, knownKeys }: ReplyShape): RepairOptions {
  return { watchKey: listKey, knownKeys };
}

function hasShape(value: unknown, { listKey }: ReplyShape): value is Record<string, unknown> {
  return isJsonRecord(value) && Array.isArray(value[listKey]);
}

function extracted(found: Omit<ExtractedJson, 'salvaged'>): ExtractOutcome {
  return { kind: 'extracted', extracted: { ...found, salvaged: null } };
}

function withRepair(
  outcome: ExtractOutcome | null,
  kind: RepairKind,
  around: readonly string[] = [],
): ExtractOutcome | null {
  if (outcome === null || outcome.kind === 'nothing') return outcome;
  const { extracted: inner } = outcome;
  const rest = { ...inner.rest, around: [...around, ...inner.rest.around] };
  return { kind: 'extracted', extracted: { ...inner, repairs: [kind, ...inner.repairs], rest } };
}

/** `{\"a\": …}`: a JSON string whose own quotes were lost. */
function unescapeLayer(text: string): { text: string; around: readonly string[] } | null {
  const start = text.search(/\{\s{0,99}\\"/);
  const end = text.lastIndexOf('}') + 1;
  if (start < 0 || end <= start) return null;
  const inner = parseStrict(`"${text.slice(start, end).replace(/\r?\n/g, '\\n')}"`);
  return typeof inner?.value === 'string'
    ? { text: inner.value, around: [text.slice(0, start), text.slice(end)] }
    : null;
}

/** Versions present as text, then an end of its own. */
function score(candidate: JsonCandidate, { versionKeys }: ReplyShape): number {
  const versions = versionKeys.filter((key) => typeof candidate.value[key] === 'string').length;
  return versions * 2 + (candidate.closed ? 1 : 0);
}

function readMembers(candidate: JsonCandidate, { listKey }: ReplyShape): readonly unknown[] {
  const list = candidate.value[listKey];
  return Array.isArray(list) ? list : [];
}

/** The best-scored candidate; among equals the last that has members, so that an empty echo never hides a review. */
function choose(candidates: readonly JsonCandidate[], shape: ReplyShape): number {
  const best = Math.max(...candidates.map((candidate) => score(candidate, shape)));
  const equals = candidates
    .map((_, index) => index)
    .filter((index) => score(candidates[index] as JsonCandidate, shape) === best);
  const filled = equals.filter((index) => readMembers(candidates[index] as JsonCandidate, shape).length > 0);
  return filled.at(-1) ?? equals.at(-1) ?? 0;
}

/** Different members, compared as text; depth beyond what can be printed counts as different. */
function differ(candidates: readonly JsonCandidate[], shape: ReplyShape): boolean {
  try {
    return new Set(candidates.map((candidate) => JSON.stringify(readMembers(candidate, shape)))).size > 1;
  } catch {
    return true;
  }
}

function fromCandidates(
  text: string,
  { candidates, answerStart }: FoundCandidates,
  { stop, shape }: Expected,
): ExtractOutcome {
  const chosen = choose(candidates, shape);
  const candidate = candidates[chosen] as JsonCandidate;
  const repairs = new Set(candidate.repairs);
  if (candidate.start > 0 || text.slice(candidate.end).trim() !== '') repairs.add('text_around');
  const unsure = candidate.repeated || candidate.nested || (candidates.length > 1 && differ(candidates, shape));
  const ambiguous = unsure ? { candidates: Math.max(2, candidates.length), chosen } : null;
  const cut = !candidate.closed || stop !== 'complete';
  const state = stop === 'complete' && !candidate.closed ? 'truncated_output' : stop;
  const common = {
    repairs: [...repairs],
    state,
    ambiguous,
    rest: collectRest(text, candidates, candidate, answerStart),
  };
  if (!cut) return extracted({ ...common, value: candidate.value });
  const { value, kept, lost } = salvageFindings(candidate, shape.listKey);
  return { kind: 'extracted', extracted: { ...common, value, salvaged: { kept, lost } } };
}
