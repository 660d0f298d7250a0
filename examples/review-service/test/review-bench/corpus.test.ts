import { describe, expect, it } from 'vitest';
import { createDraw } from './draw.js';
import { makeChanges } from './make-changes.js';
import { plantDefects } from './plant-defects.js';
import { openCorpus, type PlantedDefect, type Project } from './read-corpus.js';
import { type FoundFinding, judgeReview, scoreReviews } from './score-findings.js';

const corpus = openCorpus();

/** What is wrong with a defect of the corpus; null where nothing is. */
function findMistake(project: Project, defect: PlantedDefect): string | null {
  const files = plantDefects(createDraw(3), project, [defect], { mostFillers: 2, decoyFiles: 1 });
  const edited = new Set(defect.edits.map(({ path }) => path));
  if (defect.evidence.length === 0) return 'has no evidence';
  if (!files.some(({ after }) => after.some(({ defects }) => defects.has(defect)))) return 'shows at no line';
  for (const { path, text } of defect.evidence) {
    const holders = files.flatMap(({ path: at, after }) =>
      after.flatMap((line) => (line.text.includes(text) ? [at] : [])),
    );
    if (holders.length !== 1 || holders[0] !== path) return `its evidence stands in ${holders.join(', ') || 'no file'}`;
    if (defect.isCrossFile === edited.has(path)) return 'has its evidence on the wrong side of the change';
  }
  return null;
}

describe('corpus of the review bench', () => {
  it('fits every defect into its project under each of its words, its evidence a line of its own', () => {
    const mistakes = corpus.flatMap((template) =>
      template.words.flatMap((word) => {
        const project = template.read(word);
        return project.defects.flatMap((defect) => {
          const mistake = findMistake(project, defect);
          return mistake === null ? [] : [`${project.language} ${project.name} ${defect.kind}: ${mistake}`];
        });
      }),
    );
    expect(mistakes).toEqual([]);
  });

  it('makes the same 200 changes of a seed, with 50 kinds of defect and 40 across files', () => {
    const changes = makeChanges({ seed: 1 });
    const truth = changes.flatMap((one) => one.truth);
    expect(changes).toHaveLength(200);
    expect(new Set(truth.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(50);
    expect(truth.filter(({ isCrossFile }) => isCrossFile).length).toBeGreaterThanOrEqual(40);
    expect(new Set(changes.map(({ language }) => language)).size).toBe(8);
    expect(changes.filter((one) => one.truth.length === 0).length).toBeGreaterThanOrEqual(10);
    expect(makeChanges({ seed: 1, changes: 12 })).toEqual(changes.slice(0, 12));
    expect(makeChanges({ seed: 2, changes: 12 })).not.toEqual(changes.slice(0, 12));
  });

  it('tells lines and evidence as they stand in the new sides', () => {
    for (const { change, depot, truth } of makeChanges({ seed: 3, changes: 60 })) {
      const changed = new Map(change.files.map((file) => [file.path, file]));
      for (const { evidence, isCrossFile, places } of truth) {
        for (const { path, line, text } of evidence) {
          expect(depot.get(path)?.split('\n')[line - 1]?.trim()).toBe(text);
          expect(changed.has(path)).toBe(!isCrossFile);
        }
        for (const { path, lines } of places)
          expect(lines.every((line) => isInHunk(changed.get(path), line))).toBe(true);
      }
    }
  });
});

/** Whether a hunk of the file shows this line: added, or next to what was taken away. */
function isInHunk(
  file: ReturnType<typeof makeChanges>[number]['change']['files'][number] | undefined,
  line: number,
): boolean {
  return (file?.hunks ?? []).some(({ newStart, lines }) => {
    const newSide = lines.filter((one) => !one.startsWith('-'));
    return newSide[line - newStart] !== undefined;
  });
}

describe('scoring of the review bench', () => {
  const [withDefect] = makeChanges({ seed: 1, changes: 8 }).filter(({ truth }) => truth.length === 1);
  if (withDefect === undefined) throw new Error('no change with one defect');
  const [{ kind, places, why }] = withDefect.truth as [(typeof withDefect.truth)[number]];
  const [{ path, lines }] = places as [(typeof places)[number]];
  const right: FoundFinding = {
    ...{ file: path, line: lines[0] ?? 0, endLine: null, title: kind.replaceAll('-', ' '), message: why },
  };
  const judge = (...findings: FoundFinding[]) => scoreReviews([judgeReview(withDefect, findings)]);

  it('counts a defect once: at its place, near it, far away, in other words', () => {
    expect(judge(right)).toMatchObject({ found: 1, precision: 1, recall: 1, f1: 1, place: 1, noise: 0 });
    expect(judge(right, right)).toMatchObject({ found: 1, precision: 0.5, recall: 1, noise: 1 });
    expect(judge({ ...right, line: (lines.at(-1) ?? 0) + 7 })).toMatchObject({ found: 1, place: 0 });
    expect(judge({ ...right, line: (lines.at(-1) ?? 0) + 40 })).toMatchObject({ found: 0, noise: 1 });
    expect(judge({ ...right, file: `${path}x` })).toMatchObject({ found: 0, noise: 1 });
    expect(judge({ ...right, title: 'Naming', message: 'Consider a comment.' })).toMatchObject({ found: 0, noise: 1 });
    expect(judge({ ...right, line: null })).toMatchObject({ found: 1, place: 0 });
    expect(judge()).toMatchObject({ found: 0, recall: 0, precision: null, noise: 0 });
  });
});
