import { AsyncLocalStorage } from 'node:async_hooks';
import { CriticizerError } from '../../foundation/errors.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import type { ArtifactRow } from '../../stores/artifact-manifest.js';
import type { AuditSeal, AuditSealLeaf } from '../../stores/audit-seal-store.js';
import type { AuditDeadLetter, AuditDelivery, AuditEvent } from '../../stores/audit-store.js';
import type { ChangeMark } from '../../stores/change-store.js';
import type { DeadLetter } from '../../stores/dead-letter-store.js';
import type { StoredDocument } from '../../stores/document-store.js';
import type { EgressRecord } from '../../stores/egress-log.js';
import type { Job } from '../../stores/job.js';
import type { OutboxRow } from '../../stores/notify-outbox.js';
import type { StoredPreference } from '../../stores/preference-store.js';
import { createRowIds } from '../../stores/rows/row-ids.js';
import type { SampleWindow } from '../../stores/sample-store.js';
import type { Suppression } from '../../stores/suppression-store.js';
import { createMemoryTable, type MemoryTable, type StagedTable, stageTable } from './memory-table.js';

/** A transaction of `createMemoryStores`; means something only inside the `transaction` call that gave it. */
export interface MemoryTx {
  readonly kind: 'criticizer.memory-tx';
}

/** Who holds a row, until when. */
export interface MemoryLease {
  owner: string;
  token: string;
  expiresAt: Date;
}

/** Every durable thing. Rows are replaced, never changed in place: a staged change costs only what it touches. */
export interface MemoryRows {
  /** `settlementId` names the last settlement that changed the job; null for one without an id. */
  jobs: { job: Job; token: string | null; settlementId?: string | null };
  /** By id: jobs that are queued or running, so that history costs a claim nothing. */
  openJobs: string;
  /** Job id by idempotency key. */
  jobKeys: string;
  /** Job ids by change, in the order they came. */
  jobsOfChange: readonly string[];
  /** By change. */
  changeMarks: ChangeMark;
  deadLetters: DeadLetter;
  outbox: { row: OutboxRow; lease: MemoryLease | null; dataToken: string | null; lookedAt: Date | null };
  /** Row id by change, recipient key and version. */
  outboxKeys: string;
  messages: { changelistId: string; bytes: Uint8Array; createdAt: Date };
  /** By recipient key. */
  preferences: StoredPreference;
  artifacts: { row: ArtifactRow; lease: MemoryLease | null };
  auditEvents: AuditEvent;
  /** `wasClaimed`: a sink may hold it. */
  auditDeliveries: {
    delivery: AuditDelivery;
    lease: MemoryLease | null;
    errorMessage: string | null;
    wasClaimed: boolean;
  };
  auditDeadLetters: AuditDeadLetter;
  /** By number. */
  auditSeals: AuditSeal;
  /** By event. */
  auditSealLeaves: AuditSealLeaf;
  egress: EgressRecord;
  cursors: { value: string; updatedAt: Date };
  documents: StoredDocument;
  samples: { name: string; window: SampleWindow };
  suppressions: Suppression;
  limits: number;
}

export type MemoryTables = { readonly [Name in keyof MemoryRows]: MemoryTable<MemoryRows[Name]> };

/** What one call sees: its own staged tables and one instant. */
export interface MemorySession {
  readonly tables: MemoryTables;
  /** The store's clock at the start of the call. */
  readonly now: Date;
  newId(): string;
  /** Tells subscribers, after the commit, that work may be due. */
  wake(): void;
}

export interface MemoryDatabase {
  readonly storeId: string;
  /** Runs at once on what is committed, or inside `tx`. */
  read<T>(tx: MemoryTx | undefined, work: (session: MemorySession) => T): Promise<T>;
  /** One atomic step: inside `tx`, else after the open transaction, if any, has ended. A throw undoes all of it. */
  write<T>(tx: MemoryTx | undefined, work: (session: MemorySession) => T): Promise<T>;
  transaction<T>(work: (tx: MemoryTx) => Promise<T>): Promise<T>;
  subscribe(listener: () => void): () => void;
  now(): Date;
  close(): void;
}

interface OpenTransaction {
  readonly tables: MemoryTables;
  woken: boolean;
  readonly ended: Promise<void>;
}

type StagedTables = { readonly [Name in keyof MemoryRows]: StagedTable<MemoryRows[Name]> };

function createTables(): MemoryTables {
  return {
    jobs: createMemoryTable(),
    openJobs: createMemoryTable(),
    jobKeys: createMemoryTable(),
    jobsOfChange: createMemoryTable(),
    changeMarks: createMemoryTable(),
    deadLetters: createMemoryTable(),
    outbox: createMemoryTable(),
    outboxKeys: createMemoryTable(),
    messages: createMemoryTable(),
    preferences: createMemoryTable(),
    artifacts: createMemoryTable(),
    auditEvents: createMemoryTable(),
    auditDeliveries: createMemoryTable(),
    auditDeadLetters: createMemoryTable(),
    auditSeals: createMemoryTable(),
    auditSealLeaves: createMemoryTable(),
    egress: createMemoryTable(),
    cursors: createMemoryTable(),
    documents: createMemoryTable(),
    samples: createMemoryTable(),
    suppressions: createMemoryTable(),
    limits: createMemoryTable(),
  };
}

function stageTables(under: MemoryTables): StagedTables {
  return {
    jobs: stageTable(under.jobs),
    openJobs: stageTable(under.openJobs),
    jobKeys: stageTable(under.jobKeys),
    jobsOfChange: stageTable(under.jobsOfChange),
    changeMarks: stageTable(under.changeMarks),
    deadLetters: stageTable(under.deadLetters),
    outbox: stageTable(under.outbox),
    outboxKeys: stageTable(under.outboxKeys),
    messages: stageTable(under.messages),
    preferences: stageTable(under.preferences),
    artifacts: stageTable(under.artifacts),
    auditEvents: stageTable(under.auditEvents),
    auditDeliveries: stageTable(under.auditDeliveries),
    auditDeadLetters: stageTable(under.auditDeadLetters),
    auditSeals: stageTable(under.auditSeals),
    auditSealLeaves: stageTable(under.auditSealLeaves),
    egress: stageTable(under.egress),
    cursors: stageTable(under.cursors),
    documents: stageTable(under.documents),
    samples: stageTable(under.samples),
    suppressions: stageTable(under.suppressions),
    limits: stageTable(under.limits),
  };
}

function commitTables(staged: StagedTables): void {
  for (const table of Object.values(staged)) table.commit();
}

// long: the turns of one database, each short, over the same tables
/**
 * One process, one set of tables. A call is one synchronous step, so calls never interleave; a
 * transaction keeps later writers waiting and works on staged tables that readers do not see until
 * it commits.
 */
export function createMemoryDatabase(options: { storeId: string; clock: Clock; random: Random }): MemoryDatabase {
  const { storeId, clock, random } = options;
  const committed = createTables();
  const rowId = createRowIds(() => random.uuid());
  const transactions = new WeakMap<MemoryTx, OpenTransaction>();
  const scope = new AsyncLocalStorage<OpenTransaction>();
  const listeners = new Set<() => void>();
  let current: OpenTransaction | undefined;
  let closed = false;

  // A wall clock may be set back or forward; stored instants must not fall (INV-1), and no lease
  // ends early (INV-6): here time only passes.
  const zeroMs = clock.nowMs() - clock.monotonicMs();
  const now = (): Date => new Date(zeroMs + clock.monotonicMs());
  const tellListeners = (): void => {
    for (const listener of listeners) queueMicrotask(listener);
  };
  const checkOpen = (): void => {
    if (closed) throw new CriticizerError('STORE_CLOSED', 'the memory stores were closed');
  };
  const transactionOf = (tx: MemoryTx): OpenTransaction => {
    const found = transactions.get(tx);
    if (found === undefined) throw new TypeError('options.tx: expected a transaction of these memory stores');
    if (found !== current) throw new CriticizerError('TRANSACTION_ENDED', 'the transaction has already ended');
    return found;
  };
  /**
   * Runs `work` once no transaction is open. It is begun in the step that saw so: of several that
   * wait, the others see what it opened.
   */
  const inTurn = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (current !== undefined && scope.getStore() === current) {
      throw new CriticizerError(
        'TRANSACTION_BYPASSED',
        'a write without tx inside transaction() would wait for itself',
      );
    }
    while (current !== undefined) await current.ended;
    return work();
  };
  const step = <T>(under: MemoryTables, onWake: () => void, work: (session: MemorySession) => T): T => {
    const tables = stageTables(under);
    let woken = false;
    const at = now();
    const session: MemorySession = {
      tables,
      now: at,
      newId: () => rowId(at.getTime()),
      wake: () => {
        woken = true;
      },
    };
    const result = work(session);
    commitTables(tables);
    if (woken) onWake();
    return result;
  };

  async function transact<T>(work: (tx: MemoryTx) => Promise<T>): Promise<T> {
    const staged = stageTables(committed);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const open: OpenTransaction = { tables: staged, woken: false, ended };
    const tx: MemoryTx = Object.freeze({ kind: 'criticizer.memory-tx' });
    transactions.set(tx, open);
    current = open;
    try {
      const result = await scope.run(open, () => work(tx));
      commitTables(staged);
      if (open.woken) tellListeners();
      return result;
    } finally {
      current = undefined;
      end();
    }
  }

  return {
    storeId,
    now,
    async read(tx, work) {
      checkOpen();
      const tables = tx === undefined ? committed : transactionOf(tx).tables;
      return work({ tables, now: now(), newId: () => rowId(now().getTime()), wake: () => undefined });
    },
    async write(tx, work) {
      checkOpen();
      if (tx === undefined) return inTurn(() => step(committed, tellListeners, work));
      const open = transactionOf(tx);
      return step(
        open.tables,
        () => {
          open.woken = true;
        },
        work,
      );
    },
    async transaction(work) {
      checkOpen();
      return inTurn(() => transact(work));
    },
    subscribe(listener) {
      // Wrapped, so that one function subscribed twice is two subscriptions.
      const own = (): void => {
        if (listeners.has(own)) listener();
      };
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    close() {
      closed = true;
      listeners.clear();
    },
  };
}
