// The figures of `npm run bench:review -- --json FILE`, as a gate of a prompt's rollout.
import { readFileSync } from 'node:fs';
import { UsageError } from '../config/usage-error.js';

/** One reviewer's figures, as `startPromptRollout` takes them. */
export interface BenchFigures {
  precision: number;
  recall: number;
  failed: number;
  defects: number;
}

/** A row of the bench, as far as it is read. */
interface Row {
  reviewer?: unknown;
  failed?: unknown;
  score?: { changes?: unknown; defects?: unknown; precision?: unknown; recall?: unknown };
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function readRows(option: string, file: string): readonly Row[] {
  try {
    const { name, rows } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown; rows?: unknown };
    if (name === 'bench:review' && Array.isArray(rows)) return rows as Row[];
  } catch {
    // Said below, with what was expected.
  }
  throw new UsageError([`--${option}: expected a file of npm run bench:review -- --json FILE`]);
}

/**
 * The row of the model in such a file: the only one whose reviewer is not the oracle. Throws `UsageError`
 * for a file that is none, that has several, or whose model found nothing to count.
 */
export function readBenchFigures(option: string, file: string): BenchFigures {
  const models = readRows(option, file).filter(({ reviewer }) => reviewer !== 'oracle');
  const [row] = models;
  if (row === undefined || models.length > 1)
    throw new UsageError([
      `--${option}: expected one reviewer beside the oracle, with one level; found ${models.length}`,
    ]);
  const { failed, score: { changes, defects, precision, recall } = {} } = row;
  if (!isNumber(failed) || !isNumber(changes) || changes < 1 || !isNumber(defects) || !isNumber(recall))
    throw new UsageError([`--${option}: expected the figures of a reviewer`]);
  // Without a finding there is no precision: nothing that was said was right.
  return { precision: isNumber(precision) ? precision : 0, recall, failed: failed / changes, defects };
}
