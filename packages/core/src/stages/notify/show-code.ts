import { isArtifactGone } from '../../artifacts/artifacts.js';
import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import type { Redactor } from '../../foundation/redactor.js';
import { cutExcerpt } from '../../review/code-excerpt.js';
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
 * The content with the code round each finding, for a mail that may hold `code` (ruling R21). A
 * review holds none: who may read findings need not be allowed to read code.
 */
export function addExcerpts(
  content: ReviewMailContent,
  change: RedactedChange | null,
  truePaths: readonly TruePaths[],
): ReviewMailContent {
  if (change === null) return content;
  const files = new Map<string, RedactedFile>();
  for (const [at, file] of change.files.entries())
    for (const name of [file.path, file.displayPath, truePaths[at]?.path]) if (name != null) files.set(name, file);
  const findings = content.result.findings.map((finding) => {
    const file = finding.file === null ? undefined : files.get(finding.file);
    const excerpt = file === undefined ? [] : cutExcerpt(file, finding.place);
    return excerpt.length === 0 ? finding : { ...finding, excerpt };
  });
  return { ...content, result: { ...content.result, findings } };
}
