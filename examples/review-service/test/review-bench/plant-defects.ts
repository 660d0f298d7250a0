// From a project to the two sides of its files: padding drawn, harmless edits made, defects planted.
import type { Draw } from './draw.js';
import { drawFillers, editHarmlessly, type Filler, renderFiller } from './fill-files.js';
import type { PlantedDefect, Project, SourceEdit, SourceFile } from './read-corpus.js';

/** A line of a new side; `defects` are those of the change that show there. */
interface PlantedLine {
  text: string;
  defects: ReadonlySet<PlantedDefect>;
}

/** A file before and after the change. */
export interface FileSides {
  path: string;
  before: readonly string[];
  after: readonly PlantedLine[];
}

/** How much of a change is harmless. */
export interface PlantOptions {
  /** Most generated functions at each place for them. */
  mostFillers: number;
  /** Files with harmless edits beside those that the defects edit; never one with evidence. */
  decoyFiles: number;
}

interface PaddedFile {
  path: string;
  before: readonly (readonly string[] | readonly Filler[])[];
  after: readonly (readonly string[] | readonly Filler[])[];
}

const isFillers = (part: readonly string[] | readonly Filler[]): part is readonly Filler[] =>
  typeof part[0] === 'object';

function padFile(
  draw: Draw,
  file: SourceFile,
  { most, isEdited, number }: { most: number; isEdited: boolean; number: () => number },
): PaddedFile {
  const before = file.parts.map((part) =>
    'lines' in part ? part.lines : drawFillers(draw, part.padding, draw.between(0, most), number),
  );
  const after = before.map((part) => (isEdited && isFillers(part) ? editHarmlessly(draw, part) : part));
  return { path: file.path, before, after };
}

function renderParts(parts: PaddedFile['before']): string[] {
  return parts.flatMap((part) => (isFillers(part) ? part.flatMap(renderFiller) : [...part]));
}

/** Where the lines follow each other; null where they do so nowhere, or more than once. */
function findOnce(lines: readonly PlantedLine[], wanted: readonly string[]): number | null {
  const hits = lines.flatMap((_, at) => (wanted.every((text, by) => lines[at + by]?.text === text) ? [at] : []));
  return hits.length === 1 ? (hits[0] ?? null) : null;
}

function applyEdit(
  lines: readonly PlantedLine[],
  { before, after }: SourceEdit,
  defect: PlantedDefect,
): readonly PlantedLine[] | null {
  const at = findOnce(lines, before);
  if (at === null) return null;
  const planted = after.map(({ text, isDefect }) => ({ text, defects: new Set(isDefect ? [defect] : []) }));
  return [...lines.slice(0, at), ...planted, ...lines.slice(at + before.length)];
}

function plant(files: Map<string, readonly PlantedLine[]>, defect: PlantedDefect): Map<string, readonly PlantedLine[]> {
  const planted = new Map(files);
  for (const edit of defect.edits) {
    const lines = applyEdit(planted.get(edit.path) ?? [], edit, defect);
    if (lines === null)
      throw new Error(`${defect.kind}: an edit of ${edit.path} does not fit: ${edit.before.join(' / ')}`);
    planted.set(edit.path, lines);
  }
  return planted;
}

/** Whether two defects can be in one change: they edit other lines, and neither touches the other's evidence. */
export function canMeet(a: PlantedDefect, b: PlantedDefect): boolean {
  const touched = (one: PlantedDefect) =>
    new Set(one.edits.flatMap(({ path, before }) => before.map((text) => `${path}\n${text.trim()}`)));
  const touchedByA = touched(a);
  const touchedByB = touched(b);
  const holds = (evidence: PlantedDefect['evidence'], lines: ReadonlySet<string>): boolean =>
    evidence.some(({ path, text }) => lines.has(`${path}\n${text}`));
  const evidencePaths = (one: PlantedDefect) => one.evidence.map(({ path }) => path);
  const editsEvidenceFile = (one: PlantedDefect, other: PlantedDefect): boolean =>
    one.isCrossFile && other.edits.some(({ path }) => evidencePaths(one).includes(path));
  const isSeparate = [...touchedByA].every((line) => line.endsWith('\n') || !touchedByB.has(line));
  return (
    isSeparate &&
    !holds(a.evidence, touchedByB) &&
    !holds(b.evidence, touchedByA) &&
    !editsEvidenceFile(a, b) &&
    !editsEvidenceFile(b, a)
  );
}

/** Both sides of every file of the project after the defects. Throws where an edit does not fit. */
export function plantDefects(
  draw: Draw,
  project: Project,
  defects: readonly PlantedDefect[],
  { mostFillers, decoyFiles }: PlantOptions,
): readonly FileSides[] {
  let used = draw.between(2, 60);
  const number = (): number => (used += draw.between(1, 9));
  const edited = new Set(defects.flatMap(({ edits }) => edits.map(({ path }) => path)));
  const kept = new Set(defects.flatMap(({ evidence }) => evidence.map(({ path }) => path)));
  const free = project.files.map(({ path }) => path).filter((path) => !edited.has(path) && !kept.has(path));
  const decoyed = new Set([...edited, ...draw.shuffle(free).slice(0, decoyFiles)]);
  const padded = project.files.map((file) =>
    padFile(draw, file, { most: mostFillers, isEdited: decoyed.has(file.path), number }),
  );
  const untouched = new Map(
    padded.map(({ path, after }): [string, readonly PlantedLine[]] => [
      path,
      renderParts(after).map((text) => ({ text, defects: new Set() })),
    ]),
  );
  const planted = defects.reduce(plant, untouched);
  return padded.map(({ path, before }) => ({ path, before: renderParts(before), after: planted.get(path) ?? [] }));
}
