import { nameActor } from '../../foundation/actor.js';
import { CriticizerError } from '../../foundation/errors.js';
import type { JsonValue } from '../../foundation/json.js';
import { oneOf, optional } from '../../foundation/option-checks.js';
import { checkText } from '../../foundation/store-input.js';
import { type BenchComparison, benchShape, compareBench } from '../../prompt/rollout/bench-gate.js';
import {
  isKnownEverywhere,
  type PromptProcess,
  promptProcessesDocument,
  readLiveProcesses,
} from '../../prompt/rollout/prompt-processes.js';
import { type PromptRollout, type PromptSlice, promptSlices } from '../../prompt/rollout/prompt-rollout.js';
import { checkRequest, type OperatorRequest } from '../operation.js';
import { changeRollout, type RolloutParts } from './change-rollout.js';

/** Which prompt variant is tried, and by whom. */
export interface StartPromptRollout extends OperatorRequest {
  /** Name of the variant, such as `built-in@1.3/1.0+check-1.0`. */
  candidate: string;
  /** The candidate's percent of authors, or of parts of the depot, 0 to 100. A second start changes it. */
  percentage: number;
  /** Default `author`. */
  slice?: PromptSlice | undefined;
  /** What everybody else gets. Default: what everybody gets now. */
  baseline?: string | undefined;
  /** The figures of both by `bench:review`; a candidate that is worse is not started. */
  bench?: BenchComparison | undefined;
}

/** What everybody gets now: by the rollout, or by the default of all processes. Null: they differ. */
function findUsual(present: PromptRollout | null, live: ReadonlyMap<string, PromptProcess>): string | null {
  if (present !== null) return present.state === 'promoted' ? present.candidate : present.baseline;
  const defaults = new Set([...live.values()].map(({ variants }) => variants[0]));
  const [only] = defaults;
  return defaults.size === 1 ? (only ?? null) : null;
}

function requireKnown(live: ReadonlyMap<string, PromptProcess>, variant: string): void {
  if (live.size > 0 && isKnownEverywhere(live, variant)) return;
  const missing = [...live.values()].filter(({ variants }) => !variants.includes(variant)).length;
  throw new CriticizerError(
    'PROMPT_NOT_EVERYWHERE',
    'Not every process knows this prompt and can read its replies: deploy the release that has it everywhere first.',
    { category: 'conflict', details: { variant, processes: live.size, missing } },
  );
}

function requireBetter(bench: BenchComparison): void {
  const worse = compareBench(bench);
  if (worse.length === 0) return;
  throw new CriticizerError('PROMPT_BENCH_WORSE', 'The bench says that the candidate is worse than the baseline.', {
    category: 'conflict',
    details: { worse: [...worse] },
  });
}

/** The slice's percentage before, and since when it is there: a second start only changes the share. */
function findSlice(present: PromptRollout | null, sides: Pick<PromptRollout, 'baseline' | 'candidate'>, now: Date) {
  const isSame =
    present?.state === 'running' && present.candidate === sides.candidate && present.baseline === sides.baseline;
  return isSame ? { before: present.percentage, since: present.since } : { before: null, since: now.toISOString() };
}

/**
 * Gives the candidate a sticky slice of the new jobs, or another share of them (PR-4). Every process
 * follows within 2 seconds; jobs under way keep their variant. `latched`: a gate rolled a candidate
 * back, and nobody has released the latch. `running`: another candidate has a slice, which must end
 * first. Rejects with `PROMPT_NOT_EVERYWHERE` where a process that is there does not know one of both,
 * `PROMPT_BASELINE_UNKNOWN` where processes differ in what they give and no baseline is named,
 * `PROMPT_BENCH_WORSE`, and `PROMPT_ROLLOUT_CONFLICT`. Throws `TypeError` for a request that is none.
 */
export async function startPromptRollout<Tx>(parts: RolloutParts<Tx>, request: StartPromptRollout) {
  checkRequest<StartPromptRollout>('startPromptRollout', request, {
    candidate: (option, value) => checkText(option, value, 128),
    percentage: (option, value) => {
      if (typeof value !== 'number' || !(value >= 0 && value <= 100))
        throw new TypeError(`${option}: expected a number from 0 to 100`);
    },
    slice: optional(oneOf(...promptSlices)),
    baseline: optional((option, value) => checkText(option, value, 128)),
    bench: optional(benchShape),
  });
  const { candidate, percentage, slice = 'author', bench, actor, reason } = request;
  if (bench !== undefined) requireBetter(bench);
  const by = nameActor(actor);
  return changeRollout(parts, { action: 'prompt.rollout.start', actor, reason }, async (present, now) => {
    if (present?.state === 'running' && present.candidate !== candidate) return { outcome: 'running', next: null };
    if (present !== null && present.latch !== null) return { outcome: 'latched', next: null };
    const live = readLiveProcesses((await parts.stores.documents.read(promptProcessesDocument)).value, now.getTime());
    const baseline = request.baseline ?? findUsual(present, live);
    if (baseline === null)
      throw new CriticizerError(
        'PROMPT_BASELINE_UNKNOWN',
        'Processes differ in the prompt that they give, or none is there: name the baseline.',
        { category: 'conflict', details: { processes: live.size } },
      );
    if (baseline === candidate)
      throw new TypeError('startPromptRollout: candidate: expected another than the baseline');
    for (const variant of [candidate, baseline]) requireKnown(live, variant);
    const { before, since } = findSlice(present, { baseline, candidate }, now);
    const next: PromptRollout = {
      ...{ state: 'running', baseline, candidate, percentage, slice, since, by, reason, latch: null },
    };
    const figures = bench === undefined ? null : (JSON.parse(JSON.stringify(bench)) as JsonValue);
    return { outcome: 'started', next, payload: { percentage, slice, before, bench: figures } };
  });
}
