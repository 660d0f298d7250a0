import type { AdminActionName } from '../audit/admin-actions.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import type { AuditRecorded, AuditTrail } from '../audit/audit-trail.js';
import { type Actor, checkActor } from '../foundation/actor.js';
import { checkOptions, type OptionCheck, type OptionShape } from '../foundation/check-options.js';
import { CriticizerError } from '../foundation/errors.js';
import type { JsonObject } from '../foundation/json.js';
import { checkText } from '../foundation/store-input.js';
import type { Stores } from '../stores/stores.js';

/** What the operator's verbs work on. */
export interface OperatorParts<Tx> {
  stores: Pick<
    Stores<Tx>,
    | (
        | 'storeId'
        | 'modules'
        | 'transaction'
        | 'now'
        | 'jobs'
        | 'deadLetters'
        | 'changes'
        | 'outbox'
        | 'preferences'
        | 'artifactManifest'
      )
    | ('audit' | 'documents' | 'limits' | 'samples' | 'suppressions')
  >;
  /** On the same stores, or on another database. */
  audit: AuditTrail<Tx>;
}

/** Who calls a verb, and why: both stand in the audit event. */
export interface OperatorRequest {
  actor: Actor;
  /** 1 to 8,192 characters, not all of them blank. */
  reason: string;
}

/** What became of a verb. */
export interface Operated<Outcome> {
  outcome: Outcome;
  /**
   * `recorded`: the audit event is stored. `degraded`: it is not, the change was made all the same
   * and the platform log carries the event's fingerprint (AUD-3). `off`: the flags of the audit's
   * rollout are off (AUD-17). `none`: nothing was changed, so there is nothing to record.
   */
  audit: 'recorded' | 'degraded' | 'off' | 'none';
}

/** One change by a person, with what the audit event says of it. */
export interface Operation<Tx, Outcome> extends OperatorRequest {
  /** Its row of `adminActions`: what the event holds, and so what the docs and the tests say of it. */
  action: AdminActionName;
  targetType: string;
  targetId: string;
  /** What the event holds besides the reason. */
  payload?: JsonObject | undefined;
  /** Makes the change, in the transaction where one is given. */
  change(tx: Tx | undefined): Promise<Outcome>;
  /** True for the outcomes after which something is different. */
  hasChanged(outcome: Outcome): boolean;
  /** What the event holds of the outcome, too; only where change and event share a transaction. */
  describe?(outcome: Outcome): JsonObject;
  /**
   * True undoes the change where its event cannot be stored: the call rejects with
   * `AUDIT_NOT_STORED`, and with `AUDIT_TRAIL_APART` where the trail lies on another database.
   */
  mustRecord?: boolean;
}

const checkReason: OptionCheck = (option, value) => {
  checkText(option, value, 8192);
  if ((value as string).trim() === '') throw new TypeError(`${option}: expected a string that is not blank`);
};

/** Checks a verb's request: actor and reason, and the verb's own keys by `shape`. Throws `TypeError`. */
export function checkRequest<Request extends OperatorRequest>(
  verb: string,
  request: Request,
  shape: Omit<OptionShape<Request>, keyof OperatorRequest>,
): void {
  checkOptions<Request>(verb, request, { ...shape, actor: checkActor, reason: checkReason } as OptionShape<Request>);
}

function toEntry<Tx>(operation: Operation<Tx, unknown>, resultStatus: AuditEntry['resultStatus']): AuditEntry {
  const { action, actor, reason, targetType, targetId, payload } = operation;
  const who = { actorType: actor.type, actorId: actor.id } as const;
  return { ...who, action, targetType, targetId, resultStatus, payload: { ...payload, reason } };
}

function conclude<Outcome>(outcome: Outcome, recorded: AuditRecorded | null): Operated<Outcome> {
  if (recorded === null) return { outcome, audit: 'none' };
  if (recorded.outcome === 'degraded') recorded.logFallback();
  return { outcome, audit: recorded.outcome };
}

/**
 * Makes a change and records it (OPS-1, AUD-2). On the stores that the audit trail writes to, both
 * are one transaction: neither exists without the other, but for the degrade mode of AUD-3. On
 * other stores the event comes first, and a second one with `failure` where the change was not
 * made. Rejects with what the change or the record throws; nothing is changed then.
 */
export function performOperation<Tx, Outcome>(
  parts: Pick<OperatorParts<Tx>, 'audit'> & { stores: Pick<Stores<Tx>, 'storeId' | 'transaction'> },
  operation: Operation<Tx, Outcome>,
): Promise<Operated<Outcome>> {
  if (parts.audit.storeId === parts.stores.storeId) return performTogether(parts, operation);
  return operation.mustRecord === true ? refuseApart(operation.action) : performApart(parts.audit, operation);
}

async function refuseApart(action: AdminActionName): Promise<never> {
  throw new CriticizerError(
    'AUDIT_TRAIL_APART',
    `${action}: the audit trail lies on another database: make the operator on the stores that the trail writes to.`,
    { category: 'bug', details: { action } },
  );
}

/** The event of a change, in its transaction. Throws where it must be stored and was not. */
async function recordOutcome<Tx, Outcome>(
  audit: AuditTrail<Tx>,
  operation: Operation<Tx, Outcome>,
  outcome: Outcome,
  tx: Tx,
): Promise<AuditRecorded> {
  const payload = { ...operation.payload, ...operation.describe?.(outcome) };
  const entry = toEntry({ ...operation, payload }, 'success');
  if (operation.mustRecord !== true) return audit.record(entry, { tx });
  const recorded = await audit.record(entry, { tx, onFailure: 'throw' });
  if (recorded.outcome === 'recorded') return recorded;
  throw new CriticizerError('AUDIT_NOT_STORED', `${operation.action}: the audit event was not stored.`, {
    category: 'conflict',
    details: { action: operation.action, outcome: recorded.outcome },
  });
}

async function performTogether<Tx, Outcome>(
  { stores, audit }: { stores: Pick<Stores<Tx>, 'transaction'>; audit: AuditTrail<Tx> },
  operation: Operation<Tx, Outcome>,
): Promise<Operated<Outcome>> {
  const [outcome, recorded] = await stores.transaction(async (tx): Promise<[Outcome, AuditRecorded | null]> => {
    const changed = await operation.change(tx);
    if (!operation.hasChanged(changed)) return [changed, null];
    return [changed, await recordOutcome(audit, operation, changed, tx)];
  });
  return conclude(outcome, recorded); // after the commit: the log must not tell of what was rolled back
}

async function performApart<Tx, Outcome>(
  audit: AuditTrail<Tx>,
  operation: Operation<Tx, Outcome>,
): Promise<Operated<Outcome>> {
  const recorded = await audit.record(toEntry(operation, 'success'));
  const retract = async (): Promise<void> => {
    if (recorded.outcome === 'recorded') await audit.record(toEntry(operation, 'failure')).catch(() => undefined);
  };
  const outcome = await operation.change(undefined).catch(async (error: unknown) => {
    await retract();
    throw error;
  });
  if (operation.hasChanged(outcome)) return conclude(outcome, recorded);
  await retract();
  return { outcome, audit: recorded.outcome === 'recorded' ? 'recorded' : 'none' };
}
