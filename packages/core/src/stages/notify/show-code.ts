import { isArtifactGone } from '../../artifacts/artifacts.js';
import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import type { Redactor } from '../../foundation/redactor.js';
import { type CodeExcerpt, cutExcerpt } from '../../review/code-excerpt.js';
import type { ReviewFinding } from '../../review/merge/review-finding.js';
import type { StageContext } from '../../worker/run/stage.js';
import type { TruePaths } from '../job/change-snapshot.js';
import { openRedactedSnapshot } from '../job/redacted-snapshot.js';
import type { RunOutputs } from '../job/run-outputs.js';
import type { ReviewMailContent } from './mail-composer.js';

/** The redacted snapshot, made anew where the rules have changed; null where it has expired. */
export async function readSnapshot(
  redactor: Redactor,
  outputs: RunOutputs,
  context: Pick<StageContext<unknown>, 'checkpoint'>,
): Promise<RedactedChange | null> {
  try {
    return (await openRedactedSnapshot(redactor, outputs, context)).change;
  } catch (error) {
    if (isArtifactGone(error)) return null;
    throw error;
  }
}

/**
 * The redacted code round each finding, by its id; findings without a line, or in a file that the
 * change does not hold, have none. Findings may name a file by its alias, its redacted path or, with
 * `truePaths`, its true one.
 */
export function cutExcerpts(
  findings: readonly Pick<ReviewFinding, 'id' | 'file' | 'place'>[],
  change: RedactedChange,
  truePaths: readonly TruePaths[],
): ReadonlyMap<string, CodeExcerpt> {
  const files = new Map<string, RedactedFile>();
  for (const [at, file] of change.files.entries())
    for (const name of [file.path, file.displayPath, truePaths[at]?.path]) if (name != null) files.set(name, file);
  return new Map(
    findings.flatMap(({ id, file: path, place }): [string, CodeExcerpt][] => {
      const file = path === null ? undefined : files.get(path);
      const excerpt = file === undefined ? [] : cutExcerpt(file, place);
      return excerpt.length === 0 ? [] : [[id, excerpt]];
    }),
  );
}

/**
 * The content with the code round each finding, for a mail that may hold `code` (ruling R21). A
 * review holds none: who may read findings need not be allowed to read code.
 */
export function addExcerpts(
  content: ReviewMailContent,
  change: RedactedChange | null,
  truePaths: readonly TruePaths[],
): ReviewMailContent {
  if (change === null) return content;
  const excerpts = cutExcerpts(content.result.findings, change, truePaths);
  const findings = content.result.findings.map((finding) => {
    const excerpt = excerpts.get(finding.id);
    return excerpt === undefined ? finding : { ...finding, excerpt };
  });
  return { ...content, result: { ...content.result, findings } };
}
