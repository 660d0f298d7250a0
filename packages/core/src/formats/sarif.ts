import type { Invocation, Location, Log, Notification, ReportingDescriptor, Result } from 'sarif';
import type { SuppressedFinding } from '../review/history/reviewed-before.js';
import type { Severity } from '../review/review-result.js';
import { makeInert } from './inert-text.js';
import { CHANGE_PATH, type LocalPaths, toUriReference } from './local-path.js';
import { type ReportedFinding, type ReportView, ruleOf, textOf } from './report-view.js';
import { listUnreadParts } from './unread-parts.js';

const LEVELS: Readonly<Record<Severity, NonNullable<Result['level']>>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};
/** 0 to 100, so that a viewer can sort finer than by level. */
const RANKS: Readonly<Record<Severity, number>> = { critical: 100, high: 80, medium: 50, low: 20, info: 5 };
/** The key of our fingerprint: another way of making ids is another key. */
const FINGERPRINT = 'criticizerFindingId/v1';
/** Names the folder of the paths; the reader of the file knows where it lies. */
const ROOT = 'SRCROOT';

/** In messages of SARIF braces are placeholders and brackets are links, unless doubled and escaped. */
function toMessage(text: string): { text: string } {
  return {
    text: makeInert(text)
      .replace(/[{}]/g, '$&$&')
      .replace(/[\\[\]]/g, '\\$&'),
  };
}

function toLocation(file: string | null, paths: LocalPaths, finding?: ReportedFinding): Location {
  const { line = null, endLine = null } = finding?.place ?? {};
  const region = line === null ? {} : { region: { startLine: line, ...(endLine === null ? {} : { endLine }) } };
  const uri = file === null ? CHANGE_PATH : toUriReference(paths.of(file));
  return {
    physicalLocation: { artifactLocation: { uri, uriBaseId: ROOT }, ...region },
  };
}

interface ResultContext {
  paths: LocalPaths;
  /** Ids of the rules, in their order. */
  rules: readonly string[];
  /** True where there is an earlier review. */
  isCompared: boolean;
}

/** Against the earlier review: SARIF says nothing where there is none. */
function baselineOf({ state }: ReportedFinding): Result['baselineState'] {
  if (state === 'new') return 'new';
  return state === 'resolved' ? 'absent' : 'unchanged';
}

function toResult(finding: ReportedFinding | SuppressedFinding, context: ResultContext): Result {
  const { id, file, severity, category, confidence, place, origin, state } = finding;
  const { paths, rules, isCompared } = context;
  const rule = ruleOf(finding);
  return {
    ruleId: rule,
    ruleIndex: rules.indexOf(rule),
    level: LEVELS[severity],
    rank: RANKS[severity],
    message: toMessage(textOf(finding)),
    locations: [toLocation(file, paths, finding)],
    partialFingerprints: { [FINGERPRINT]: id },
    ...(isCompared ? { baselineState: baselineOf(finding) } : {}),
    ...('suppression' in finding ? { suppressions: [{ kind: 'external', status: 'accepted' }] } : {}),
    properties: {
      ...{ severity, category, origin, state, place: place.status },
      ...(confidence === undefined ? {} : { confidence }),
    },
  };
}

/** GitHub shows these of a rule, and takes no rule without them. */
function describeRule(id: string, about: string, tags: readonly string[]): ReportingDescriptor {
  const text = toMessage(about);
  return { id, shortDescription: text, fullDescription: text, help: text, properties: { tags: [...tags] } };
}

/** One for each rule that a finding names, in the order of their names. */
function toRules(findings: readonly ReportedFinding[]): readonly ReportingDescriptor[] {
  const byRule = new Map<string, Set<string>>();
  for (const finding of findings) {
    const tags = byRule.get(ruleOf(finding)) ?? new Set();
    byRule.set(ruleOf(finding), tags.add(finding.category));
  }
  const sorted = [...byRule].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([id, tags]) => describeRule(id, `${id}: found by reading the change.`, [...tags].sort()));
}

const UNREAD = describeRule('unread', 'A part of the change was not reviewed.', []);

function toInvocation({ review, paths }: ReportView): Invocation {
  const notifications = listUnreadParts(review).map(
    ({ level, text, file }): Notification => ({
      descriptor: { id: UNREAD.id },
      level,
      message: toMessage(text),
      ...(file === null ? {} : { locations: [toLocation(file, paths)] }),
    }),
  );
  const executionSuccessful = review.state.verdict !== 'inconclusive';
  return { executionSuccessful, toolExecutionNotifications: notifications };
}

/** The review as a SARIF 2.1.0 log, in JSON. */
export function renderSarif(view: ReportView): string {
  const { review, paths } = view;
  const { findings, earlier, suppressed, change } = review;
  const shown = [...findings, ...earlier, ...suppressed];
  const rules = toRules(shown);
  const context = { paths, rules: rules.map(({ id }) => id), isCompared: review.history !== null };
  const log: Log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Criticizer', rules: [...rules], notifications: [UNREAD] } },
        automationDetails: { id: `criticizer/${change.changelistId}` },
        originalUriBaseIds: { [ROOT]: { description: { text: 'The folder that the paths are relative to.' } } },
        invocations: [toInvocation(view)],
        results: shown.map((finding) => toResult(finding, context)),
        columnKind: 'utf16CodeUnits',
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}
