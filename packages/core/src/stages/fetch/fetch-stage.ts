import type { Artifacts } from '../../artifacts/artifacts.js';
import type { Change } from '../../changes/change.js';
import type { ChangeFetcher, FetchOutcome, FetchRequest } from '../../changes/change-fetcher.js';
import type { RedactedChange } from '../../changes/redacted-change.js';
import { CriticizerError, isCriticizerError } from '../../foundation/errors.js';
import type { JsonObject } from '../../foundation/json.js';
import type { Redactor } from '../../foundation/redactor.js';
import type { Settings } from '../../settings/settings.js';
import type { Job } from '../../stores/job.js';
import type { JobStore, SettlementEffects } from '../../stores/job-store.js';
import { attribute, metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import type { Stage, StageContext } from '../../worker/run/stage.js';
import { decideAge, decideFiltered, decideIntake } from '../intake/intake.js';
import {
  changeFiles,
  changeSummary,
  encodeFiles,
  encodeSummary,
  fetchedContent,
  redactedSnapshot,
} from '../job/change-snapshot.js';
import { countFiltered, type FilteredFiles, type PathFilter } from '../job/path-filter.js';
import { redactFetched } from '../job/redact-fetched.js';
import { writeRedactedSnapshot } from '../job/redacted-snapshot.js';
import { fetchStageName, type ReviewJob } from '../job/review-job.js';
import { openRunOutputs } from '../job/run-outputs.js';
import { addContext, type ContextParts, countContext } from './context/add-context.js';

export interface FetchStageOptions extends Pick<ContextParts, 'readers' | 'isContextWanted' | 'clock'> {
  /** By `serverId`. */
  fetchers: ReadonlyMap<string, ChangeFetcher>;
  redactor: Redactor;
  artifacts: Artifacts;
  jobs: Pick<JobStore<never>, 'latestVersion'>;
  /** Of `settings.intake.skipPaths`. */
  filter: PathFilter;
  settings: Pick<Settings, 'fetch' | 'intake' | 'review'>;
  storeNow(): Promise<Date>;
  telemetry: Pick<Telemetry, 'count'>;
}

/**
 * The first stage: the change through the allow-list, the intake's decision, what is read as its context
 * (GRD-4), a raw and a redacted snapshot (ART-5, RED-1).
 */
export function createFetchStage({
  fetchers,
  redactor,
  artifacts,
  jobs,
  filter,
  settings,
  storeNow,
  telemetry,
  ...contextParts
}: FetchStageOptions): Stage<ReviewJob> {
  return {
    name: fetchStageName,
    async run(context) {
      const { payload, job, signal } = context;
      const fetcher = fetchers.get(payload.serverId);
      if (fetcher === undefined)
        throw new CriticizerError(
          'SERVER_UNKNOWN',
          `No change fetcher is wired for the server "${payload.serverId}".`,
          {
            category: 'not_found',
          },
        );
      const limits = settings.review.maxAgeMs;
      const age = isAskedFor(context) ? 0 : measureAge(context, await storeNow());
      const unread = decideAge(age, undefined, limits);
      if (unread !== null) return { kind: 'done', result: skipped(unread.reason, unread.detail) };
      const outcome = await fetchNoticed(fetcher, payload, {
        limits: settings.fetch,
        signal,
        isScanOnly: filter.skips,
      });
      if (outcome.kind === 'skipped') return { kind: 'done', result: skipped(outcome.reason, outcome.detail) };
      if (await isSuperseded(outcome.change, { payload, job, jobs }))
        return { kind: 'done', result: skipped('superseded', supersededDetail) };
      const skip = decideAge(age, outcome.change.kind, limits) ?? decideIntake(outcome.change, settings.intake, filter);
      if (skip !== null) return { kind: 'done', result: skipped(skip.reason, skip.detail) };
      const { change, gathered } = await addContext(outcome.change, { ...contextParts, filter, settings }, signal);
      const redacted = redactFetched(redactor, change);
      const filtered = countFiltered(outcome.change, filter);
      for (const [rule, times] of Object.entries(redacted.redactions))
        telemetry.count(metric.redactions, times, { [attribute.rule]: rule });
      context.report({ ...countFacts(redacted, filtered), ...countContext(gathered) });
      const nothingLeft = decideFiltered(filtered, countRedactions(redacted));
      if (nothingLeft !== null) return { kind: 'done', result: skipped(nothingLeft.reason, nothingLeft.detail) };
      const stored = { change, redacted, rules: redactor.rules };
      return { kind: 'next', effects: await storeChange(artifacts, stored, context) };
    },
  };
}

/** The change as it was fetched, in two artifacts, and redacted, in a third. */
async function storeChange(
  artifacts: Artifacts,
  { change, redacted, rules }: { change: Change; redacted: RedactedChange; rules: Redactor['rules'] },
  context: StageContext<ReviewJob>,
): Promise<SettlementEffects> {
  const run = openRunOutputs(artifacts, context);
  const redactedId = await writeRedactedSnapshot(rules, redacted, run);
  const raw = { namespace: 'raw', purpose: 'change', redaction: null } as const;
  const summaryId = await run.write(raw, encodeSummary(change));
  const filesId = await run.write(raw, encodeFiles(change), { forget: true });
  const outputs = {
    [changeSummary]: summaryId,
    [changeFiles]: filesId,
    [redactedSnapshot]: redactedId,
    [fetchedContent]: change.contentDigest,
  };
  return { outputs, publish: [summaryId, filesId, redactedId] };
}

/** What was noticed and is gone since is no failure: a shelf waits for `watch.quietMs` before it is fetched. */
async function fetchNoticed(
  fetcher: ChangeFetcher,
  { number, seenBy }: ReviewJob,
  request: FetchRequest,
): Promise<FetchOutcome> {
  try {
    return await fetcher.fetch(number, request);
  } catch (error) {
    if (seenBy === undefined || !isCriticizerError(error) || error.code !== 'P4_CHANGE_NOT_FOUND') throw error;
    return { kind: 'skipped', reason: 'gone', detail: 'The change was noticed and is not there any more.' };
  }
}

/** Somebody waits for this one: it was submitted with recipients of its own, or an operator replays it. */
function isAskedFor({ payload, job }: StageContext<ReviewJob>): boolean {
  return payload.recipients.length > 0 || job.replayOf !== null;
}

/** How long the review has waited beyond what its submit asked for, in milliseconds, by the store's clock. */
function measureAge({ payload, job }: StageContext<ReviewJob>, now: Date): number {
  return now.getTime() - job.createdAt.getTime() - (payload.delayMs ?? 0);
}

const supersededDetail = 'A newer version of the review is stored; the shelf holds only its newest content.';

/**
 * A shelf made anew took the content of this version with it, and a change submitted meanwhile has
 * only the content that its newer version has fetched: two versions would review one content
 * (NOT-2). Not where the other failed, and not where this one was asked for with recipients of its
 * own: they would hear nothing.
 */
async function isSuperseded(
  { kind, changelistId, contentDigest }: Change,
  { payload, job, jobs }: { payload: ReviewJob; job: Job; jobs: FetchStageOptions['jobs'] },
): Promise<boolean> {
  if (payload.recipients.length > 0) return false;
  const latest = await jobs.latestVersion(changelistId);
  if (latest === null || latest.status === 'failed') return false;
  if ((latest.reviewVersion ?? 0) <= (job.reviewVersion ?? 0)) return false;
  return kind === 'shelved' || latest.outputs[fetchedContent] === contentDigest;
}

function skipped(reason: string, detail: string): JsonObject {
  return { skipped: reason, detail };
}

/** For operators: counts alone. `filtered` files are among `filesSkipped`, `unscanned` ones among them. */
function countFacts(change: RedactedChange, { filtered, unscanned }: FilteredFiles): JsonObject {
  return {
    files: change.files.length,
    filesSkipped: change.files.filter((file) => file.skipped !== null).length + filtered - unscanned,
    filesFiltered: filtered,
    filesUnscanned: unscanned,
    addedLines: change.files.reduce((lines, file) => lines + file.addedLines, 0),
    removedLines: change.files.reduce((lines, file) => lines + file.removedLines, 0),
    secretsWithheld: countRedactions(change),
  };
}

function countRedactions({ redactions }: RedactedChange): number {
  return Object.values(redactions).reduce((sum, times) => sum + times, 0);
}
