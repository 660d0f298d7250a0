import { createArtifacts } from './artifacts/artifacts.js';
import { createRoleAccessPolicy } from './artifacts/role-access-policy.js';
import { sweepArtifacts } from './artifacts/sweep-artifacts.js';
import { type CriticizerOptions, checkCriticizerOptions } from './criticizer-options.js';
import { createKillSwitch } from './egress/kill-switch.js';
import { createProviderPolicy } from './egress/provider-policy.js';
import { checkFields, type OptionShape } from './foundation/check-options.js';
import { CriticizerError } from './foundation/errors.js';
import { checkedElsewhere } from './foundation/option-checks.js';
import { systemClock } from './foundation/time/system-clock.js';
import { systemRandom } from './foundation/time/system-random.js';
import { createDryRun, type DryRun, type DryRunRequest } from './operate/dry-run.js';
import { createReconciler } from './outbox/mail-reconciler.js';
import { createMailVault } from './outbox/mail-vault.js';
import { createMailWorker } from './outbox/mail-worker.js';
import { builtInVariants } from './prompt/built-in-variant.js';
import { resolveSettings } from './settings.js';
import { createChangeRecipients } from './stages/change-recipients.js';
import { createFetchStage } from './stages/fetch-stage.js';
import { guardPorts } from './stages/guarded-ports.js';
import { createLlmStage } from './stages/llm-stage.js';
import { mergeRecipients } from './stages/merge-recipients.js';
import { createNotifyStage } from './stages/notify-stage.js';
import { reviewJobSchema, reviewKind } from './stages/review-job.js';
import { readOutputs } from './stages/run-outputs.js';
import { readStoredReview, type StoredReview, storedReview } from './stages/stored-review.js';
import { readSubmitRequest, type SubmitRequest } from './stages/submit-request.js';
import type { Job } from './stores/job.js';
import type { EnqueueResult, NewJob } from './stores/job-store.js';
import type { OutboxRow } from './stores/notify-outbox.js';
import { createLogSecurityEvents } from './telemetry/log-security-events.js';
import { silentLogger } from './telemetry/logger.js';
import { noTelemetry } from './telemetry/telemetry.js';
import { createJobWorker } from './worker/job-worker.js';
import { createLifecycle } from './worker/lifecycle.js';
import { createOutages } from './worker/outages.js';
import { createQueueUpkeep } from './worker/queue-upkeep.js';
import { retryPolicyOf } from './worker/queue-worker.js';

const inTransaction: OptionShape<{ tx?: unknown }> = { tx: checkedElsewhere };

/** A review as the stores have it: its job and its mails. */
export interface ReviewStatus {
  job: Job;
  mails: readonly OutboxRow[];
}

/** Reviews as a service: submit a change, run workers, look at a review, stop. */
export interface Criticizer<Tx> extends AsyncDisposable {
  /**
   * Stores a review job; in the caller's transaction when `tx` is given. Throws `TypeError` for a
   * malformed request, `RECIPIENT_INVALID`, `MAILER_UNKNOWN`, `SERVER_UNKNOWN`.
   */
  submit(request: SubmitRequest, options?: { tx?: Tx | undefined }): Promise<EnqueueResult>;
  /** Jobs of the host's own kinds. */
  enqueue(jobs: readonly NewJob[], options?: { tx?: Tx | undefined }): Promise<readonly EnqueueResult[]>;
  /**
   * Starts claiming. Throws `SCHEMA_OLD` before migrations ran (the plan's SQL goes to the logger),
   * `LIMIT_DISAGREES` when other processes run with another `worker.maxRunning`, `STOPPED` after a
   * stop. A start that failed may be called again.
   */
  start(): Promise<void>;
  /** Claims nothing more, lets running jobs finish within the grace, gives the rest back. Idempotent. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
  /** Null for an unknown job. */
  status(jobId: string): Promise<ReviewStatus | null>;
  /**
   * The finished review, with true depot paths as long as the raw change is kept; null before the
   * llm stage has ended well.
   */
  review(jobId: string): Promise<StoredReview | null>;
  /** What a review would send and to whom, to the byte; nothing is sent or stored (EGR-3). */
  dryRun(request: DryRunRequest): Promise<DryRun>;
}

/**
 * Puts the parts together: the only wiring. Throws `TypeError` for a missing part or a wrong
 * setting, before anything runs.
 */
export function createCriticizer<Tx>(options: CriticizerOptions<Tx>): Criticizer<Tx> {
  const { fetchers, providers, mailers } = checkCriticizerOptions(options);
  const settings = resolveSettings(options.settings);
  const { stores, redactor } = options;
  const { jobs, outbox, artifactManifest: manifest } = stores;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const logger = options.logger ?? silentLogger;
  const telemetry = options.telemetry ?? noTelemetry;
  const securityEvents = options.securityEvents ?? createLogSecurityEvents(logger);
  const observers = { clock, random, logger, telemetry };
  const outages = createOutages(observers);
  const retry = retryPolicyOf(settings.retry);

  const artifacts = createArtifacts({
    store: options.artifacts.store,
    keys: options.artifacts.keys,
    access: options.artifacts.access ?? createRoleAccessPolicy([]),
    manifest,
    securityEvents,
    random,
    ttlMs: { raw: settings.artifacts.rawTtlMs, redacted: settings.artifacts.redactedTtlMs },
  });
  const unwired = (settings.egress.policy ?? [])
    .flatMap((rule) => rule.providers)
    .filter((id) => !providers.some((p) => p.id === id));
  if (unwired.length > 0)
    throw new TypeError(
      `settings.egress.policy: no provider ${unwired.join(', ')}; wired are ${providers.map((p) => p.id).join(', ')}`,
    );
  const policy = createProviderPolicy(
    settings.egress.policy === null ? { otherwise: providers.map((p) => p.id) } : { rules: settings.egress.policy },
  );
  const killSwitch = createKillSwitch({ documents: stores.documents, securityEvents, clock });
  const redactText = (text: string): string => redactor.session().redact(text).text;
  const storeNow = () => stores.now();

  const { outageAfter, parkMs } = settings.retry;
  const looks = { outageAfter, parkMs, backoff: retry.backoff };
  // The dry run asks the bare ones: whoever asks for it wants to see what is out.
  const guarded = guardPorts(
    { fetchers, providers },
    { policy: looks, outages, classify: options.classify, clock, random },
  );
  const fetchStage = createFetchStage({ fetchers: guarded.fetchers, redactor, artifacts, jobs, settings, storeNow });
  const reviewing = {
    providers,
    variants: builtInVariants,
    policy,
    redactor,
    settings,
    securityEvents,
    clock,
    random,
  } as const;
  const llmStage = createLlmStage({
    ...reviewing,
    providers: guarded.providers,
    artifacts,
    killSwitch,
    log: stores.egress,
    telemetry,
  });
  const delivery = { outbox, mailers, backoff: retry.backoff, storeNow, outages, ...observers };
  const recipients = options.recipients ?? createChangeRecipients();
  const { concurrency, prefetch, leaseMs, pollMinMs, pollMaxMs } = settings.worker;
  const poll = { minMs: pollMinMs, maxMs: pollMaxMs };
  const vault = createMailVault(artifacts, redactor.rules);
  const mailWorker = createMailWorker({ ...delivery, vault, settings: settings.mail, poll });
  const wakeMail = (): void => mailWorker.wake();
  const reconcile = createReconciler({ ...delivery, vault, settings: settings.mail, wakeMail });
  const notifying = {
    outbox,
    artifacts,
    mailers,
    composer: options.composer,
    recipients,
    settings,
    wakeMail,
    storeNow,
  };
  const notifyStage = createNotifyStage({ ...notifying, redactor, clock, logger });
  const reviews = { kind: reviewKind, payload: reviewJobSchema, stages: [fetchStage, llmStage, notifyStage] as const };

  const kinds = [reviews, ...(options.kinds ?? [])];
  const jobWorker = createJobWorker({
    jobs,
    kinds,
    retry,
    leaseMs,
    concurrency,
    prefetch,
    poll,
    redactText,
    classify: options.classify,
    outages,
    onEvent: options.onEvent,
    ...observers,
  });
  const duties = [() => outbox.requeueExpired(), sweepExpired, reconcile];
  const upkeep = createQueueUpkeep({ stores, settings, duties, ...observers });
  const dryRun = createDryRun({ ...reviewing, fetchers });
  const { start, stop } = createLifecycle({
    name: 'Criticizer',
    begin: [upkeep.check, () => Promise.all([jobWorker.start(), mailWorker.start()]), upkeep.start],
    end: stopAll,
    graceMs: settings.worker.shutdownGraceMs,
    signal: options.signal,
    logger,
  });

  async function sweepExpired(): Promise<void> {
    const swept = await sweepArtifacts({
      store: options.artifacts.store,
      manifest,
      random,
      clock,
      owner: jobWorker.owner,
    });
    if (swept.failed + swept.stillPresent + swept.unverified > 0)
      logger.error(swept, 'expired artifacts could not be deleted');
  }

  async function stopAll(graceMs: number): Promise<void> {
    const endsAt = clock.monotonicMs() + graceMs;
    const kept = upkeep.stop();
    await jobWorker.stop({ graceMs }); // first: a job at its last stage waits for mails that are still to be sent
    await mailWorker.stop({ graceMs: Math.max(0, endsAt - clock.monotonicMs()) });
    await kept;
    await mailers.close();
  }

  return {
    async submit(request, options) {
      checkFields('submit: options', options, inTransaction);
      const tx = options?.tx;
      const {
        serverId,
        number,
        reviewVersion,
        recipients: named = [],
        priority,
        delayMs,
        skipped,
        ...keys
      } = readSubmitRequest(request);
      if (!fetchers.has(serverId))
        throw new CriticizerError('SERVER_UNKNOWN', `No change fetcher is wired for the server "${serverId}".`, {
          category: 'not_found',
        });
      mergeRecipients(named, mailers); // refuses a wrong address or mailer now, not after the model was paid
      const changelistId = `${serverId}/${number}`;
      const idempotencyKey = keys.idempotencyKey ?? `${reviewKind}:${changelistId}:v${reviewVersion}`;
      const payload = {
        serverId,
        number,
        recipients: named.map(({ address, name, required, via }) => ({
          address,
          required,
          ...(name === undefined ? {} : { name }),
          ...(via === undefined ? {} : { via }),
        })),
        ...(delayMs === undefined ? {} : { delayMs }),
      };
      const job: NewJob = {
        kind: reviewKind,
        payload,
        stage: fetchStage.name,
        idempotencyKey,
        changelistId,
        reviewVersion,
        priority,
        delayMs,
        completedWith: skipped === undefined ? undefined : { skipped: skipped.reason, detail: skipped.detail },
      };
      const [result] = await jobs.enqueue([job], { tx });
      if (result === undefined) throw new CriticizerError('ENQUEUE_EMPTY', 'The store answered nothing for a job.');
      if (tx === undefined) jobWorker.wake();
      return result;
    },
    async enqueue(list, options) {
      checkFields('enqueue: options', options, inTransaction);
      const tx = options?.tx;
      const results = await jobs.enqueue(list, { tx });
      if (tx === undefined) jobWorker.wake();
      return results;
    },
    start,
    stop,
    async status(jobId) {
      const [job] = await jobs.get([jobId]);
      return job === null || job === undefined ? null : { job, mails: await outbox.list({ jobId, limit: 1_000 }) };
    },
    async review(jobId) {
      const [job] = await jobs.get([jobId]);
      return job?.outputs[storedReview] === undefined ? null : readStoredReview(readOutputs(artifacts, job.outputs));
    },
    dryRun,
    [Symbol.asyncDispose]: () => stop(),
  };
}
