import type { Redactor } from '@criticizer/redact';
import type { LabelledText } from './corpus/labelled-text.ts';

/** What became of one labelled text. */
export interface Outcome {
  sample: LabelledText;
  redacted: string;
  found: boolean;
  /** False where text outside the labelled spans changed, apart from the ends of a line that holds one. */
  intact: boolean;
}

const FRAGMENT = 8;
const MARK = /\[REDACTED:[a-z0-9-]{1,48}:\d{1,9}\]/g;

/** Redacts every text and tells which secrets are gone: no fragment of eight characters of one may survive. */
export function judge(redactor: Redactor, samples: readonly LabelledText[]): Outcome[] {
  return samples.map((sample) => {
    const redacted = redactor.session().redact(sample.text, { path: sample.path, diff: sample.diff }).text;
    return { sample, redacted, found: isGone(sample, redacted), intact: isFrameIntact(sample, redacted) };
  });
}

function isGone({ text, spans }: LabelledText, redacted: string): boolean {
  const left = redacted.replaceAll(MARK, '\u0000');
  let frame = '';
  let at = 0;
  for (const [start, end] of spans) {
    frame += `${text.slice(at, start)}\u0000`;
    at = end;
  }
  frame += text.slice(at);
  return spans.every(([start, end]) => {
    const value = text.slice(start, end);
    const length = Math.min(FRAGMENT, value.length);
    for (let i = 0; i + length <= value.length; i += 1) {
      const fragment = value.slice(i, i + length);
      if (left.includes(fragment) && !frame.includes(fragment)) return false;
    }
    return true;
  });
}

/** Lines without a labelled span must stand as they were. */
function isFrameIntact({ text, spans }: LabelledText, redacted: string): boolean {
  const before = text.split('\n');
  const after = redacted.split('\n');
  if (before.length !== after.length) return false;
  let offset = 0;
  return before.every((line, index) => {
    const start = offset;
    offset += line.length + 1;
    return line === after[index] || spans.some(([from, to]) => from < start + line.length + 1 && to > start);
  });
}

export interface FamilyRecall {
  family: string;
  found: number;
  total: number;
  /** Mean over the family's rules. */
  macro: number;
  /** Texts in which a line without a secret changed. */
  damaged: number;
}

/** Recall by family, largest first, and over all. */
export function recallByFamily(outcomes: readonly Outcome[]): { families: FamilyRecall[]; all: FamilyRecall } {
  const families = [...new Set(outcomes.map(({ sample }) => sample.family))];
  return {
    families: families.map((family) =>
      sum(
        family,
        outcomes.filter(({ sample }) => sample.family === family),
      ),
    ),
    all: sum('all', outcomes),
  };
}

function sum(family: string, outcomes: readonly Outcome[]): FamilyRecall {
  const rules = new Map<string, [found: number, total: number]>();
  for (const { sample, found } of outcomes) {
    const rule = rules.get(`${sample.family}/${sample.rule}`) ?? [0, 0];
    rules.set(`${sample.family}/${sample.rule}`, [rule[0] + (found ? 1 : 0), rule[1] + 1]);
  }
  const shares = [...rules.values()].map(([found, total]) => found / total);
  return {
    family,
    found: outcomes.filter(({ found }) => found).length,
    total: outcomes.length,
    macro: shares.reduce((a, b) => a + b, 0) / shares.length,
    damaged: outcomes.filter(({ intact }) => !intact).length,
  };
}
