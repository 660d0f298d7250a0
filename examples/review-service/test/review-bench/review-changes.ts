// Reviews the bench's changes through the real pipeline: intake, redaction, prompt, guard, reading,
// merging. Perforce is a map in memory, and nobody is mailed.
import { randomBytes } from 'node:crypto';
import {
  createCriticizer,
  createEnvironmentSecrets,
  createMemoryStores,
  createStaticRecipients,
  type JobEvent,
  type SettingsInput,
} from '@criticizer/core';
import { createLocalKeyRing, createMemoryArtifactStore } from '@criticizer/core/artifacts';
import type { LlmFallback, LlmProvider, ModelUsage } from '@criticizer/core/llm';
import { createMemoryChangeFetcher, createMemoryContextReader } from '@criticizer/core/testing';
import { createReviewMailComposer } from '@criticizer/notify';
import { createRedactor } from '@criticizer/redact';
import { createShadowMailer } from '../../src/compose/delivery.js';
import { type BenchChange, benchServerId } from './make-changes.js';
import type { FoundFinding } from './score-findings.js';

/** What became of one change. */
export interface BenchReview {
  number: number;
  /** Why there is no review; null where there is one. */
  failure: string | null;
  verdict: string;
  findings: readonly FoundFinding[];
  usage: readonly ModelUsage[];
}

export interface ReviewOptions {
  llm: LlmProvider | LlmFallback;
  settings: SettingsInput;
  /** Reviews at a time. */
  atOnce: number;
  /** Receives how many reviews have ended, after each. */
  onReview?: ((ended: number) => void) | undefined;
}

/** Resolves once every submitted job has ended, well or not. */
function createWatch(total: number, onReview?: (ended: number) => void) {
  const failures = new Map<string, string>();
  let ended = 0;
  let finish = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const onEvent = (event: JobEvent): void => {
    if (event.type !== 'stage.ended') return;
    const { outcome, stage, code, jobId } = event;
    if (outcome === 'failed' || outcome === 'dead-letter') failures.set(jobId, `${stage}: ${code ?? outcome}`);
    else if (outcome !== 'done') return;
    ended += 1;
    onReview?.(ended);
    if (ended === total) finish();
  };
  return { all, onEvent, failures };
}

function wire(changes: readonly BenchChange[], options: ReviewOptions, onEvent: (event: JobEvent) => void) {
  const env = { ARTIFACT_KEY: randomBytes(32).toString('base64') };
  const { settings, atOnce } = options;
  return createCriticizer({
    stores: createMemoryStores(),
    changes: createMemoryChangeFetcher({
      serverId: benchServerId,
      changes: new Map(changes.map(({ change }) => [change.number, change])),
    }),
    context: createMemoryContextReader({
      serverId: benchServerId,
      files: new Map(changes.flatMap(({ depot }) => [...depot])),
    }),
    redactor: createRedactor({ fingerprintKey: randomBytes(32) }),
    llm: options.llm,
    mailer: createShadowMailer(),
    recipients: createStaticRecipients([]),
    composer: createReviewMailComposer({ from: { address: 'bench@studio.example' }, host: 'studio.example' }),
    artifacts: {
      store: createMemoryArtifactStore(),
      keys: createLocalKeyRing({ source: createEnvironmentSecrets({ env }), name: 'ARTIFACT_KEY' }),
    },
    settings: {
      ...settings,
      worker: { ...settings.worker, concurrency: atOnce, pollMinMs: 10, pollMaxMs: 100 },
    },
    onEvent,
  });
}

/** Reviews every change once. Rejects only where the pipeline itself cannot run. */
export async function reviewChanges(
  changes: readonly BenchChange[],
  options: ReviewOptions,
): Promise<readonly BenchReview[]> {
  const watch = createWatch(changes.length, options.onReview);
  const criticizer = wire(changes, options, watch.onEvent);
  const jobs = new Map<number, string>();
  try {
    for (const { change } of changes) {
      const { job } = await criticizer.submit({ serverId: benchServerId, number: change.number, reviewVersion: 1 });
      jobs.set(change.number, job.id);
    }
    await criticizer.start();
    await watch.all;
    return await Promise.all(
      changes.map(async ({ change: { number } }): Promise<BenchReview> => {
        const id = jobs.get(number) ?? '';
        const review = await criticizer.review(id);
        const failure = watch.failures.get(id) ?? (review === null ? 'no review' : null);
        // The bench judges the model.
        const findings = (review?.findings ?? []).flatMap((one): FoundFinding[] => {
          if (one.origin === 'redaction') return [];
          const { file, title, message, place } = one;
          return [{ file, title, message, line: place.line, endLine: place.endLine }];
        });
        return { number, failure, verdict: review?.state.verdict ?? 'none', findings, usage: review?.usage ?? [] };
      }),
    );
  } finally {
    await criticizer.stop();
  }
}
