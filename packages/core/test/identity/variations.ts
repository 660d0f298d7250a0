import { CORPUS } from './corpus.js';
import type { Random } from './random.js';
import {
  addFunction,
  HARMLESS,
  makeIssue,
  otherIssue,
  type SourceFile,
  type SourceIssue,
  type SourceLine,
} from './source-file.js';

/** Makes the next version of a file, in place. Defects that are gone leave `issues`. */
export type Variation = (random: Random, file: SourceFile) => void;

const harmless = (random: Random): SourceLine => ({ text: random.pick(HARMLESS), isChanged: true });

function blockOf({ blocks }: SourceFile, line: SourceLine): SourceLine[] {
  return blocks.find((block) => block.includes(line)) ?? [];
}

function insertNear(file: SourceFile, line: SourceLine, away: number, inserted: readonly SourceLine[]): void {
  const block = blockOf(file, line);
  block.splice(Math.max(0, block.indexOf(line) + away), 0, ...inserted);
}

const shiftLines: Variation = (random, { blocks }) => {
  const added = Array.from({ length: 1 + random.below(30) }, () => harmless(random));
  blocks.splice(random.below(3), 0, added);
  if (random.below(2) === 0) blocks[1 + random.below(blocks.length - 1)]?.unshift(harmless(random));
};

const indent: Variation = (random, { blocks }) => {
  const by = random.pick(['  ', '\t', '        ']);
  for (const line of blocks.flat()) if (line.text !== '') line.text = by + line.text;
};

const rename: Variation = (_random, file) => {
  file.path = '//depot/server/core/player-session.ts';
};

const paraphrase: Variation = (random, { issues }) => {
  for (const issue of issues) {
    const others = [...issue.about.wordings.keys()].filter((at) => at !== issue.wording);
    issue.wording = random.pick(others);
  }
};

const driftCategory: Variation = (_random, { issues }) => {
  for (const issue of issues) issue.category = 1;
};

const driftSeverity: Variation = (_random, { issues }) => {
  for (const issue of issues) issue.severity = 'low';
};

const editNeighbour: Variation = (random, file) => {
  for (const { line } of file.issues) {
    const block = blockOf(file, line);
    const neighbour = block[block.indexOf(line) + random.pick([-1, 1])];
    if (neighbour === undefined || neighbour.text === '' || file.issues.some((issue) => issue.line === neighbour))
      continue;
    neighbour.text += ' /* checked */';
    neighbour.isChanged = true;
  }
};

/** One defective line of each function in another form, the defect still in it. */
const editLine: Variation = (random, { blocks, issues }) => {
  for (const block of blocks) {
    const line = issues.find((issue) => block.includes(issue.line))?.line;
    if (line === undefined) continue;
    const { text } = line;
    line.text = random.pick([
      `${text} // reviewed`,
      text.replace(/\(/, '(( '),
      text.replace(/\b([a-z]{4,})\b/, '$1Ref'),
    ]);
  }
};

const moveBlock: Variation = (random, { blocks }) => {
  const [block] = blocks.splice(random.below(blocks.length), 1);
  if (block !== undefined) blocks.splice(random.below(blocks.length + 1), 0, block);
};

/** The defective line once more, higher in the file, with a finding of its own. */
const duplicateAbove: Variation = (random, file) => {
  const from = random.pick(file.issues);
  const copy: SourceLine = { text: from.line.text, isChanged: true };
  const lines = file.blocks.flat();
  const at = Math.max(0, lines.indexOf(from.line) - 2 - random.below(12));
  const target = lines[at] ?? copy;
  insertNear(file, target, 0, [copy, harmless(random)]);
  file.issues.push(makeIssue(random, from.about, copy, from.names));
};

/** A second function with the same text, above the first, with findings of its own. */
const duplicateFunction: Variation = (random, file) => {
  const from = random.pick(file.issues);
  const block = blockOf(file, from.line);
  const copy = block.map((line) => ({ ...line, isChanged: true }));
  if (copy[0] !== undefined)
    copy[0].text = copy[0].text.replace(
      /\b(load|find|save|total_|Handle|publish|verify|parse_|retry|read_|render|tick)/,
      '$1Old',
    );
  file.blocks.splice(file.blocks.indexOf(block), 0, copy);
  for (const issue of file.issues.filter(({ line }) => block.includes(line))) {
    const line = copy[block.indexOf(issue.line)];
    if (line !== undefined) file.issues.push(makeIssue(random, issue.about, line, issue.names));
  }
};

function addBeside(random: Random, file: SourceFile, away: 0 | 1): readonly [SourceIssue, SourceIssue] {
  const first = random.pick(file.issues);
  const block = blockOf(file, first.line);
  const line = block[block.indexOf(first.line) + away] ?? first.line;
  const second = makeIssue(random, otherIssue(random, first), line, first.names);
  file.issues.push(second);
  return [first, second];
}

/** Before the change: two defects on one line, or on adjoining ones, both reported. */
export const PREPARATIONS = {
  oneLine: (random: Random, file: SourceFile): void => void addBeside(random, file, 0),
  adjoining: (random: Random, file: SourceFile): void => void addBeside(random, file, 1),
} as const;

/** One defect is not reported any more, and another one on its line, or the next, is. */
const replaceFinding: Variation = (random, file) => {
  const [first] = addBeside(random, file, random.below(2) === 0 ? 0 : 1);
  first.isReported = false;
};

/** The defective line is deleted, and a new defect takes its place. */
const deleteLine: Variation = (random, file) => {
  const gone = random.pick(file.issues);
  const replaced = makeIssue(
    random,
    otherIssue(random, gone),
    { text: `  apply(${random.below(1_000)});`, isChanged: true },
    gone.names,
  );
  insertNear(file, gone.line, random.below(2), [replaced.line]);
  const block = blockOf(file, gone.line);
  block.splice(block.indexOf(gone.line), 1);
  file.issues = [...file.issues.filter(({ line }) => line !== gone.line), replaced];
};

/** The model names the line before or after, of every second defect. */
const missLine: Variation = (random, { issues }) => {
  for (const issue of issues) issue.miss = random.pick([-1, 0, 0, 1]);
};

/** What else happens: a finding in five is not made again, and every second version has one more function. */
function driftOn(random: Random, file: SourceFile): void {
  for (const issue of file.issues) if (random.below(5) === 0) issue.isReported = false;
  if (random.below(2) === 0) addFunction(random, file, random.pick(CORPUS));
}

/** One row of the table. */
export interface VariationRow {
  name: string;
  /** What the earlier version has in addition to its own defects. */
  prepare?: Variation;
  steps: readonly Variation[];
}

const all = [paraphrase, driftCategory, driftSeverity, shiftLines];

/** The rows; each is followed by what happens anyway from one review to the next. */
export const VARIATIONS: readonly VariationRow[] = [
  { name: 'nothing', steps: [] },
  { name: 'line shift', steps: [shiftLines] },
  { name: 're-indent', steps: [indent] },
  { name: 'rename of the file', steps: [rename] },
  { name: 'paraphrase', steps: [paraphrase] },
  { name: 'category drift', steps: [driftCategory] },
  { name: 'severity drift', steps: [driftSeverity] },
  { name: 'all of these', steps: [...all, indent, rename] },
  { name: 'edit of a neighbour line', steps: [...all, editNeighbour] },
  { name: 'edit of the line', steps: [...all, editLine] },
  { name: 'move of a function', steps: [...all, moveBlock] },
  { name: 'same line added above', steps: [...all, duplicateAbove] },
  { name: 'same function added above', steps: [...all, duplicateFunction] },
  { name: 'two defects on one line', prepare: PREPARATIONS.oneLine, steps: all },
  { name: 'defects on adjoining lines', prepare: PREPARATIONS.adjoining, steps: all },
  { name: 'another defect reported there', steps: [...all, replaceFinding] },
  { name: 'line deleted, new defect there', steps: [...all, deleteLine] },
  { name: 'model names the next line', steps: [...all, missLine] },
];

/** Makes the next version. */
export function vary(random: Random, { steps }: VariationRow, file: SourceFile): void {
  for (const step of steps) step(random, file);
  driftOn(random, file);
}
