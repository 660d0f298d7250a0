import type { Hunk } from '../../src/changes/change.js';
import type { ComparableFinding } from '../../src/review/history/comparable-finding.js';
import { newSideOf } from '../../src/review/merge/anchors.js';
import { identifyFindings } from '../../src/review/merge/identity.js';
import type { Finding } from '../../src/review/review-result.js';
import { CORPUS, type CorpusFunction, type CorpusIssue } from './corpus.js';
import type { Random } from './random.js';

/** A line that keeps being the same one while its text and its place change. */
export interface SourceLine {
  text: string;
  /** In a hunk of the change, as are its neighbours. */
  isChanged: boolean;
}

/** One defect of a file, with how a review of today puts it. */
export interface SourceIssue {
  /** The same over all versions. */
  key: number;
  line: SourceLine;
  about: CorpusIssue;
  names: readonly [string, string];
  wording: number;
  category: 0 | 1;
  severity: Finding['severity'];
  /** How many lines away from it the model names. */
  miss: number;
  isReported: boolean;
}

/** Functions of one file, each a list of lines, and the defects. */
export interface SourceFile {
  path: string;
  blocks: SourceLine[][];
  issues: SourceIssue[];
}

const NAMES = [
  'Account',
  'Session',
  'Order',
  'Invoice',
  'Player',
  'Quest',
  'Asset',
  'Ticket',
  'Report',
  'Device',
] as const;
const FIELDS = [
  'entry',
  'record',
  'buffer',
  'weights',
  'hits',
  'listeners',
  'signing',
  'scratch',
  'delay',
  'parsed',
] as const;
/** Lines on which nothing is wrong; some occur many times in a file. */
export const HARMLESS = [
  '  counter += 1;',
  '  const now = clock();',
  '  // see the design note',
  '',
  '  log.debug(state);',
] as const;

function fill(text: string, names: readonly [string, string]): string {
  return text.replaceAll('$1', names[0]).replaceAll('$2', names[1]);
}

let nextKey = 0;

/** A defect on a line, said in any of its wordings. */
export function makeIssue(
  random: Random,
  about: CorpusIssue,
  line: SourceLine,
  names: readonly [string, string],
): SourceIssue {
  nextKey += 1;
  line.isChanged = true;
  const wording = random.below(about.wordings.length);
  return { key: nextKey, line, about, names, wording, category: 0, severity: 'high', miss: 0, isReported: true };
}

/** Adds a function of the corpus and its defects; gives its lines. */
export function addFunction(random: Random, file: SourceFile, from: CorpusFunction): SourceLine[] {
  const names = [random.pick(NAMES), random.pick(FIELDS)] as const;
  const padding = Array.from({ length: random.below(4) }, () => ({ text: random.pick(HARMLESS), isChanged: false }));
  const lines = from.lines.map((text) => ({ text: fill(text, names), isChanged: random.below(4) === 0 }));
  for (const issue of from.issues) {
    const line = lines[issue.at];
    if (line !== undefined) file.issues.push(makeIssue(random, issue, line, names));
  }
  const block = [
    lines[0] ?? { text: '', isChanged: false },
    ...padding,
    ...lines.slice(1),
    { text: '', isChanged: false },
  ];
  file.blocks.push(block);
  return block;
}

/** A file of six to nine functions with at least five defects; two functions may be twins. */
export function makeFile(random: Random): SourceFile {
  const file: SourceFile = { path: '//depot/server/session.ts', blocks: [], issues: [] };
  const count = 6 + random.below(4);
  const different = random.shuffle(CORPUS).slice(0, count);
  // Every second file has a function twice, so that lines and findings look alike.
  const twins = random.below(2) === 0 ? [random.pick(different)] : [];
  for (const from of random.shuffle([...different, ...twins])) addFunction(random, file, from);
  return file;
}

/** Another defect than those of the line's own function. */
export function otherIssue(random: Random, than: SourceIssue): CorpusIssue {
  const others = CORPUS.flatMap(({ issues }) => issues).filter((issue) => issue !== than.about);
  return random.pick(others);
}

/** The hunks of the version: changed lines with three lines round them, headed by the function that they begin in. */
function listHunks({ blocks }: SourceFile): readonly Hunk[] {
  const lines = blocks.flatMap((block) => block.map((line) => ({ line, heading: block[0]?.text ?? '' })));
  const isShown = lines.map((_, at) => lines.slice(Math.max(0, at - 3), at + 4).some(({ line }) => line.isChanged));
  const hunks: { start: number; section: string; lines: string[] }[] = [];
  lines.forEach(({ line, heading }, at) => {
    if (isShown[at] !== true) return;
    if (isShown[at - 1] !== true) hunks.push({ start: at + 1, section: heading, lines: [] });
    hunks.at(-1)?.lines.push(`${line.isChanged ? '+' : ' '}${line.text}`);
  });
  return hunks.map(({ start, section, lines: own }) => ({
    ...{ oldStart: start, oldLines: 0, newStart: start, newLines: own.length },
    ...{ section, lines: own },
  }));
}

/** A finding of a version, and the defect that it is about. */
export interface KnownFinding {
  key: number;
  finding: ComparableFinding;
}

/** What a review of the version stores: each reported defect at its place, in its words. */
export function reviewFile(random: Random, file: SourceFile): readonly KnownFinding[] {
  const lines = file.blocks.flat();
  const side = newSideOf(listHunks(file));
  const reported = random.shuffle(file.issues.filter(({ isReported }) => isReported));
  const placed = reported.map((issue) => {
    const own = lines.indexOf(issue.line) + 1;
    const line = side.lines.has(own + issue.miss) ? own + issue.miss : own;
    const [title = '', message = ''] = issue.about.wordings[issue.wording] ?? [];
    const category = issue.about.categories[issue.category];
    const about = { title: fill(title, issue.names), message: fill(message, issue.names), category };
    return { key: issue.key, about, line, file: file.path };
  });
  const identified = identifyFindings(
    placed.map(({ about, line }) => ({
      finding: { category: about.category, file: file.path, line },
      anchor: { kind: 'exact', line },
      side,
    })),
  );
  return placed.flatMap(({ key, about, line }, at) => {
    const named = identified[at];
    return named === undefined ? [] : [{ key, finding: { ...about, ...named, file: file.path, place: { line } } }];
  });
}
