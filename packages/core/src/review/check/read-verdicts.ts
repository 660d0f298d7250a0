import type { StopState } from '../../llm/llm-provider.js';
import {
  createDiagnostics,
  type Diagnostic,
  type DiagnosticsCollector,
  type NotCheckedReason,
} from '../diagnostics.js';
import { extractJson, type ReplyShape } from '../json/extract-json.js';
import { isJsonRecord } from '../json/strict-json.js';
import { compareSeverity, SEVERITIES, type Severity } from '../review-result.js';

/** What the check may say of a finding. */
export const CHECK_VERDICTS = ['keep', 'lower', 'drop'] as const;
/** One of `CHECK_VERDICTS`. */
export type CheckVerdict = (typeof CHECK_VERDICTS)[number];

/** A finding that goes back to the model: our id and its effective severity. */
export interface CheckCandidate {
  id: string;
  severity: Severity;
}

/** What becomes of a candidate. A severity is always below the candidate's own; reasons are redacted. */
export type CheckOutcome =
  | { verdict: 'keep'; reason: string }
  | { verdict: 'lower'; severity: Severity; reason: string }
  | { verdict: 'drop'; reason: string }
  /** It stays as it is. `failure` is the code of what went wrong, where something did. */
  | { verdict: null; because: NotCheckedReason; failure: string | null };

/** A reply to a check, and all that it is read against. */
export interface ReadVerdictsInput {
  /** Every text of the reply, raw. */
  texts: readonly string[];
  stop: StopState;
  candidates: readonly CheckCandidate[];
  /** What the request pinned. */
  checkVersion: string;
  /** Larger texts are refused unread. */
  maxBytes: number;
  /** Redacts what is kept of the reply. Throws what the redactor throws. */
  redact(text: string): string;
}

/** What a reply says of the candidates. */
export interface CheckReading {
  /** Each candidate once, in their order. */
  outcomes: ReadonlyMap<string, CheckOutcome>;
  /** How the reply was read (INV-4). What became of each candidate is not among them. */
  diagnostics: readonly Diagnostic[];
}

/** Longest reason that is kept, UTF-16 units. */
const MAX_REASON = 1_000;
const TOP = { index: null, findingId: null };
const MEMBER_KEYS: ReadonlySet<string> = new Set(['id', 'reason', 'verdict', 'severity']);
const TOP_KEYS: ReadonlySet<string> = new Set(['check_version', 'verdicts']);
const shape: ReplyShape = {
  listKey: 'verdicts',
  versionKeys: ['check_version'],
  knownKeys: new Set([...TOP_KEYS, ...MEMBER_KEYS]),
};

/** One verdict as sent, with what of it could be read. */
interface SentVerdict {
  index: number;
  verdict: CheckVerdict | null;
  /** Null: none was sent. `undefined`: what was sent is none. */
  severity: Severity | null | undefined;
  reason: string;
}

const stay = (because: NotCheckedReason, failure: string | null = null): CheckOutcome => ({
  verdict: null,
  because,
  failure,
});

/** Whether a reason says anything: marks and spaces alone do not. */
function saysSomething(reason: string): boolean {
  return /[\p{L}\p{N}]/u.test(reason);
}

function readOne<Value extends string>(values: readonly Value[], given: unknown): Value | undefined {
  const text = typeof given === 'string' ? given.trim() : undefined;
  return values.find((value) => value === text);
}

/** The verdicts of one text; a code where it holds no list of them. */
function readList(
  text: string,
  { stop, maxBytes, checkVersion }: ReadVerdictsInput,
  diagnostics: DiagnosticsCollector,
): { list: readonly unknown[] } | { failure: string } {
  const found = extractJson(text, stop, maxBytes, shape);
  if (found.kind === 'nothing') return { failure: found.cause };
  const { value, repairs, ambiguous } = found.extracted;
  if (repairs.length > 0) diagnostics.add({ code: 'text_repaired', repairs });
  if (ambiguous !== null) {
    // A draft and an answer that differ: neither may drop a finding.
    diagnostics.add({ code: 'ambiguous_candidates', ...ambiguous });
    return { failure: 'ambiguous_candidates' };
  }
  if (!isJsonRecord(value) || !Array.isArray(value['verdicts'])) return { failure: 'schema_mismatch' };
  if (value['check_version'] !== checkVersion) return { failure: 'incompatible_version' };
  addUnknownKeys(value, TOP_KEYS, TOP, diagnostics);
  return { list: value['verdicts'] };
}

function addUnknownKeys(
  value: Record<string, unknown>,
  known: ReadonlySet<string>,
  at: { index: number | null; findingId: string | null },
  diagnostics: DiagnosticsCollector,
): void {
  for (const key of Object.keys(value))
    if (!known.has(key))
      diagnostics.add({ code: 'unknown_key_stripped', ...at, field: String(diagnostics.value('key', key)) });
}

/** By candidate, every verdict that names it. */
function groupByCandidate(
  list: readonly unknown[],
  { candidates, redact }: ReadVerdictsInput,
  diagnostics: DiagnosticsCollector,
): ReadonlyMap<string, readonly SentVerdict[]> {
  const groups = new Map<string, SentVerdict[]>(candidates.map(({ id }) => [id, []]));
  for (const [index, raw] of list.entries()) {
    const id = isJsonRecord(raw) && typeof raw['id'] === 'string' ? raw['id'].trim() : null;
    const group = id === null ? undefined : groups.get(id);
    if (!isJsonRecord(raw) || group === undefined) {
      diagnostics.add({ code: 'verdict_ignored', index, findingId: id?.slice(0, 200) ?? null });
      continue;
    }
    addUnknownKeys(raw, MEMBER_KEYS, { index, findingId: id }, diagnostics);
    const { severity, reason } = raw;
    group.push({
      index,
      verdict: readOne(CHECK_VERDICTS, raw['verdict']) ?? null,
      severity: severity === undefined || severity === null ? null : readOne(SEVERITIES, severity),
      reason: typeof reason === 'string' ? boundReason(redact(reason.trim())) : '',
    });
  }
  return groups;
}

function boundReason(reason: string): string {
  return reason.length <= MAX_REASON ? reason : `${reason.slice(0, MAX_REASON).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** What one candidate's verdicts come to. Whatever is not clear leaves it as it is. */
function decide(
  { id, severity: current }: CheckCandidate,
  sent: readonly SentVerdict[],
  diagnostics: DiagnosticsCollector,
): CheckOutcome {
  const [first] = sent;
  if (first === undefined) return stay('unanswered');
  const { verdict, severity, reason, index } = first;
  if (sent.some((one) => one.verdict !== verdict || one.severity !== severity)) return stay('verdicts_differ');
  if (verdict === null) return stay('verdict_invalid');
  if (severity !== null && severity !== undefined && compareSeverity(severity, current) < 0)
    return stay('severity_raised');
  if (verdict !== 'lower' && severity !== null && severity !== current)
    diagnostics.add({ code: 'field_dropped', index, findingId: id, field: 'severity' });
  if (verdict === 'keep') return { verdict, reason };
  if (!saysSomething(reason)) return stay('reason_missing');
  if (verdict === 'drop') return { verdict, reason };
  if (severity === undefined) return stay('verdict_invalid');
  return severity === null || severity === current ? stay('severity_not_below') : { verdict, severity, reason };
}

/**
 * Reads a reply to a check (GRD-5): what becomes of each candidate, exactly once. Never raises a
 * severity. A candidate stays as it is where the reply does not name it, says two things of it, or
 * gives no reason to lower or drop it; so do all of them where the reply holds no list of verdicts.
 * Never throws on any text.
 */
export function readVerdicts(input: ReadVerdictsInput): CheckReading {
  const diagnostics = createDiagnostics({ redact: (text) => input.redact(text) });
  const lists = input.texts.map((text) => readList(text, input, diagnostics));
  const list = lists.flatMap((one) => ('list' in one ? one.list : []));
  const failures = lists.flatMap((one) => ('failure' in one ? [one.failure] : []));
  const isAmbiguous = failures.includes('ambiguous_candidates');
  const failure = isAmbiguous ? 'ambiguous_candidates' : failures.length < lists.length ? undefined : failures[0];
  const groups = groupByCandidate(list, input, diagnostics);
  const outcomes = new Map(
    input.candidates.map((candidate): [string, CheckOutcome] => [
      candidate.id,
      failure === undefined
        ? decide(candidate, groups.get(candidate.id) ?? [], diagnostics)
        : stay('reply_unusable', failure),
    ]),
  );
  return { outcomes, diagnostics: diagnostics.list() };
}
