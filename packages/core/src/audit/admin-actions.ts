import { promptActions } from './prompt-actions.js';
import { suppressionActions, withChange } from './suppression-actions.js';

/** What the trail holds of one admin action: a row of docs/reference/admin-actions.md. */
export interface AdminAction {
  /** What a person calls or changes: a verb of `operate`, a function, or a setting. */
  verb: string;
  /** `targetType` of the event. */
  targetType: string;
  /** What `targetId` of the event names. */
  targetId: string;
  /** Each key of the event's payload, and what it holds. */
  payload: Readonly<Record<string, string>>;
  /** Keys of `payload` that an event may lack. */
  optional?: readonly string[];
  /** When the event is stored, and what happens where it cannot be. */
  recorded: string;
}

const ofTrail = 'in the transaction of each page; fails (`AUDIT_NOT_STORED`), whatever the flags say';
const reason = 'why';

/**
 * Every action of this SDK that the trail records, by the `action` of its event (OPS-1). A new verb
 * adds its row here: tests compare the rows with the sources, with the events that real stores hold,
 * and with docs/reference/admin-actions.md.
 */
export const adminActions = {
  'dead_letter.replay': {
    verb: 'operate.replayDeadLetter',
    targetType: 'dead_letter',
    targetId: 'the dead letter',
    payload: {
      jobId: 'the job',
      stage: 'where it starts',
      fromStart: 'whether outputs are cleared',
      forced: 'the checks that said no',
      causeKey: 'the group of the letter',
      evidence: 'what was mended, where the replay says so',
      reason,
    },
    optional: ['evidence'],
    recorded: withChange,
  },
  'dead_letter.triage': {
    verb: 'operate.triageDeadLetter',
    targetType: 'dead_letter',
    targetId: 'the dead letter',
    payload: { evidence: 'what was mended, where that is known', reason: 'the cause that was found' },
    optional: ['evidence'],
    recorded: withChange,
  },
  'dead_letter.close': {
    verb: 'operate.closeDeadLetter',
    targetType: 'dead_letter',
    targetId: 'the dead letter',
    payload: { status: '`resolved` or `ignored`', reason },
    recorded: withChange,
  },
  'dead_letter.note': {
    verb: 'operate.noteDeadLetter',
    targetType: 'dead_letter',
    targetId: 'the dead letter',
    payload: { kind: '`note` or `evidence`', reason: 'the note' },
    recorded: withChange,
  },
  'mail.reopen': {
    verb: 'operate.reopenMail',
    targetType: 'mail',
    targetId: 'the outbox row',
    payload: { reason },
    recorded: withChange,
  },
  'mail.hold': {
    verb: 'operate.holdMail',
    targetType: 'mail',
    targetId: 'the outbox row',
    payload: { reason },
    recorded: withChange,
  },
  'mail.release': {
    verb: 'operate.releaseMail',
    targetType: 'mail',
    targetId: 'the outbox row',
    payload: { reason },
    recorded: withChange,
  },
  'mail.confirm': {
    verb: 'operate.confirmMail',
    targetType: 'mail',
    targetId: 'the outbox row',
    payload: {
      evidence: 'what proves that it was sent',
      notificationId: "the provider's id, or a name for it",
      reason,
    },
    recorded: withChange,
  },
  'mail.preference.set': {
    verb: 'operate.setMailPreference',
    targetType: 'recipient',
    targetId: '`sha256:` and the digest of the address, as of an erased subject',
    payload: { mails: '`all`, `high` or `off`', linkOnly: 'whether mails have counts alone', reason },
    recorded: `${withChange}; of a mail's link the actor is \`system\` \`link:\` and the key of the mail`,
  },
  'job.cancel': {
    verb: 'operate.cancelJob',
    targetType: 'job',
    targetId: 'the job',
    payload: { reason },
    recorded: withChange,
  },
  'job.priority': {
    verb: 'operate.setPriority',
    targetType: 'job',
    targetId: 'the job',
    payload: { seen: 'the priority before', priority: 'the priority after', reason },
    recorded: withChange,
  },
  'job.rerun': {
    verb: 'operate.rerunJob',
    targetType: 'job',
    targetId: 'the job of the version before',
    payload: { changelistId: 'the change', reviewVersion: 'the version that was queued', reason },
    recorded: withChange,
  },
  'change.purge': {
    verb: 'operate.purgeChange',
    targetType: 'change',
    targetId: '`serverId/number`',
    payload: { reason },
    recorded: 'in the transaction that begins the purge, once; degrades (AUD-3)',
  },
  'change.hold': {
    verb: 'operate.setHold',
    targetType: 'change',
    targetId: '`serverId/number`',
    payload: { held: 'whether it is held from now on', reason },
    recorded: withChange,
  },
  ...suppressionActions,
  ...promptActions,
  'egress.kill_switch.set': {
    verb: 'operate.setKillSwitch',
    targetType: 'kill_switch',
    targetId: 'the document of the switch',
    payload: { stopped: 'whether something is stopped', providers: 'the destinations (absent: all)', reason },
    optional: ['providers'],
    recorded: 'in the transaction of the change; a stop degrades, a release fails (`KILL_SWITCH_UNRECORDED`)',
  },
  'limit.set': {
    verb: 'operate.setLimit',
    targetType: 'limit',
    targetId: 'the name of the limit',
    payload: { seen: 'the value before', value: 'the value after (null: none)', reason },
    recorded: withChange,
  },
  'audit.delivery.requeue': {
    verb: 'operate.requeueAuditDelivery',
    targetType: 'audit_dead_letter',
    targetId: 'the dead letter of the delivery',
    payload: { reason },
    recorded: withChange,
  },
  'audit.delivery.close': {
    verb: 'operate.closeAuditDeadLetter',
    targetType: 'audit_dead_letter',
    targetId: 'the dead letter of the delivery',
    payload: { status: '`resolved` or `ignored`', reason: 'why (of an ignored one it begins with the ticket)' },
    recorded: withChange,
  },
  'audit.flag.set': {
    verb: 'operate.setAuditFlag',
    targetType: 'audit_flag',
    targetId: 'the flag',
    payload: { from: 'the rule before (null: none)', to: 'the rule after', reason },
    recorded: `${withChange}, whatever the flags say`,
  },
  'audit.events.prune': {
    verb: 'operate.pruneAudit',
    targetType: 'audit_events',
    targetId: 'the table',
    payload: {
      olderThanMs: 'the age',
      includeDeadLetters: 'whether events with ended dead letters went too',
      events: 'how many went, of up to 1,000 that one event stands for',
      deliveries: 'how many went with them',
      deadLetters: 'how many went with them',
      occurredFrom: 'when the oldest of them happened',
      occurredUntil: 'when the newest of them happened',
      reason,
    },
    recorded: ofTrail,
  },
  'audit.subject.erase': {
    verb: 'operate.eraseSubject',
    targetType: 'audit_subject',
    targetId: 'the digest of the person (`digestAuditSubject`)',
    payload: {
      events: 'how many were blanked, of up to 500 that one event stands for',
      eventIds: 'their ids, without dashes',
      deadLetters: 'how many lost their operator',
      reason: 'why (it must not name the person)',
    },
    recorded: ofTrail,
  },
  'audit.flag.flip': {
    verb: "a provider of the host's flags that answers otherwise than before",
    targetType: 'audit_flag',
    targetId: 'the flag',
    payload: { from: 'the answer before', to: 'the answer now' },
    recorded: 'beside the next event, as `system`; degrades',
  },
  'schema.migrate': {
    verb: 'applyMigrations; of the service `migrate`, `serve`, `worker` and `review`',
    targetType: 'schema',
    targetId: '`stores`',
    payload: { steps: 'the steps, as `module/name`; none: they were found applied, and never recorded', reason },
    recorded: 'after the steps, which the trail may need; before them where it is on another database; degrades',
  },
  'artifact.read_raw': {
    verb: 'Artifacts.read, and `Criticizer.review` and `excerpts`, with an actor that is not the pipeline',
    targetType: 'artifact',
    targetId: 'the artifact',
    payload: {
      outcome: '`allowed`, `denied` or `expired`',
      purpose: 'what the artifact is for',
      changelistId: 'the change',
      jobId: 'the job',
      reason: 'why',
    },
    optional: ['reason'],
    recorded: 'before the bytes are given out, whatever the flags say; fails (`AUDIT_NOT_STORED`)',
  },
  'artifact.read_redacted': {
    verb: 'the same, of a redacted artifact',
    targetType: 'artifact',
    targetId: 'the artifact',
    payload: {
      outcome: '`allowed`, `denied` or `expired`',
      purpose: 'what the artifact is for',
      changelistId: 'the change',
      jobId: 'the job',
      reason: 'why',
    },
    optional: ['reason'],
    recorded: 'before the bytes are given out; degrades',
  },
  'change.dry_run': {
    verb: 'Criticizer.dryRun with an actor',
    targetType: 'change',
    targetId: '`serverId/number`',
    payload: {
      serverId: 'the Perforce server',
      number: 'the change',
      kind: '`planned` or `skipped`',
      requests: 'how many there would be',
      reason: 'why there would be none',
    },
    optional: ['requests', 'reason'],
    recorded: 'before the answer; degrades',
  },
  'p4.allow_list.change': {
    verb: 'AuditedAllowList.change, or an edited configuration at the next start (ruling R14)',
    targetType: 'p4.allow_list',
    targetId: 'the Perforce server',
    payload: {
      source: '`api` or `configuration`',
      before: 'the rules before (null: none were recorded)',
      after: 'the rules after',
      allowed: 'rules that were added and removed',
      denied: 'rules that were added and removed',
      reason: 'why, where a person changed it',
    },
    optional: ['reason'],
    recorded: 'before the list holds; fails (`P4_ALLOW_LIST_UNRECORDED`)',
  },
} as const satisfies Readonly<Record<string, AdminAction>>;

/** The `action` of an admin action's event: a key of `adminActions`, which a new verb adds its row to. */
export type AdminActionName = keyof typeof adminActions;
