import type { OptionCheck, OptionShape } from '../../foundation/check-options.js';
import { checkArray, checkBoolean, checkedElsewhere, nested, oneOf, optional } from '../../foundation/option-checks.js';
import { checkText } from '../../foundation/store-input.js';
import { auditErasureShape, auditPruningShape } from '../input/audit-keeping.js';
import { mailChoices } from '../preference-store.js';
import type { Facets } from './facet-modules.js';

type Verb = (...args: never[]) => unknown;

/** For each argument of a verb: null, or its name and the shape of its keys. */
type ArgumentShapes<Args extends readonly unknown[]> = {
  readonly [At in keyof Args]-?: readonly [name: string, shape: OptionShape<NonNullable<Args[At]>>] | null;
};

/** Every verb of a facet; one that is added to the port does not compile until its arguments stand here. */
type VerbShapes<Facet> = {
  readonly [Name in keyof Facet as NonNullable<Facet[Name]> extends Verb ? Name : never]-?: NonNullable<
    Facet[Name]
  > extends (...args: infer Args) => unknown
    ? ArgumentShapes<Required<Args>>
    : never;
};
const phase = { provider: checkedElsewhere, providerKeyTtlMs: checkedElsewhere, possibleDuplicate: checkedElsewhere };
const inTransaction = ['options', { tx: checkedElsewhere }] as const;
const providerId: OptionCheck = (option, value) => checkText(option, value, 1024);
/** Checked by `checkPage`, which every list calls. */
const paged = {
  before: checkedElsewhere,
  limit: checkedElsewhere,
  since: checkedElsewhere,
  until: checkedElsewhere,
} as const;
const pagedByDestination = { destination: optional(checkText), ...paged } as const;
const letterFilter = {
  status: optional(oneOf('open', 'triaged', 'replaying', 'resolved', 'ignored', 'failed-again')),
  stage: optional(checkText),
  errorClass: optional(checkText),
  kind: optional(checkText),
  jobId: optional(checkText),
  changelistId: optional(checkText),
  causeKey: optional(checkText),
} as const;
const limited = ['options', { limit: checkedElsewhere }] as const;
const leaseRequest = {
  owner: checkText,
  token: checkText,
  leaseMs: checkedElsewhere,
  limit: checkedElsewhere,
} as const;

/** For each verb of each facet: which of its arguments are objects, and their keys. */
export const verbShapes: { readonly [Facet in keyof Facets]: VerbShapes<Facets[Facet]> } = {
  jobs: {
    enqueue: [null, inTransaction],
    claim: [['request', { ...leaseRequest, kinds: checkArray }]],
    heartbeat: [null, null],
    settle: [null, ['options', { tx: checkedElsewhere, leaseMs: checkedElsewhere }]],
    requeueExpired: [limited],
    cancel: [null, null, inTransaction],
    setPriority: [null, ['priority', { expected: checkedElsewhere, next: checkedElsewhere }], inTransaction],
    get: [null, inTransaction],
    list: [
      [
        'filter',
        {
          kind: optional(checkText),
          status: optional(oneOf('queued', 'running', 'completed', 'failed')),
          changelistId: optional(checkText),
          ...paged,
        },
      ],
    ],
    latestVersion: [null],
    depth: [],
    stats: [],
    prune: [['options', { olderThanMs: checkedElsewhere, limit: checkedElsewhere }]],
    subscribe: [null],
  },
  deadLetters: {
    get: [null],
    list: [
      [
        'filter',
        {
          ...letterFilter,
          ...paged,
        },
      ],
    ],
    groups: [
      ['filter', { ...letterFilter, limit: checkedElsewhere, since: checkedElsewhere, until: checkedElsewhere }],
    ],
    note: [
      null,
      ['note', { actor: checkedElsewhere, text: checkedElsewhere, kind: optional(oneOf('note', 'evidence')) }],
      inTransaction,
    ],
    triage: [
      null,
      ['triage', { actor: checkedElsewhere, cause: checkedElsewhere, evidence: checkedElsewhere }],
      inTransaction,
    ],
    replay: [
      [
        'request',
        {
          deadLetterId: checkText,
          stage: checkedElsewhere,
          fromStart: checkBoolean,
          actor: checkedElsewhere,
          evidence: checkedElsewhere,
          reason: checkedElsewhere,
          delayMs: checkedElsewhere,
        },
      ],
      inTransaction,
    ],
    close: [
      null,
      ['closing', { status: checkedElsewhere, actor: checkedElsewhere, note: checkedElsewhere }],
      inTransaction,
    ],
    stats: [],
  },
  changes: {
    get: [null],
    list: [
      ['filter', { kind: optional(oneOf('held', 'purging')), after: optional(checkText), limit: checkedElsewhere }],
    ],
    setHold: [null, null, inTransaction],
    beginPurge: [null, inTransaction],
    purgeRows: [null],
  },
  outbox: {
    add: [null, inTransaction],
    claim: [['request', { ...leaseRequest, via: checkedElsewhere, purpose: checkPurpose, ids: optional(checkArray) }]],
    heartbeat: [null, null],
    recordPhase: [null, null, ['options', phase]],
    settle: [null],
    requeueExpired: [limited],
    list: [
      [
        'filter',
        {
          changelistId: optional(checkText),
          reviewVersion: checkedElsewhere,
          jobId: optional(checkText),
          status: optional(oneOf('pending', 'held', 'sending', 'sent', 'failed', 'unknown', 'cancelled')),
          key: optional(checkText),
          notificationId: optional(providerId),
          recipientKey: optional(checkText),
          ...paged,
        },
      ],
    ],
    reopen: [null, inTransaction],
    hold: [null, inTransaction],
    release: [null, inTransaction],
    confirm: [null, ['confirmation', { notificationId: providerId }], inTransaction],
    cancelOlder: [null, null, inTransaction],
    withdraw: [null, inTransaction],
    backlog: [],
    stats: [],
  },
  messages: {
    save: [null, ['about', { changelistId: checkedElsewhere, jobId: checkedElsewhere }], inTransaction],
    load: [null],
    discard: [null, inTransaction],
    prune: [['pruning', { olderThanMs: checkedElsewhere, limit: checkedElsewhere }]],
  },
  preferences: {
    find: [null],
    set: [null, null, null, inTransaction], // checkPreference and checkActor know their keys
    list: [
      [
        'filter',
        {
          mails: optional(oneOf(...mailChoices)),
          after: optional((option, value) => checkText(option, value, 320)),
          limit: checkedElsewhere,
        },
      ],
    ],
  },
  audit: {
    record: [null, null, inTransaction],
    get: [null],
    list: [
      [
        'filter',
        { action: optional(checkText), actorId: optional(checkText), tenantId: optional(checkText), ...paged },
      ],
    ],
    claim: [['request', { ...leaseRequest, destinations: checkArray }]],
    heartbeat: [null, null],
    settle: [null],
    requeueExpired: [limited],
    listDeliveries: [
      [
        'filter',
        {
          state: optional(oneOf('pending', 'in_progress', 'retry_wait', 'delivered', 'dead_lettered')),
          auditEventId: optional(checkText),
          ...pagedByDestination,
        },
      ],
    ],
    listDeadLetters: [
      [
        'filter',
        {
          operatorStatus: optional(oneOf('open', 'requeued', 'ignored', 'resolved')),
          ...pagedByDestination,
        },
      ],
    ],
    requeue: [null, ['by', { actor: checkedElsewhere, note: checkedElsewhere }], inTransaction],
    close: [
      null,
      ['closing', { status: checkedElsewhere, actor: checkedElsewhere, note: checkedElsewhere }],
      inTransaction,
    ],
    eraseSubject: [['erasure', auditErasureShape], inTransaction],
    prune: [['pruning', auditPruningShape], inTransaction],
    stats: [],
  },
  auditSeals: {
    claim: [['request', { limit: checkedElsewhere, since: checkedElsewhere }], inTransaction],
    append: [null, null, inTransaction],
    list: [['filter', { after: checkedElsewhere, limit: checkedElsewhere }]],
    head: [],
    listLeaves: [null],
    listUnsealed: [['filter', { after: checkedElsewhere, limit: checkedElsewhere }]],
  },
  artifactManifest: {
    reserve: [null, inTransaction],
    publish: [null, inTransaction],
    get: [null],
    list: [['filter', { changelistId: optional(checkText), ...paged }]],
    claimExpired: [['request', { ...leaseRequest, orphanMs: checkedElsewhere, changelistId: optional(checkText) }]],
    heartbeat: [null, null],
    expire: [null, inTransaction],
    markDeleted: [null, null], // a fence is told from any other by its values: what a sweep claimed with may serve
    listUnverified: [null, null],
    verified: [null],
    keyTag: [inTransaction],
    findUnknown: [null, null, null],
    countExpired: [],
  },
  egress: {
    append: [null, inTransaction],
    list: [
      [
        'filter',
        { changelistId: optional(checkText), jobId: optional(checkText), destination: optional(checkText), ...paged },
      ],
    ],
  },
  cursors: { get: [null], advance: [null, null, null, inTransaction] },
  documents: { read: [null], write: [null, null, null, inTransaction] },
  samples: {
    add: [null, ['options', { bucketMs: checkedElsewhere }]],
    read: [null, ['options', { sinceMs: checkedElsewhere }]],
  },
  suppressions: {
    add: [null, inTransaction], // checkNewSuppression knows its keys
    get: [null],
    list: [
      [
        'filter',
        {
          changelistId: optional(checkText),
          kind: optional(oneOf('finding', 'rule')),
          inForce: optional(checkBoolean),
          ...paged,
        },
      ],
    ],
    listInForce: [null],
    withdraw: [null, null, inTransaction],
  },
  retention: {
    prune: [null, ['request', { olderThanMs: checkedElsewhere, prefix: checkedElsewhere, limit: checkedElsewhere }]],
    countExpired: [null, ['request', { olderThanMs: checkedElsewhere, prefix: checkedElsewhere }]],
  },
  limits: {
    get: [null],
    set: [null, null, ['options', { tx: checkedElsewhere, expected: checkedElsewhere }]],
    agree: [null, null],
  },
};

function checkPurpose(option: string, value: unknown): void {
  if (value === 'deliver') return;
  nested<{ reconcile: { olderThanMs: number } }>({
    reconcile: nested<{ olderThanMs: number }>({ olderThanMs: checkedElsewhere }),
  })(option, value);
}
