import { reopenedMail } from './alerts/conditions.js';
import { createBacklogMeasure } from './alerts/measure-backlog.js';
import { watchAuditTrail, watchSecurityEvents } from './alerts/watch-parts.js';
import { wireAlerts } from './alerts/wire-alerts.js';
import { createArtifacts } from './artifacts/artifacts.js';
import { createRoleAccessPolicy } from './artifacts/role-access-policy.js';
import { createSweepDuty } from './artifacts/sweep-duty.js';
import { createDestinationLoops } from './audit/delivery/destination-loops.js';
import { checkCriticizerOptions } from './check-criticizer-options.js';
import type { Criticizer } from './criticizer-interface.js';
import type { CriticizerOptions } from './criticizer-options.js';
import { createEgressParts } from './egress/egress-parts.js';
import { createOutboundGate } from './egress/outbound-gate.js';
import { listStandingStops } from './egress/standing-stops.js';
import { checkFields, type OptionShape } from './foundation/check-options.js';
import { CriticizerError } from './foundation/errors.js';
import { checkedElsewhere } from './foundation/option-checks.js';
import { systemClock } from './foundation/time/system-clock.js';
import { systemRandom } from './foundation/time/system-random.js';
import { isFallback } from './llm/fallback.js';
import { createPurgeDuty } from './operate/changes/continue-purge.js';
import { createDryRun } from './operate/dry-run.js';
import { createOperator } from './operate/operator.js';
import { wirePrompts } from './operate/prompts/wire-prompts.js';
import { readExcerpts, readReview } from './operate/read-review.js';
import { createMailVault, withHostMessages } from './outbox/frozen/mail-vault.js';
import { createMailDelivery, type MailOutcome, toDeliverySettings } from './outbox/mail-delivery.js';
import { createReconciler } from './outbox/mail-reconciler.js';
import { createOutboxWorker } from './outbox/outbox-worker.js';
import { resolveSettings } from './settings/settings.js';
import { createFetchStage } from './stages/fetch/fetch-stage.js';
import { newReviewJob } from './stages/intake/submit-request.js';
import { guardPorts } from './stages/job/guarded-ports.js';
import { createPathFilter } from './stages/job/path-filter.js';
import { reviewJobSchema, reviewKind } from './stages/job/review-job.js';
import { checkProviderNames } from './stages/llm/check-provider-names.js';
import { compileReviewRules } from './stages/llm/guidance/review-rules.js';
import { createLlmStage } from './stages/llm/llm-stage.js';
import { learnPauses } from './stages/llm/pacing/learn-pauses.js';
import { createSharedPace } from './stages/llm/pacing/shared-pace.js';
import { maySeeContext } from './stages/llm/share-context.js';
import { compilePathBudgets } from './stages/llm/spending/path-budgets.js';
import { createSpendingLedger } from './stages/llm/spending/spending-ledger.js';
import { createRateCalibration } from './stages/llm/token-rates/calibrate-rate.js';
import { createNotifyStage } from './stages/notify/notify-stage.js';
import { createChangeRecipients } from './stages/recipients/change-recipients.js';
import { createLogSecurityEvents } from './telemetry/log-security-events.js';
import { silentLogger } from './telemetry/logger.js';
import type { SecurityEvents } from './telemetry/security-events.js';
import { zeroReviewCounters } from './telemetry/zero-counters.js';
import { createRetentionDuty } from './worker/wiring/prune-aged.js';
import { checkRunDue } from './worker/wiring/queue-worker.js';
import { createTracedEnqueue } from './worker/wiring/traced-enqueue.js';
import { wireWorker } from './worker/wiring/wire-worker.js';

const inTransaction: OptionShape<{ tx?: unknown }> = { tx: checkedElsewhere };

/**
 * Puts the parts together: the only wiring. Throws `TypeError` for a missing part or a wrong
 * setting, and `EGRESS_POLICY_MISSING` for a public model without a policy, before anything runs.
 */
// long: the wiring, where every part meets the others once
export function createCriticizer<Tx>(options: CriticizerOptions<Tx>): Criticizer<Tx> {
  const { fetchers, readers, providers, mailers, senders } = checkCriticizerOptions(options);
  const settings = resolveSettings(options.settings);
  const { stores, redactor } = options;
  const { jobs, outbox, artifactManifest: manifest } = stores;
  const { store: artifactStore } = options.artifacts;
  const { logger = silentLogger, clock = systemClock, random = systemRandom } = options;
  const logged = options.securityEvents ?? createLogSecurityEvents(logger);
  const securityEvents: SecurityEvents =
    options.pagers === undefined ? logged : watchSecurityEvents(logged, () => alerter);

  checkProviderNames(settings, providers);
  const { isInternal, policy, contentPolicy, killSwitch, telemetry } = createEgressParts({
    ...{ providers, securityEvents, clock },
    settings: settings.egress,
    documents: stores.documents,
    telemetry: options.telemetry,
  });
  const artifacts = createArtifacts({
    store: artifactStore,
    keys: options.artifacts.keys,
    access: options.artifacts.access ?? createRoleAccessPolicy([]),
    onAccess: options.artifacts.onAccess,
    audit: options.audit,
    telemetry,
    logger,
    manifest,
    securityEvents,
    random,
    ttlMs: { raw: settings.artifacts.rawTtlMs, redacted: settings.artifacts.redactedTtlMs },
  });
  const filter = createPathFilter(settings.intake.skipPaths);
  const rules = compileReviewRules(settings.review.rules, redactor);
  const calibration = createRateCalibration();
  const pathBudgets = compilePathBudgets(settings.llm.budget.perPath);
  const redactText = (text: string): string => redactor.session().redact(text).text;
  const storeNow = () => stores.now();

  const { audit: trail, prompts: more } = options;
  const prompts = wirePrompts({ stores, settings, more, audit: trail, clock, random, logger, telemetry });
  const reviewing = {
    ...{ providers, readers },
    isContextWanted: providers.some((provider) => maySeeContext({ isInternal, settings }, provider)),
    variants: prompts.variants,
    policy,
    isInternal,
    namesProviders: settings.egress.policy !== null,
    redactor,
    filter,
    rules,
    calibration,
    settings,
    securityEvents,
    clock,
    random,
  } as const;
  const { composer, channels = [], recipients = createChangeRecipients() } = options;
  const dryRun = createDryRun({
    ...reviewing,
    fetchers,
    audit: options.audit,
    ...{ history: { jobs: stores.jobs, artifacts }, logger },
    destinations: {
      ...{ contentPolicy, mailers, channels, recipients, killSwitch, isInternal, settings, clock },
      declared: (options.kinds ?? []).flatMap(({ sendsTo = [] }) => sendsTo),
      hasTelemetry: options.telemetry !== undefined,
    },
  });
  const gate = { killSwitch, log: stores.egress, policy: contentPolicy, securityEvents, random };
  const outbound = createOutboundGate(gate);
  const { pagers, alertSources = [] } = options;
  const observed = { clock, random, logger, telemetry };
  const { alerter, onOutage, remind } = wireAlerts({
    ...{ stores, storeNow, pagers, outbound, settings, redactText, ...observed },
    alertSources: [prompts.alerts, ...alertSources],
    listStops: () => listStandingStops(stores.documents),
  });
  let collected: MailOutcome[] | undefined;
  let wakeMail = (): void => undefined;
  let wakeAudit = (): void => undefined;

  // long: as above, for what works under leases
  const worker = wireWorker({ ...options, telemetry, onOutage, name: 'Criticizer', settings, redactText }, (shares) => {
    const { observers, outages, retry, poll } = shares;
    const { outageAfter, parkMs } = settings.retry;
    // The dry run calls the bare ports: whoever asks for it wants to see what is out.
    const pace = createSharedPace({
      settings: settings.llm.rateLimit,
      waitsOutPauses: !isFallback(options.llm),
      documents: stores.documents,
      storeNow,
      clock,
      telemetry,
    });
    const paced = providers.map((provider) => learnPauses(provider, { pace, logger, clock }));
    const guarded = guardPorts(
      { fetchers, providers: paced },
      {
        policy: { outageAfter, parkMs, backoff: retry.backoff },
        outages,
        classify: options.classify,
        clock,
        random,
      },
    );
    const vault = withHostMessages(createMailVault(artifacts, redactor.rules), stores.messages);
    const { concurrency, leaseMs, maxPerMinute } = settings.mail;
    const policyOfMail = toDeliverySettings(settings.mail, retry.backoff, random);
    const delivery = { outbox, senders, outbound, vault, maxPerMinute, storeNow, outages, ...observers };
    const outboxWorker = createOutboxWorker({
      outbox,
      via: senders.ids,
      deliver: createMailDelivery({ ...delivery, ...settings.telemetry, settings: policyOfMail }),
      concurrency,
      leaseMs,
      poll,
      onOutcome: (outcome) => void collected?.push(outcome),
      ...observers,
    });
    wakeMail = () => outboxWorker.wake();
    const sweepExpired = createSweepDuty({ store: artifactStore, manifest, random, clock, logger });
    const prune = createRetentionDuty({ stores, settings: settings.retention, ...observers });
    const purge = createPurgeDuty({ stores, artifactStore, random, logger });
    const reconcile = createReconciler({
      ...{ ...delivery, settings: settings.mail, wakeMail: outboxWorker.wake },
      onReopened: () => alerter?.raise(reopenedMail.condition, reopenedMail),
    });
    const staged = { ...reviewing, telemetry, artifacts, jobs };
    const fetchStage = createFetchStage({ ...staged, fetchers: guarded.fetchers, storeNow });
    const llmStage = createLlmStage({
      ...staged,
      providers: guarded.providers,
      killSwitch,
      ...{ log: stores.egress, suppressions: stores.suppressions, storeNow },
      ledger: createSpendingLedger({ samples: stores.samples, documents: stores.documents, storeNow }),
      pathBudgets,
      pace,
      ...{ fallback: isFallback(options.llm), onRefusal: isFallback(options.llm) ? options.llm.onRefusal : 'stop' },
    });
    const messages = { outbox, outboxWorker, artifacts, mailers, senders, composer, channels };
    const notifying = { ...messages, recipients, settings, storeNow };
    const { findingLinks: links, preferences = stores.preferences } = options;
    const notifyStage = createNotifyStage({ ...notifying, links, preferences, outbound, redactor, clock, logger });
    const stages = [fetchStage, llmStage, notifyStage] as const;
    const { auditFlags } = options;
    const audited = {
      store: stores.audit,
      settings: settings.audit,
      poll,
      outbound,
      mayDeliver: auditFlags && ((event: { tenantId: string | null }, to: string) => auditFlags.mayDeliver(event, to)),
      outages,
      ...observers,
    };
    const sinks = createDestinationLoops(options.auditSinks ?? [], audited);
    wakeAudit = sinks.wake;
    return {
      kinds: [{ kind: reviewKind, payload: reviewJobSchema, stages }, ...(options.kinds ?? [])],
      loops: [outboxWorker, ...sinks.loops],
      begin() {
        zeroReviewCounters(telemetry, providers);
        alerter?.start();
        prompts.begin();
      },
      measures: [createBacklogMeasure(stores, telemetry)],
      duties: [remind, ...prompts.duties, () => outbox.requeueExpired(), purge, sweepExpired, prune, reconcile],
      async close() {
        // Last, so that what went wrong while stopping is still reported; a mail pager needs its mailer.
        await Promise.all([sinks.close(), options.auditSealer?.stop()]);
        await alerter?.stop();
        await senders.close();
      },
    };
  });

  const audit =
    options.audit === undefined || alerter === null ? options.audit : watchAuditTrail(options.audit, alerter);
  const wake = { wakeJobs: () => worker.wake(), wakeMail: () => wakeMail(), wakeAudit: () => wakeAudit() };
  const operating = {
    stores,
    artifactStore,
    ...{ suppressions: settings.review.suppressions, prompts: settings.prompts, ...wake },
  };
  const operate = audit === undefined ? null : createOperator({ ...operating, audit });
  const store = createTracedEnqueue({ jobs, telemetry, clock });
  const enqueue: typeof store = async (operation, list, tx) => {
    const results = await store(operation, list, tx);
    if (tx === undefined) worker.wake();
    return results;
  };

  return {
    async submit(request, options) {
      checkFields('submit: options', options, inTransaction);
      const job = newReviewJob(request, { servers: fetchers, mailers });
      const [result] = await enqueue('submit', [job], options?.tx);
      if (result === undefined) throw new CriticizerError('ENQUEUE_EMPTY', 'The store answered nothing for a job.');
      return result;
    },
    async enqueue(list, options) {
      checkFields('enqueue: options', options, inTransaction);
      return enqueue('enqueue', list, options?.tx);
    },
    start: () => worker.start().then(() => options.auditSealer?.start()),
    stop: worker.stop,
    async runDue(due) {
      checkRunDue(due);
      const mails: MailOutcome[] = [];
      try {
        const jobs = await worker.runDue(() => {
          collected = mails;
        });
        return { jobs, mails };
      } finally {
        if (collected === mails) collected = undefined;
      }
    },
    async status(jobId) {
      const [job] = await jobs.get([jobId]);
      return job === null || job === undefined ? null : { job, mails: await outbox.list({ jobId, limit: 1_000 }) };
    },
    review: (jobId, options) => readReview({ jobs, artifacts, redactor }, jobId, options),
    excerpts: (jobId, options) => readExcerpts({ jobs, artifacts, redactor }, jobId, options),
    settings,
    dryRun,
    operate,
    alerts: alerter,
    [Symbol.asyncDispose]: () => worker.stop(),
  };
}
