import type { ArtifactStore } from '../artifacts/artifact-store.js';
import { checkFields, checkOptions } from '../foundation/check-options.js';
import { partWith } from '../foundation/contract.js';
import { checkArray, checkFunction, checkObject, nested, optional, withMethods } from '../foundation/option-checks.js';
import { checkMs, checkWhole } from '../foundation/store-input.js';
import { resolveSettings, type Settings } from '../settings/settings.js';
import type { PreferenceFilter, StoredPreference } from '../stores/preference-store.js';
import type { Suppression, SuppressionFilter } from '../stores/suppression-store.js';
import { type EraseSubject, eraseSubject } from './audit/erase-subject.js';
import { type PruneAudit, pruneAudit } from './audit/prune-audit.js';
import { type PurgeChange, purgeChange } from './changes/purge-change.js';
import { type SetHold, setHold } from './changes/set-hold.js';
import { type CloseAuditDeadLetter, closeAuditDeadLetter } from './close-audit-dead-letter.js';
import { type CancelJob, cancelJob } from './jobs/cancel-job.js';
import { type RerunJob, rerunJob } from './jobs/rerun-job.js';
import { type SetPriority, setPriority } from './jobs/set-priority.js';
import { type CloseDeadLetter, closeDeadLetter } from './letters/close-dead-letter.js';
import { inspectDeadLetter } from './letters/inspect-dead-letter.js';
import { type NoteDeadLetter, noteDeadLetter } from './letters/note-dead-letter.js';
import { type ReplayDeadLetter, replayDeadLetter, replayPlanShape } from './letters/replay-dead-letter.js';
import { type ReplayDeadLetters, replayDeadLetters } from './letters/replay-dead-letters.js';
import { type ReplayPlan, type ReplayProbe, type ReplayReport, reportReplay } from './letters/replay-report.js';
import { type TriageDeadLetter, triageDeadLetter } from './letters/triage-dead-letter.js';
import { type TriageDeadLetters, triageDeadLetters } from './letters/triage-dead-letters.js';
import { type ConfirmMail, confirmMail } from './mails/confirm-mail.js';
import { type HoldMail, holdMail, releaseMail } from './mails/hold-mail.js';
import { type ReopenMail, reopenMail } from './mails/reopen-mail.js';
import type { OperatorParts } from './operation.js';
import { type SetMailPreference, setMailPreference } from './preferences/set-mail-preference.js';
import { type StopMails, stopMails } from './preferences/stop-mails.js';
import { type PromotePrompt, promotePrompt } from './prompts/promote-prompt.js';
import { type PromptRolloutStatus, readPromptStatus } from './prompts/read-rollout.js';
import { type ReleasePromptLatch, releasePromptLatch } from './prompts/release-latch.js';
import { type RollBackPrompt, rollBackPrompt } from './prompts/roll-back-prompt.js';
import { type StartPromptRollout, startPromptRollout } from './prompts/start-rollout.js';
import { type RequeueAuditDelivery, requeueAuditDelivery } from './requeue-audit-delivery.js';
import { type SetAuditFlag, setAuditFlag } from './set-audit-flag.js';
import { type SetKillSwitch, setKillSwitch } from './set-kill-switch.js';
import { type SetLimit, setLimit } from './set-limit.js';
import { type SuppressFinding, suppressFinding } from './suppressions/suppress-finding.js';
import { type SuppressMatching, suppressMatching } from './suppressions/suppress-matching.js';
import type { SuppressionPolicy } from './suppressions/suppression-policy.js';
import { type WithdrawSuppression, withdrawSuppression } from './suppressions/withdraw-suppression.js';

/** Stores and audit trail, and whom to wake after a change. */
export interface OperatorOptions<Tx> extends OperatorParts<Tx> {
  /**
   * Where the bytes of artifacts lie: a purge then deletes them itself. Default: the sweep of a worker
   * that has the store does.
   */
  artifactStore?: ArtifactStore | undefined;
  /** Called after a job was queued again or a limit was set: a worker in this process claims at once. */
  wakeJobs?: (() => void) | undefined;
  /** Called after a mail was reopened or released. */
  wakeMail?: (() => void) | undefined;
  /** Called after an audit delivery was requeued. */
  wakeAudit?: (() => void) | undefined;
  /** Asked before a replay whether what the failed stage needs works again. Default: nothing is asked. */
  probe?: ReplayProbe | undefined;
  /** How often the dead letters of one job may be replayed, at least 1, default 3; `force` goes beyond. */
  maxReplays?: number | undefined;
  /** Default: that of `settings.review.suppressions`. */
  suppressions?: Partial<SuppressionPolicy> | undefined;
  /** By what a prompt is promoted. Default: that of `settings.prompts`. */
  prompts?: Settings['prompts'] | undefined;
}

/**
 * The verbs that a person may call, each audited (OPS-1). Every verb takes the actor and a reason,
 * is a compare-and-set, and answers with the store's outcome and whether it was recorded. Throws
 * `TypeError` for a request with a missing or unknown key.
 */
export interface Operator {
  triageDeadLetter(request: TriageDeadLetter): ReturnType<typeof triageDeadLetter>;
  triageDeadLetters(request: TriageDeadLetters): ReturnType<typeof triageDeadLetters>;
  replayDeadLetter(request: ReplayDeadLetter): ReturnType<typeof replayDeadLetter>;
  replayDeadLetters(request: ReplayDeadLetters): ReturnType<typeof replayDeadLetters>;
  /** What `replayDeadLetter` looks at before; changes nothing. Null where there is no such letter. */
  checkReplay(deadLetterId: string, plan?: ReplayPlan): Promise<ReplayReport | null>;
  /** Reads a dead letter with its job, its artifacts' state and its mails; null where there is none. */
  inspectDeadLetter(deadLetterId: string): ReturnType<typeof inspectDeadLetter>;
  closeDeadLetter(request: CloseDeadLetter): ReturnType<typeof closeDeadLetter>;
  noteDeadLetter(request: NoteDeadLetter): ReturnType<typeof noteDeadLetter>;
  reopenMail(request: ReopenMail): ReturnType<typeof reopenMail>;
  holdMail(request: HoldMail): ReturnType<typeof holdMail>;
  releaseMail(request: HoldMail): ReturnType<typeof releaseMail>;
  confirmMail(request: ConfirmMail): ReturnType<typeof confirmMail>;
  setMailPreference(request: SetMailPreference): ReturnType<typeof setMailPreference>;
  stopMails(request: StopMails): ReturnType<typeof stopMails>;
  /** What persons have set, by address; those without a preference are not in it. Records nothing. */
  listMailPreferences(filter: PreferenceFilter): Promise<readonly StoredPreference[]>;
  cancelJob(request: CancelJob): ReturnType<typeof cancelJob>;
  rerunJob(request: RerunJob): ReturnType<typeof rerunJob>;
  setPriority(request: SetPriority): ReturnType<typeof setPriority>;
  purgeChange(request: PurgeChange): ReturnType<typeof purgeChange>;
  setHold(request: SetHold): ReturnType<typeof setHold>;
  suppressFinding(request: SuppressFinding): ReturnType<typeof suppressFinding>;
  suppressMatching(request: SuppressMatching): ReturnType<typeof suppressMatching>;
  /** A page of suppressions, newest first; expired and withdrawn ones too unless `inForce` is true. */
  listSuppressions(filter: SuppressionFilter): Promise<readonly Suppression[]>;
  withdrawSuppression(request: WithdrawSuppression): ReturnType<typeof withdrawSuppression>;
  startPromptRollout(request: StartPromptRollout): ReturnType<typeof startPromptRollout>;
  promotePrompt(request: PromotePrompt): ReturnType<typeof promotePrompt>;
  rollBackPrompt(request: RollBackPrompt): ReturnType<typeof rollBackPrompt>;
  releasePromptLatch(request: ReleasePromptLatch): ReturnType<typeof releasePromptLatch>;
  /** Reads the rollout of the prompt, what its gates say, and which process knows what; changes nothing. */
  readPromptStatus(): Promise<PromptRolloutStatus>;
  setKillSwitch(request: SetKillSwitch): ReturnType<typeof setKillSwitch>;
  setLimit(request: SetLimit): ReturnType<typeof setLimit>;
  requeueAuditDelivery(request: RequeueAuditDelivery): ReturnType<typeof requeueAuditDelivery>;
  closeAuditDeadLetter(request: CloseAuditDeadLetter): ReturnType<typeof closeAuditDeadLetter>;
  setAuditFlag(request: SetAuditFlag): ReturnType<typeof setAuditFlag>;
  pruneAudit(request: PruneAudit): ReturnType<typeof pruneAudit>;
  eraseSubject(request: EraseSubject): ReturnType<typeof eraseSubject>;
}

// long: the verbs of the operator, one after the other
/**
 * The operator's verbs over one set of stores. They need no worker and no Criticizer, so that a
 * command line or a console can call them. Throws `TypeError` for a missing part.
 */
export function createOperator<Tx>(options: OperatorOptions<Tx>): Operator {
  checkOptions<OperatorOptions<Tx>>('createOperator', options, {
    stores: withMethods('transaction'),
    audit: withMethods('record'),
    artifactStore: optional(partWith('delete', 'exists')),
    wakeJobs: optional(checkFunction),
    wakeMail: optional(checkFunction),
    wakeAudit: optional(checkFunction),
    probe: optional(checkFunction),
    maxReplays: optional((option, value) => checkWhole(option, value, 1)),
    prompts: optional(checkObject),
    suppressions: optional(
      nested<Partial<SuppressionPolicy>>({
        roles: optional(checkArray),
        maxRuleMs: optional((option, value) => checkMs(option, value, 1)),
      }),
    ),
  });
  const { stores, audit, artifactStore, wakeJobs, wakeMail, wakeAudit, probe, maxReplays = 3 } = options;
  const suppressions = { ...resolveSettings().review.suppressions, ...options.suppressions };
  const { prompts = resolveSettings().prompts } = options;
  const parts = { stores, audit, probe, maxReplays, suppressions, prompts };
  return {
    async replayDeadLetter(request) {
      const done = await replayDeadLetter(parts, request);
      if (done.outcome === 'replayed') wakeJobs?.();
      return done;
    },
    async replayDeadLetters(request) {
      const done = await replayDeadLetters(parts, request);
      if (done.replayed > 0 && request.preview !== true) wakeJobs?.();
      return done;
    },
    triageDeadLetter: (request) => triageDeadLetter(parts, request),
    triageDeadLetters: (request) => triageDeadLetters(parts, request),
    async checkReplay(deadLetterId, plan = {}) {
      checkFields<ReplayPlan>('checkReplay: plan', plan, replayPlanShape);
      const letter = await stores.deadLetters.get(deadLetterId);
      return letter === null ? null : reportReplay(parts, letter, plan);
    },
    inspectDeadLetter: (deadLetterId) => inspectDeadLetter(parts, deadLetterId),
    closeDeadLetter: (request) => closeDeadLetter(parts, request),
    noteDeadLetter: (request) => noteDeadLetter(parts, request),
    async reopenMail(request) {
      const done = await reopenMail(parts, request);
      if (done.outcome === 'reopened') wakeMail?.();
      return done;
    },
    holdMail: (request) => holdMail(parts, request),
    async releaseMail(request) {
      const done = await releaseMail(parts, request);
      if (done.outcome === 'released') wakeMail?.();
      return done;
    },
    confirmMail: (request) => confirmMail(parts, request),
    setMailPreference: (request) => setMailPreference(parts, request),
    stopMails: (request) => stopMails(parts, request),
    listMailPreferences: (filter) => stores.preferences.list(filter),
    cancelJob: (request) => cancelJob(parts, request),
    async rerunJob(request) {
      const done = await rerunJob(parts, request);
      if (done.outcome === 'queued') wakeJobs?.();
      return done;
    },
    setPriority: (request) => setPriority(parts, request),
    purgeChange: (request) => purgeChange({ ...parts, artifactStore }, request),
    setHold: (request) => setHold(parts, request),
    suppressFinding: (request) => suppressFinding(parts, request),
    suppressMatching: (request) => suppressMatching(parts, request),
    listSuppressions: (filter) => stores.suppressions.list(filter),
    withdrawSuppression: (request) => withdrawSuppression(parts, request),
    startPromptRollout: (request) => startPromptRollout(parts, request),
    promotePrompt: (request) => promotePrompt(parts, request),
    rollBackPrompt: (request) => rollBackPrompt(parts, request),
    releasePromptLatch: (request) => releasePromptLatch(parts, request),
    readPromptStatus: () => readPromptStatus(parts),
    setKillSwitch: (request) => setKillSwitch(parts, request),
    async setLimit(request) {
      const done = await setLimit(parts, request);
      if (done.outcome === 'set') wakeJobs?.();
      return done;
    },
    async requeueAuditDelivery(request) {
      const done = await requeueAuditDelivery(parts, request);
      if (done.outcome === 'requeued') wakeAudit?.();
      return done;
    },
    closeAuditDeadLetter: (request) => closeAuditDeadLetter(parts, request),
    setAuditFlag: (request) => setAuditFlag(parts, request),
    pruneAudit: (request) => pruneAudit(parts, request),
    eraseSubject: (request) => eraseSubject(parts, request),
  };
}
