import type { AdminActionName } from '../../../audit/admin-actions.js';
import { auditFlagNames } from '../../../audit/flags/audit-flags.js';
import { killSwitchDocument } from '../../../egress/kill-switch.js';
import { digestAuditSubject } from '../../../operate/audit/subject-digest.js';
import type { Operator } from '../../../operate/operator.js';
import { addProcess, promptProcessesDocument } from '../../../prompt/rollout/prompt-processes.js';
import {
  type PromptLatch,
  type PromptRollout,
  promptRolloutDocument,
  writePromptRollout,
} from '../../../prompt/rollout/prompt-rollout.js';
import type { Stores } from '../../../stores/stores.js';
import {
  newAuditEvent,
  newJob,
  newOutboxRow,
  newSuppression,
  one,
  outboxClaim,
  person,
  running,
  sampleDeadLetter,
  sampleDeliveryFailure,
} from '../sample-rows.js';

/** Who calls the verbs of the cases, and why. */
export const by = { actor: person('ada'), reason: 'INC-7: mended' };

/** Adds a job that ended as a dead letter; gives the dead letter's id. */
export async function addDeadLetter<Tx>(stores: Stores<Tx>): Promise<string> {
  const { lease } = await running(stores);
  await stores.jobs.settle([{ lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() }]);
  return one(await stores.deadLetters.list({ status: 'open' })).id;
}

/** Adds a mail that nobody can tell was sent. */
async function addUnknownMail<Tx>({ outbox }: Stores<Tx>): Promise<string> {
  await outbox.add([newOutboxRow()]);
  const { row, lease } = one(await outbox.claim(outboxClaim()));
  await outbox.settle([{ lease, kind: 'unknown', failure: sampleDeliveryFailure('SMTP_550') }]);
  return row.id;
}

async function addPendingMail<Tx>({ outbox }: Stores<Tx>): Promise<string> {
  return one(await outbox.add([newOutboxRow()])).row.id;
}

async function addHeldMail<Tx>(stores: Stores<Tx>): Promise<string> {
  const id = await addPendingMail(stores);
  await stores.outbox.hold(id);
  return id;
}

/** A review as `submit` stores it. */
const newReview = () =>
  newJob({
    ...{ changelistId: 'p4main/1001', reviewVersion: 1, priority: 3 },
    payload: { serverId: 'p4main', number: 1001, recipients: [], delayMs: 500 },
  });

async function addAuditDeadLetter<Tx>(stores: Stores<Tx>): Promise<string> {
  await stores.audit.record(newAuditEvent({ action: 'sample.event' }), ['siem']);
  const claim = { owner: 'o', token: 't', leaseMs: 30_000, limit: 1, destinations: ['siem'] };
  const { lease } = one(await stores.audit.claim(claim));
  await stores.audit.settle([
    { lease, kind: 'dead-letter', errorCode: 'HTTP_422', errorSummary: 's', errorDetails: null },
  ]);
  return one(await stores.audit.listDeadLetters({})).id;
}

/** Adds a process that knows two prompts; gives the name of the document that holds their rollout. */
async function addPromptProcess<Tx>({ documents, ...stores }: Stores<Tx>): Promise<string> {
  const processes = addProcess(null, 'one', ['old@1.0/1.0', 'new@2.0/1.0'], await stores.now());
  await documents.write(promptProcessesDocument, 0, processes);
  return promptRolloutDocument;
}

const rollout: PromptRollout = {
  ...{ state: 'running', baseline: 'old@1.0/1.0', candidate: 'new@2.0/1.0', percentage: 5, slice: 'author' },
  ...{ since: '2026-01-01T00:00:00.000Z', by: { type: 'admin_user', id: 'ada' }, reason: 'r', latch: null },
};

async function addPromptRollout<Tx>({ documents }: Stores<Tx>): Promise<string> {
  await documents.write(promptRolloutDocument, 0, writePromptRollout(rollout));
  return promptRolloutDocument;
}

async function addPromptLatch<Tx>({ documents }: Stores<Tx>): Promise<string> {
  const latch: PromptLatch = {
    ...{ gate: 'rejected', at: rollout.since, coolDownUntil: '2999-01-01T00:00:00.000Z', windowMs: 1_800_000 },
    ...{ candidate: 0.4, baseline: 0.1, limit: 0.2, sample: 50 },
  };
  await documents.write(promptRolloutDocument, 0, writePromptRollout({ ...rollout, state: 'rolled_back', latch }));
  return promptRolloutDocument;
}

/** A verb of the operator, named by the action of its audit event. */
export interface OperatorVerb {
  action: AdminActionName;
  /** Where an action has several cases. Default: the action. */
  title?: string;
  /** Adds what the verb changes; gives its id, which the event names as its target. */
  add<Tx>(stores: Stores<Tx>): Promise<string>;
  call(operator: Operator, id: string): Promise<{ outcome: string; audit: string }>;
}

const year = 365 * 86_400_000;

async function addOldEvent<Tx>(stores: Stores<Tx>, actorId: string): Promise<void> {
  const occurredAt = new Date((await stores.now()).getTime() - 2 * year);
  await stores.audit.record(newAuditEvent({ action: 'sample.event', occurredAt, actorId }), []);
}

/** Every verb that is a compare-and-set: of two calls one acts. */
export const operatorVerbs: readonly OperatorVerb[] = [
  {
    action: 'dead_letter.replay',
    add: addDeadLetter,
    call: (operator, deadLetterId) =>
      operator.replayDeadLetter({ deadLetterId, evidence: 'INC-7: gateway updated', ...by }),
  },
  {
    action: 'dead_letter.triage',
    add: addDeadLetter,
    call: (operator, deadLetterId) => operator.triageDeadLetter({ deadLetterId, ...by }),
  },
  {
    action: 'dead_letter.close',
    add: addDeadLetter,
    call: (operator, deadLetterId) => operator.closeDeadLetter({ deadLetterId, status: 'ignored', ...by }),
  },
  {
    action: 'mail.reopen',
    add: addUnknownMail,
    call: (operator, mailId) => operator.reopenMail({ mailId, ...by }),
  },
  {
    action: 'mail.hold',
    add: addPendingMail,
    call: (operator, mailId) => operator.holdMail({ mailId, ...by }),
  },
  {
    action: 'mail.release',
    add: addHeldMail,
    call: (operator, mailId) => operator.releaseMail({ mailId, ...by }),
  },
  {
    action: 'mail.confirm',
    add: addUnknownMail,
    call: (operator, mailId) => operator.confirmMail({ mailId, evidence: 'the recipient has it', ...by }),
  },
  {
    action: 'mail.preference.set',
    add: async () => digestAuditSubject('dev@example.com'),
    call: (operator) =>
      operator.setMailPreference({ address: 'dev@Example.COM', mails: 'off', linkOnly: false, ...by }),
  },
  {
    action: 'mail.preference.set',
    title: 'mail.preference.set by the link in a mail',
    async add({ outbox }) {
      await outbox.add([newOutboxRow({ key: '0123456789abcdef0123456789abcdef' })]);
      return digestAuditSubject('dev@example.com');
    },
    call: (operator) => operator.stopMails({ mailKey: '0123456789abcdef0123456789abcdef', ...by }),
  },
  {
    action: 'job.cancel',
    add: async (stores) => one(await stores.jobs.enqueue([newJob()])).job.id,
    call: (operator, jobId) => operator.cancelJob({ jobId, ...by }),
  },
  {
    action: 'job.cancel',
    title: 'job.cancel of a running job',
    add: async (stores) => (await running(stores)).job.id,
    call: (operator, jobId) => operator.cancelJob({ jobId, ...by }),
  },
  {
    action: 'job.priority',
    add: async (stores) => one(await stores.jobs.enqueue([newJob()])).job.id,
    call: (operator, jobId) => operator.setPriority({ jobId, seen: 0, priority: 5, ...by }),
  },
  {
    action: 'job.rerun',
    add: async (stores) => one(await stores.jobs.enqueue([newReview()])).job.id,
    call: (operator, jobId) => operator.rerunJob({ jobId, ...by }),
  },
  {
    action: 'change.purge',
    // While a job runs the purge waits, so that the other operator finds it under way.
    add: async (stores) => (await running(stores, { changelistId: 'p4main/1001' })).job.changelistId ?? '',
    call: (operator, changelistId) => operator.purgeChange({ changelistId, ...by }),
  },
  {
    action: 'change.hold',
    add: async () => 'p4main/1001',
    call: (operator, changelistId) => operator.setHold({ changelistId, held: true, ...by }),
  },
  {
    action: 'finding.suppress',
    add: async () => 'p4main/1001#f1',
    call: (operator) =>
      operator.suppressFinding({
        ...{ changelistId: 'p4main/1001', findingId: 'f1', disposition: 'false_positive', ...by },
      }),
  },
  {
    action: 'suppression.withdraw',
    add: async ({ suppressions }) => (await suppressions.add(newSuppression())).suppression?.id ?? '',
    call: (operator, suppressionId) => operator.withdrawSuppression({ suppressionId, ...by }),
  },
  {
    action: 'limit.set',
    async add({ limits }) {
      await limits.set('running', 4);
      return 'running';
    },
    call: (operator, name) => operator.setLimit({ name, seen: 4, value: 2, ...by }),
  },
  {
    action: 'audit.delivery.requeue',
    add: addAuditDeadLetter,
    call: (operator, auditDeadLetterId) => operator.requeueAuditDelivery({ auditDeadLetterId, ...by }),
  },
  {
    action: 'audit.delivery.close',
    add: addAuditDeadLetter,
    call: (operator, auditDeadLetterId) =>
      operator.closeAuditDeadLetter({ auditDeadLetterId, status: 'resolved', ...by }),
  },
  {
    action: 'audit.flag.set',
    add: async () => auditFlagNames.write,
    call: (operator) => operator.setAuditFlag({ flag: auditFlagNames.write, percentage: 10, ...by }),
  },
  {
    action: 'audit.events.prune',
    async add(stores) {
      await addOldEvent(stores, 'someone');
      return 'audit_events';
    },
    call: (operator) => operator.pruneAudit({ olderThanMs: year, ...by }),
  },
  {
    action: 'audit.subject.erase',
    async add(stores) {
      await addOldEvent(stores, 'bob');
      return digestAuditSubject('bob');
    },
    call: (operator) => operator.eraseSubject({ id: 'bob', ...by }),
  },
];

/** Verbs that act at every call. */
export const repeatableVerbs: readonly OperatorVerb[] = [
  {
    action: 'dead_letter.note',
    add: addDeadLetter,
    call: (operator, deadLetterId) => operator.noteDeadLetter({ deadLetterId, ...by }),
  },
  {
    action: 'suppression.add',
    add: async () => 'suppressions',
    call: (operator) =>
      operator.suppressMatching({
        ...{ ruleId: 'naming', disposition: 'wont_fix', expiresInMs: 60_000, reason: by.reason },
        actor: { ...by.actor, roles: ['suppressor'] },
      }),
  },
  {
    action: 'prompt.rollout.start',
    add: addPromptProcess,
    call: (operator) => operator.startPromptRollout({ candidate: 'new@2.0/1.0', percentage: 5, ...by }),
  },
  {
    action: 'prompt.rollout.promote',
    add: addPromptRollout,
    call: (operator) => operator.promotePrompt({ force: true, ...by }),
  },
  {
    action: 'prompt.rollout.roll_back',
    add: addPromptRollout,
    call: (operator) => operator.rollBackPrompt(by),
  },
  {
    action: 'prompt.rollout.release',
    add: addPromptLatch,
    call: (operator) => operator.releasePromptLatch({ overrideCoolDown: true, ...by }),
  },
  {
    action: 'egress.kill_switch.set',
    add: async () => killSwitchDocument,
    call: (operator) => operator.setKillSwitch({ stopped: true, providers: ['cloud'], ...by }),
  },
];
