import { parseChangelistId } from '../../foundation/changelist-id.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import { reviewKind } from '../../stages/job/review-job.js';
import type { DeadLetter } from '../../stores/dead-letter-store.js';
import type { Job } from '../../stores/job.js';
import { isUnresolved } from '../../stores/job-transitions.js';
import type { OperatorParts } from '../operation.js';

/** What is looked at before a job runs again. The first three cannot be forced. */
export const replayCheckNames = ['letter', 'job', 'evidence', 'version', 'artifacts', 'dependency', 'replays'] as const;

/** One of `replayCheckNames`. */
export type ReplayCheckName = (typeof replayCheckNames)[number];

/** One line of the report. */
export interface ReplayCheck {
  name: ReplayCheckName;
  ok: boolean;
  /** One sentence for a person: ids, counts, instants; nothing of the payload. */
  detail: string;
}

/** Whether the job of a dead letter should run again, and what is in the way (ERR-9). */
export interface ReplayReport {
  deadLetterId: string;
  jobId: string;
  /** Where the job would start. */
  stage: string;
  fromStart: boolean;
  /** True when every check is. */
  ok: boolean;
  checks: readonly ReplayCheck[];
}

/** What the dependency of a failed stage says of itself. `detail` is one sentence. */
export interface DependencyHealth {
  healthy: boolean;
  detail: string;
}

/**
 * Says whether what a letter's stage needs works again. Takes at most 10 seconds, then it counts as
 * not healthy, as it does when it throws. A bulk replay asks once for each stage, kind and server.
 */
export type ReplayProbe = (
  letter: Pick<DeadLetter, 'kind' | 'stage' | 'changelistId' | 'errorClass'>,
  signal: AbortSignal,
) => Promise<DependencyHealth>;

/** How a job would run again. */
export interface ReplayPlan {
  /** Default: the stage that failed; of a review from the start `fetch`. */
  stage?: string | undefined;
  /** True clears all outputs and every stage's attempts. Default false. */
  fromStart?: boolean | undefined;
  /** What was mended; needed where no note of kind `evidence` says it. */
  evidence?: string | undefined;
}

/** What the checks read. */
export interface ReplayParts {
  stores: Pick<OperatorParts<unknown>['stores'], 'modules' | 'jobs' | 'deadLetters' | 'artifactManifest'>;
  probe: ReplayProbe | undefined;
  maxReplays: number;
}

const probeMs = 10_000;

/** Where the job would start. Throws `TypeError` where nobody can tell. */
export function startOf(letter: DeadLetter, { stage, fromStart = false }: ReplayPlan): string {
  if (stage !== undefined) return stage;
  if (!fromStart) return letter.stage;
  if (letter.kind === reviewKind) return 'fetch';
  throw new TypeError('stage: expected the first stage of the job, as fromStart is true');
}

function checkJob(letter: DeadLetter, job: Job | null): ReplayCheck {
  const name = 'job';
  if (job === null) return { name, ok: false, detail: `Job ${letter.jobId} was removed after its retention.` };
  return { name, ok: job.status === 'failed', detail: `Job ${job.id} is ${job.status}.` };
}

function checkEvidence(letter: DeadLetter, { evidence }: ReplayPlan): ReplayCheck {
  const noted = letter.notes.filter(({ kind }) => kind === 'evidence').at(-1);
  const name = 'evidence';
  if (evidence !== undefined) return { name, ok: true, detail: 'Given with the replay.' };
  if (noted === undefined) return { name, ok: false, detail: 'Nobody has said what was mended.' };
  return { name, ok: true, detail: `Noted by ${noted.actor.id} at ${noted.at.toISOString()}.` };
}

async function checkVersion({ stores }: ReplayParts, job: Job | null): Promise<ReplayCheck> {
  const name = 'version';
  const latest = job?.changelistId == null ? null : await stores.jobs.latestVersion(job.changelistId);
  const isNewer = (latest?.reviewVersion ?? 0) > (job?.reviewVersion ?? 0);
  if (!isNewer) return { name, ok: true, detail: 'No newer version of the change is stored.' };
  return { name, ok: false, detail: `Version ${latest?.reviewVersion} of ${job?.changelistId} is ${latest?.status}.` };
}

/** Whether an artifact can still be read. */
export type ArtifactState = 'alive' | 'expired' | 'deleted' | 'unknown';

/** An output of a job, and what became of it. */
export interface JobArtifact {
  /** Name of the output: `fetch.redacted`. */
  name: string;
  id: string;
  state: ArtifactState;
  expiresAt: Date | null;
}

/** Ids of rows are UUIDs. Outputs of another form are values: a digest, the name of a prompt, a reason. */
const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The artifacts that a job's stages left, by the names of their outputs; outputs that are no ids are left out. */
export async function listArtifacts({ stores }: Pick<ReplayParts, 'stores'>, job: Job): Promise<JobArtifact[]> {
  if (!stores.modules.includes('artifacts')) return [];
  const outputs = Object.entries(job.outputs);
  const rows = await stores.artifactManifest.get(outputs.map(([, id]) => id));
  return outputs.flatMap(([name, id], n): JobArtifact[] => {
    const row = rows[n] ?? null;
    if (row === null) return idForm.test(id) ? [{ name, id, state: 'unknown', expiresAt: null }] : [];
    const state = row.status === 'deleted' ? 'deleted' : row.isExpired ? 'expired' : 'alive';
    return [{ name, id, state, expiresAt: row.expiresAt }];
  });
}

async function checkArtifacts(parts: ReplayParts, job: Job | null, fromStart: boolean): Promise<ReplayCheck> {
  const name = 'artifacts';
  if (fromStart || job === null) return { name, ok: true, detail: 'None is needed: the job starts anew.' };
  const all = await listArtifacts(parts, job);
  const gone = all.filter(({ state }) => state !== 'alive');
  if (gone.length === 0) return { name, ok: true, detail: `${all.length} of earlier stages, all alive.` };
  const named = gone.slice(0, 3).map((artifact) => `${artifact.name} is ${artifact.state}`);
  const more = gone.length > 3 ? ` and ${gone.length - 3} more` : '';
  return { name, ok: false, detail: `${named.join(', ')}${more}; a replay from the start rebuilds them.` };
}

/** Asks a probe once, within its 10 seconds. Always answers. */
async function askProbe(probe: ReplayProbe, letter: Parameters<ReplayProbe>[0]): Promise<DependencyHealth> {
  const { kind, stage, changelistId, errorClass } = letter;
  const over = new AbortController();
  const asked = async (): Promise<DependencyHealth> => probe({ kind, stage, changelistId, errorClass }, over.signal);
  const health = await withDeadline({ clock: systemClock, ms: probeMs, call: 'probe' }, asked()).catch(() => ({
    healthy: false,
    detail: `The probe of ${stage} failed or took more than 10 seconds.`,
  }));
  over.abort();
  return health;
}

async function checkDependency({ probe }: ReplayParts, letter: DeadLetter): Promise<ReplayCheck> {
  const name = 'dependency';
  if (probe === undefined) return { name, ok: true, detail: 'Not looked at: there is no probe.' };
  const { healthy, detail } = await askProbe(probe, letter);
  return { name, ok: healthy, detail };
}

async function checkReplays({ stores, maxReplays }: ReplayParts, letter: DeadLetter): Promise<ReplayCheck> {
  const letters = await stores.deadLetters.list({ jobId: letter.jobId, limit: 1_000 });
  const replays = letters.reduce((sum, one) => sum + one.replays, 0);
  return { name: 'replays', ok: replays < maxReplays, detail: `${replays} of at most ${maxReplays} so far.` };
}

/** Looks at a letter and all that its replay rests on; changes nothing. Throws `TypeError` as `startOf` does. */
export async function reportReplay(parts: ReplayParts, letter: DeadLetter, plan: ReplayPlan): Promise<ReplayReport> {
  const stage = startOf(letter, plan);
  const fromStart = plan.fromStart ?? false;
  const job = (await parts.stores.jobs.get([letter.jobId]))[0] ?? null;
  const checks = [
    { name: 'letter', ok: isUnresolved(letter.status), detail: `It is ${letter.status}.` } as const,
    checkJob(letter, job),
    checkEvidence(letter, plan),
    await checkVersion(parts, job),
    await checkArtifacts(parts, job, fromStart),
    await checkDependency(parts, letter),
    await checkReplays(parts, letter),
  ];
  const { id: deadLetterId, jobId } = letter;
  return { deadLetterId, jobId, stage, fromStart, ok: checks.every(({ ok }) => ok), checks };
}

/** A probe that asks once for each kind, stage and server, and remembers the answer. */
export function rememberProbe(probe: ReplayProbe | undefined): ReplayProbe | undefined {
  if (probe === undefined) return undefined;
  const known = new Map<string, Promise<DependencyHealth>>();
  return (letter) => {
    const server = letter.changelistId === null ? null : parseChangelistId(letter.changelistId)?.serverId;
    const key = JSON.stringify([letter.kind, letter.stage, server ?? null]);
    // The bounded answer is what is remembered: a probe that hangs is waited for once, not for each letter.
    const health = known.get(key) ?? askProbe(probe, letter);
    known.set(key, health);
    return health;
  };
}
