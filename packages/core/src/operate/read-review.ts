import { type Artifacts, isArtifactGone } from '../artifacts/artifacts.js';
import { type RedactedChange, readRedactedChange } from '../changes/redacted-change.js';
import { type Actor, checkActor } from '../foundation/actor.js';
import { checkFields, type OptionShape } from '../foundation/check-options.js';
import { optional } from '../foundation/option-checks.js';
import { readRedactedText } from '../foundation/redacted-text.js';
import type { Redactor } from '../foundation/redactor.js';
import { checkText } from '../foundation/store-input.js';
import type { CodeExcerpt } from '../review/code-excerpt.js';
import { redactedSnapshot } from '../stages/job/change-snapshot.js';
import { type OutputReader, readOutputs } from '../stages/job/run-outputs.js';
import { readTruePaths } from '../stages/job/true-paths.js';
import { readStoredReview, type StoredReview, storedReview } from '../stages/llm/stored-review.js';
import { cutExcerpts } from '../stages/notify/show-code.js';
import type { JobStore } from '../stores/job-store.js';

/** Who reads a review, and why. */
export interface ReadReviewOptions {
  actor?: Actor | undefined;
  /** 1 to 8,192 characters; the audit events of the artifacts that are read hold it (ART-4). */
  reason?: string | undefined;
}

/** What reviews are read with. */
export interface ReviewReaderParts {
  jobs: Pick<JobStore<never>, 'get'>;
  artifacts: Artifacts;
  redactor: Pick<Redactor, 'rules'>;
}

const byActor: OptionShape<ReadReviewOptions> = {
  actor: optional(checkActor),
  reason: optional((option, value) => checkText(option, value, 8_192)),
};

async function findOutputs(
  { jobs, artifacts }: ReviewReaderParts,
  jobId: string,
  { actor, reason }: ReadReviewOptions,
): Promise<OutputReader | null> {
  const [job] = await jobs.get([jobId]);
  return job?.outputs[storedReview] === undefined ? null : readOutputs(artifacts, job.outputs, actor, { reason });
}

/** Null where it has expired, or was made by other rules than those in force: they may hide more. */
async function readSnapshot(outputs: OutputReader, { version, policyHash }: Redactor['rules']) {
  try {
    const made = readRedactedText(await outputs.readRedacted(redactedSnapshot));
    if (made.rulesVersion !== version || made.policyHash !== policyHash) return null;
    return readRedactedChange(JSON.parse(made.text));
  } catch (error) {
    if (isArtifactGone(error)) return null;
    throw error;
  }
}

/** `Criticizer.review`. */
export async function readReview(
  parts: ReviewReaderParts,
  jobId: string,
  options: ReadReviewOptions = {},
): Promise<StoredReview | null> {
  checkFields('review: options', options, byActor);
  const { actor } = options;
  const outputs = await findOutputs(parts, jobId, options);
  return outputs === null ? null : readStoredReview(outputs, { hidePaths: actor === undefined });
}

/** `Criticizer.excerpts`. */
export async function readExcerpts(
  parts: ReviewReaderParts,
  jobId: string,
  options: ReadReviewOptions = {},
): Promise<ReadonlyMap<string, CodeExcerpt>> {
  checkFields('excerpts: options', options, byActor);
  const { actor } = options;
  const outputs = await findOutputs(parts, jobId, options);
  if (outputs === null) return new Map();
  const change: RedactedChange | null = await readSnapshot(outputs, parts.redactor.rules);
  if (change === null) return new Map();
  const { findings } = await readStoredReview(outputs, { hidePaths: actor === undefined });
  return cutExcerpts(findings, change, actor === undefined ? [] : ((await readTruePaths(outputs)) ?? []));
}
