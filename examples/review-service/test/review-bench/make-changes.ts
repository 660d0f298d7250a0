// Makes the seeded changes of the bench, each with what was planted in it and where.
import type { Change, ChangedFile, Hunk } from '@criticizer/core/ports';
import { structuredPatch } from 'diff';
import type { DefectKind } from './defect-kinds.js';
import { createDraw, type Draw } from './draw.js';
import { drawFillers, renderFiller } from './fill-files.js';
import { canMeet, type FileSides, plantDefects } from './plant-defects.js';
import { type CorpusLanguage, openCorpus, type PlantedDefect, type ProjectTemplate } from './read-corpus.js';

/** What a review of a change should find. */
export interface GroundTruth {
  /** Unlike that of any other defect of the bench. */
  id: string;
  kind: DefectKind;
  language: CorpusLanguage;
  isCrossFile: boolean;
  why: string;
  /** The lines where it shows, ascending, by file. */
  places: readonly { path: string; lines: readonly number[] }[];
  /** What a reviewer must have seen apart from the edit, as the new sides have it. */
  evidence: readonly { path: string; line: number; text: string }[];
}

/** A change, the depot round it, and what was planted. */
export interface BenchChange {
  change: Change;
  language: CorpusLanguage;
  /** Empty for a change that is harmless as a whole. */
  truth: readonly GroundTruth[];
  /** Every file below the change's stream at its revision, by depot path: the changed ones, too. */
  depot: ReadonlyMap<string, string>;
}

export interface MakeOptions {
  /** How many. Default 200. */
  changes?: number | undefined;
  /** Default 1. */
  seed?: number | undefined;
}

export const benchServerId = 'bench';
const extensions: Readonly<Record<CorpusLanguage, string>> = {
  ...{ c: 'c', cpp: 'cpp', csharp: 'cs', java: 'java' },
  ...{ python: 'py', typescript: 'ts', lua: 'lua', go: 'go' },
};
const descriptions = [
  'Simplify after last week’s review.',
  'Clean-up before the milestone.\n\nNo change in behaviour intended.',
  'Part 2 of the rework, as agreed with the team.',
  'Fix the warnings of the new compiler.',
  'Make the code easier to read; small fixes on the way.',
  'Address comments.',
];
/** One change in so many has no defect at all. */
const harmlessShare = 1 / 10;
const twoDefectsChance = 0.15;
const addedFileChance = 0.15;

interface Plan {
  template: ProjectTemplate;
  /** Which of the project's defects; null: none. */
  defect: number | null;
}

/** Every defect of the corpus once in random order, harmless changes between them; then again. */
function planChanges(draw: Draw, count: number): readonly Plan[] {
  const corpus = openCorpus();
  const every = corpus.flatMap((template) =>
    Array.from({ length: template.defects }, (_, defect): Plan => ({ template, defect })),
  );
  const plans: Plan[] = [];
  while (plans.length < count) {
    const harmless = Array.from(
      { length: Math.round((every.length * harmlessShare) / (1 - harmlessShare)) },
      (): Plan => ({ template: draw.pick(corpus), defect: null }),
    );
    plans.push(...draw.shuffle([...every, ...harmless]));
  }
  return plans.slice(0, count);
}

function toHunks(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const { hunks } = structuredPatch('', '', text(before), text(after), undefined, undefined, { context: 3 });
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    // The format counts from one, but names the line before where a side has no lines.
    ...{ oldStart: oldLines === 0 ? oldStart - 1 : oldStart, oldLines, newStart, newLines, lines },
  }));
}

function toChangedFile(path: string, sides: { before: readonly string[]; after: readonly string[] }): ChangedFile {
  const hunks = toHunks(sides.before, sides.after);
  const count = (mark: string): number => hunks.flatMap(({ lines }) => lines).filter((line) => line[0] === mark).length;
  const newText = sides.after.map((line) => `${line}\n`).join('');
  return {
    ...{ path, oldPath: null, action: sides.before.length === 0 ? 'add' : 'edit', fileType: 'text', revision: 2 },
    ...{ bytes: Buffer.byteLength(newText), skipped: null, hunks, newText, encoding: 'utf8' },
    ...{ addedLines: count('+'), removedLines: count('-') },
  };
}

/** The number, from 1, of the line of this text in a new side. */
function lineOf({ after }: FileSides, text: string): number {
  const at = after.findIndex((line) => line.text.trim() === text);
  if (at < 0) throw new Error(`no line ${JSON.stringify(text)}`);
  return at + 1;
}

function describeTruth(
  id: string,
  { defect, language }: { defect: PlantedDefect; language: CorpusLanguage },
  { files, depotPath }: { files: readonly FileSides[]; depotPath: (path: string) => string },
): GroundTruth {
  const { kind, isCrossFile, why } = defect;
  const places = files.flatMap(({ path, after }) => {
    const lines = after.flatMap((line, at) => (line.defects.has(defect) ? [at + 1] : []));
    return lines.length === 0 ? [] : [{ path: depotPath(path), lines }];
  });
  const evidence = defect.evidence.map(({ path, text }) => {
    const file = files.find((one) => one.path === path);
    if (file === undefined) throw new Error(`${kind}: no file ${path}`);
    return { path: depotPath(path), line: lineOf(file, text), text };
  });
  return { id, kind, language, isCrossFile, why, places, evidence };
}

/** Files of the stream that have nothing to do with the change. */
function drawBystanders(draw: Draw, language: CorpusLanguage): readonly (readonly [string, string])[] {
  let number = 1_000;
  return Array.from({ length: draw.between(2, 6) }, (_, at) => {
    const lines = drawFillers(draw, language, draw.between(3, 20), () => (number += 7)).flatMap(renderFiller);
    return [`src/area${at}/other${at}.${extensions[language]}`, `${lines.join('\n')}\n`] as const;
  });
}

/** A file that the change adds, as harmless as its bystanders. */
function drawAddedFile(draw: Draw, language: CorpusLanguage): { path: string; before: string[]; after: string[] } {
  let number = 3_000;
  const after = drawFillers(draw, language, draw.between(1, 4), () => (number += 3)).flatMap(renderFiller);
  return { path: `src/added/fresh.${extensions[language]}`, before: [], after };
}

function chooseDefects(draw: Draw, all: readonly PlantedDefect[], first: number | null): readonly PlantedDefect[] {
  const chosen = first === null ? undefined : all[first];
  if (chosen === undefined) return [];
  if (!draw.isHit(twoDefectsChance)) return [chosen];
  const others = all.filter((other) => other !== chosen && !other.isCrossFile && canMeet(chosen, other));
  return others.length === 0 ? [chosen] : [chosen, draw.pick(others)];
}

function makeChange(draw: Draw, number: number, { template, defect }: Plan): BenchChange {
  const project = template.read(draw.pick(template.words));
  const { language } = project;
  const stream = `//corpus/c${String(number).padStart(4, '0')}`;
  const depotPath = (path: string): string => `${stream}/${path}`;
  const chosen = chooseDefects(draw, project.defects, defect);
  const mostFillers = draw.pick([1, 4, 12, 24]);
  const files = plantDefects(draw, project, chosen, { mostFillers, decoyFiles: chosen.length === 0 ? 2 : 1 });
  const kept = files.map(({ path, before, after }) => ({ path, before, after: after.map(({ text }) => text) }));
  const isAllSame = kept.every(({ before, after }) => before.join('\n') === after.join('\n'));
  const texts = isAllSame || draw.isHit(addedFileChance) ? [...kept, drawAddedFile(draw, language)] : kept;
  const changed = texts.flatMap(({ path, ...sides }) => {
    const file = toChangedFile(depotPath(path), sides);
    return file.hunks.length === 0 ? [] : [file];
  });
  const truth = chosen.map((one, at) =>
    describeTruth(`${number}.${at + 1}`, { defect: one, language }, { files, depotPath }),
  );
  const bystanders = drawBystanders(draw, language);
  const whole = texts.map(({ path, after }) => [path, `${after.join('\n')}\n`] as const);
  return {
    ...{ language, truth },
    depot: new Map([...bystanders, ...whole].map(([path, text]) => [depotPath(path), text])),
    change: {
      ...{ serverId: benchServerId, number, changelistId: `${benchServerId}/${number}`, kind: 'submitted' },
      ...{ user: 'ada', description: draw.pick(descriptions), changedAt: new Date(Date.UTC(2026, 0, 1)) },
      ...{ userMail: null, reviewerMails: [], jobs: [], visibility: 'complete', deniedFiles: 0 },
      files: draw.shuffle(changed),
      contentDigest: number.toString(16).padStart(64, '0'),
    },
  };
}

/** The changes of a seed, the same ones each time; fewer are the first of them. */
export function makeChanges({ changes = 200, seed = 1 }: MakeOptions = {}): readonly BenchChange[] {
  return planChanges(createDraw(seed), changes).map((plan, at) => {
    const number = at + 1;
    return makeChange(createDraw(seed * 1_000_003 + number), number, plan);
  });
}
