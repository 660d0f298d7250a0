import { checkFields, checkOptions, type OptionShape } from '../foundation/check-options.js';
import { CriticizerError, isCriticizerError } from '../foundation/errors.js';
import { type ClassifiedFailure, classifyFailure } from '../foundation/failures/failure.js';
import { checkedElsewhere, optional, withMethods } from '../foundation/option-checks.js';
import type { PayloadRedactor } from '../foundation/redactor.js';
import { checkOneOf } from '../foundation/store-input.js';
import type { Random } from '../foundation/time/random.js';
import type { AuditEvent, AuditStore, NewAuditEvent } from '../stores/audit-store.js';
import { checkDestinations } from '../stores/input/new-audit-event.js';
import { refuseAbsentFacet } from '../stores/modules.js';
import type { Logger } from '../telemetry/logger.js';
import type { AdminActionName } from './admin-actions.js';
import { type AuditEntry, checkAuditEntry, toAuditEvent } from './audit-entry.js';
import type { AuditFlagFlip, AuditFlags } from './flags/audit-flags.js';
import type { AuditMetrics } from './metrics/audit-metrics.js';
import { isShadowDestination } from './shadow-destination.js';

/**
 * `recorded`: event and deliveries are stored, in the caller's transaction where it gave one.
 * `off`: the flag `audit_guardrails_write_enabled` is off for the entry's tenant; nothing is stored (AUD-17).
 * `degraded`: the event could not be stored and the admin write goes on (AUD-3). Call `logFallback`
 * after the host's transaction committed: the platform log then carries fingerprint and error code
 * (ruling R12). `logFallback` never throws.
 */
export type AuditRecorded =
  | { outcome: 'recorded'; degraded: false; event: AuditEvent }
  | { outcome: 'off'; degraded: false; event: null }
  | { outcome: 'degraded'; degraded: true; fingerprint: string; errorCode: string; logFallback(): void };

/** Where an event is written, and what becomes of the caller where it cannot be. */
export interface RecordOptions<Tx> {
  /** The caller's transaction. Left out: a transaction of its own. */
  tx?: Tx | undefined;
  /**
   * `degrade`, the default: the admin write goes on (AUD-3). `throw`: the call rejects with
   * `AUDIT_NOT_STORED`, for an action that must not happen unrecorded; the transaction stays usable.
   */
  onFailure?: 'degrade' | 'throw' | undefined;
}

/**
 * Records what somebody did, beside the deed itself: in the caller's transaction where one is given
 * (AUD-1).
 */
export interface AuditTrail<Tx> {
  /** The store that events are written to: with the same `storeId`, a change and its event share a transaction. */
  readonly storeId: string;
  /**
   * Event and one delivery per destination, in the caller's transaction when `tx` is given (AUD-2).
   * Throws `TypeError` for an action, an actor type or a result that is none, before anything is
   * written, and a serialization failure, which dooms the caller's transaction anyway. Everything
   * else that no store could hold is changed until it can be stored and noted in the payload's
   * `_audit_meta`.
   */
  record(entry: AuditEntry, options?: RecordOptions<Tx>): Promise<AuditRecorded>;
}

const recordShape: OptionShape<RecordOptions<unknown>> = {
  tx: checkedElsewhere,
  onFailure: optional((option, value) => checkOneOf(option, value, ['degrade', 'throw'])),
};

/**
/**
 * What changes the flags or takes from the trail is recorded whatever the flags say: neither a rollback
 * nor a loss must hide itself; and reads of raw artifacts, which no flag may let happen unrecorded (ART-4).
 */
const whateverFlagsSay: readonly string[] = [
  'artifact.read_raw',
  'audit.events.prune',
  'audit.subject.erase',
] satisfies AdminActionName[];
const ignoresFlags = ({ action }: AuditEntry): boolean =>
  action.startsWith('audit.flag.') || whateverFlagsSay.includes(action);

function readTenant(entry: AuditEntry): string | null {
  try {
    return typeof entry.tenantId === 'string' && entry.tenantId !== '' ? entry.tenantId : null;
  } catch {
    return null;
  }
}

function toFlipEntry({ flag, tenantId, from, to }: AuditFlagFlip): AuditEntry {
  return {
    actorType: 'system',
    actorId: 'criticizer',
    action: 'audit.flag.flip',
    resultStatus: 'success',
    targetType: 'audit_flag',
    targetId: flag,
    tenantId: tenantId ?? undefined,
    payload: { from, to },
  };
}

/** Tries after the first, inside the host's transaction (AUD-3). */
const retries = 2;

function isSerializationFailure(error: unknown): boolean {
  return isCriticizerError(error) && error.details['sqlState'] === '40001';
}

function notStored(event: NewAuditEvent, failure: ClassifiedFailure, cause: unknown): CriticizerError {
  return new CriticizerError('AUDIT_NOT_STORED', 'The audit event was not stored.', {
    category: failure.category,
    details: { auditEventId: event.id, fingerprint: event.payloadSha256, errorCode: failure.code },
    cause,
  });
}

function degraded(event: NewAuditEvent, errorCode: string, logger: Logger): AuditRecorded {
  const fingerprint = event.payloadSha256;
  const logFallback = (): void => {
    try {
      logger.error(
        { event: 'audit.degraded', auditEventId: event.id, action: event.action, fingerprint, errorCode },
        'audit event could not be stored',
      );
    } catch {
      // The admin write is done: a log that fails must not look like its failure.
    }
  };
  return { outcome: 'degraded', degraded: true, fingerprint, errorCode, logFallback };
}

// long: the steps of one record, over the parts that they share
/**
 * Records admin and operator actions beside the action itself. Throws `TypeError` for destinations
 * that are no names of 1 to 128 characters, each once.
 */
export function createAuditTrail<Tx>(options: {
  store: AuditStore<Tx>;
  redactor: PayloadRedactor;
  /**
   * Names of the external sinks; each gets its own delivery. A name of `toShadowDestination` gets one
   * where the flags say so, without flags always.
   */
  destinations: readonly string[];
  /** For which tenants events are recorded; `createAuditFlags`. Left out: for all. */
  flags?: AuditFlags | undefined;
  /** Counts each record by how it ended; `createAuditMetrics`. Left out: nothing is counted. */
  metrics?: Pick<AuditMetrics, 'written'> | undefined;
  random: Random;
  logger: Logger;
}): AuditTrail<Tx> {
  checkOptions<typeof options>('createAuditTrail', options, {
    store: withMethods('record'),
    redactor: withMethods('redact'),
    destinations: checkedElsewhere,
    flags: optional(withMethods('isWriteEnabled', 'isShadowEnabled', 'takeFlips')),
    metrics: optional(withMethods('written')),
    random: withMethods('uuid'),
    logger: withMethods('error'),
  });
  refuseAbsentFacet('createAuditTrail: store', options.store);
  const { store, redactor, destinations, flags, metrics, random, logger } = options;
  checkDestinations('createAuditTrail: destinations', destinations);
  const production = destinations.filter((destination) => !isShadowDestination(destination));

  async function chooseDestinations(tenantId: string | null): Promise<readonly string[]> {
    if (flags === undefined || production.length === destinations.length) return destinations;
    return (await flags.isShadowEnabled(tenantId)) ? destinations : production;
  }

  /** Stores one event, retries contention, and degrades or throws where it cannot be stored. */
  async function write(entry: AuditEntry, { tx, onFailure = 'degrade' }: RecordOptions<Tx>): Promise<AuditRecorded> {
    const event = toAuditEvent(entry, redactor, random.uuid());
    const chosen = await chooseDestinations(event.tenantId);
    for (let attempt = 0; ; attempt++) {
      try {
        const stored = await store.record(event, chosen, { tx });
        metrics?.written(event, 'recorded');
        return { outcome: 'recorded', degraded: false, event: stored };
      } catch (error) {
        if (isSerializationFailure(error)) throw error;
        const failure = classifyFailure(error);
        if (failure.category === 'conflict' && attempt < retries) continue;
        metrics?.written(event, onFailure === 'throw' ? 'failed' : 'degraded');
        if (onFailure === 'throw') throw notStored(event, failure, error);
        return degraded(event, failure.code, logger);
      }
    }
  }

  /** Records the flips that this process saw, whatever the flags say now. */
  async function recordFlips(seen: AuditFlags, recording: RecordOptions<Tx>): Promise<void> {
    for (const flip of seen.takeFlips()) {
      const recorded = await write(toFlipEntry(flip), { tx: recording.tx });
      if (recorded.degraded) recorded.logFallback();
    }
  }

  return {
    storeId: store.storeId,
    async record(entry, recording = {}) {
      checkFields<RecordOptions<Tx>>('record: options', recording, recordShape);
      checkAuditEntry(entry);
      if (flags !== undefined && !ignoresFlags(entry)) {
        const isOn = await flags.isWriteEnabled(readTenant(entry));
        await recordFlips(flags, recording);
        if (!isOn) return { outcome: 'off', degraded: false, event: null };
      }
      return write(entry, recording);
    },
  };
}
