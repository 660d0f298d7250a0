import { checkOptions } from '../foundation/check-options.js';
import { CriticizerError, isCriticizerError } from '../foundation/errors.js';
import type { JsonObject, JsonValue } from '../foundation/json.js';
import {
  checkArray,
  checkBoolean,
  checkedElsewhere,
  checkFunction,
  checkName,
  nested,
  optional,
  withMethods,
} from '../foundation/option-checks.js';
import type { Clock } from '../foundation/time/clock.js';
import { systemClock } from '../foundation/time/system-clock.js';
import type { DocumentStore } from '../stores/document-store.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';

/** Name of the shared entry. */
export const killSwitchEntry = 'egress.kill-switch';

/** What the entry holds. `providers` narrows the stop to some; absent, all stop. */
export interface KillSwitchState {
  stopped: boolean;
  providers: readonly string[] | null;
  /** Who flipped it last, and why, in the operator's words. Null: never flipped. */
  by: string | null;
  reason: string | null;
}

export interface KillSwitch {
  /**
   * Resolves where requests may go to this provider. Rejects with `EGRESS_KILLED`, or with
   * `EGRESS_KILL_SWITCH_UNREADABLE` where the state cannot be known; both park, so no attempt is
   * spent (EGR-4).
   */
  check(provider: string): Promise<void>;
}

const open: KillSwitchState = { stopped: false, providers: null, by: null, reason: null };
/** A value that cannot be read stops everything. */
const unreadable: KillSwitchState = { stopped: true, providers: null, by: null, reason: null };

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the entry's value; null is open, anything malformed is stopped. */
export function readKillSwitchState(value: JsonValue): KillSwitchState {
  if (value === null) return open;
  if (!isObject(value) || typeof value['stopped'] !== 'boolean') return unreadable;
  const { providers, by, reason } = value;
  const narrowed = providers !== undefined && providers !== null;
  if (narrowed && (!Array.isArray(providers) || providers.some((name) => typeof name !== 'string'))) return unreadable;
  return {
    stopped: value['stopped'],
    providers: narrowed && Array.isArray(providers) ? providers.map(String) : null,
    by: typeof by === 'string' ? by : null,
    reason: typeof reason === 'string' ? reason : null,
  };
}

/**
 * The switch that stops new requests to model providers in every process within 5 seconds (EGR-4):
 * the state is a shared entry, and what a process remembers of it is at most `cacheMs` old, counted
 * from before the read. Default 2,000, at most 4,000. Throws `TypeError` above.
 */
export function createKillSwitch<Tx>(options: {
  documents: DocumentStore<Tx>;
  cacheMs?: number | undefined;
  securityEvents?: SecurityEvents | undefined;
  clock?: Pick<Clock, 'monotonicMs'> | undefined;
}): KillSwitch {
  const cacheMs = options.cacheMs ?? 2_000;
  if (!Number.isSafeInteger(cacheMs) || cacheMs < 0 || cacheMs > 4_000)
    throw new TypeError('createKillSwitch: cacheMs expects a whole number from 0 to 4000');
  const clock = options.clock ?? systemClock;
  let known: { state: KillSwitchState; version: number; asOf: number } | undefined;
  let reading: Promise<KillSwitchState> | undefined;
  let announcedVersion = -1;

  const readNow = async (): Promise<KillSwitchState> => {
    const asOf = clock.monotonicMs();
    const entry = await options.documents.read(killSwitchEntry);
    known = { state: readKillSwitchState(entry.value), version: entry.version, asOf };
    return known.state;
  };

  const current = async (): Promise<KillSwitchState> => {
    if (known !== undefined && clock.monotonicMs() - known.asOf < cacheMs) return known.state;
    // Requests that arrive together share one read.
    reading ??= readNow().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  return {
    async check(provider) {
      let state: KillSwitchState;
      try {
        state = await current();
      } catch (error) {
        throw new CriticizerError(
          'EGRESS_KILL_SWITCH_UNREADABLE',
          'the kill switch cannot be read, so nothing is sent',
          {
            category: isCriticizerError(error) ? error.category : 'network',
            parks: true,
            cause: error,
          },
        );
      }
      if (!state.stopped || (state.providers !== null && !state.providers.includes(provider))) return;
      // Once per flip and process, not once per job.
      if (known !== undefined && known.version !== announcedVersion) {
        announcedVersion = known.version;
        const details = { provider, version: known.version };
        raiseSecurityEvent(options.securityEvents, {
          type: 'egress.killed',
          reason: 'the egress kill switch is on',
          details,
        });
      }
      throw new CriticizerError('EGRESS_KILLED', 'requests to model providers are stopped', {
        category: 'policy',
        parks: true,
        details: { provider },
      });
    },
  };
}

/** The audit event of a flip: fits `AuditTrail.record` as it is. */
export interface KillSwitchEvent {
  action: 'egress.kill_switch.set';
  actorType: 'admin_user' | 'service_account' | 'system';
  actorId: string;
  targetType: 'kill_switch';
  targetId: typeof killSwitchEntry;
  resultStatus: 'success' | 'failure';
  payload: JsonObject;
}

/** What `record` may answer with: the shape of `AuditRecorded`, of which only the failure counts. */
interface Degraded {
  degraded: true;
  logFallback?: (() => void) | undefined;
}

function isDegraded(answer: unknown): answer is Degraded {
  return typeof answer === 'object' && answer !== null && 'degraded' in answer && answer.degraded === true;
}

/** True where the new state lets a provider go that the present one stops. */
function letsGo(now: KillSwitchState, next: { stopped: boolean; providers?: readonly string[] | undefined }): boolean {
  if (!now.stopped) return false;
  if (!next.stopped) return true;
  const { providers } = next;
  if (providers === undefined) return false;
  return now.providers === null || now.providers.some((name) => !providers.includes(name));
}

/**
 * Flips the switch. `record` writes the audit row and comes first; pass `AuditTrail.record` itself,
 * or anything that rejects or resolves with `{degraded: true}` where nothing was stored. A flip
 * that is not recorded is still made where it only stops requests, and `recorded` is false; where
 * it would let a provider go again it is refused with `KILL_SWITCH_UNRECORDED` (EGR-4). Resolves
 * with the new version; rejects with `KILL_SWITCH_CONFLICT` when another operator wins three
 * times, and with the store's error. A flip that was recorded and then not made is recorded again,
 * as a failure.
 */
export async function setKillSwitch<Tx>(options: {
  documents: DocumentStore<Tx>;
  /** `providers` narrows the stop to some; without it all are stopped. */
  state: { stopped: boolean; providers?: readonly string[] | undefined };
  /** Who flips it: a person's or an account's name. */
  by: string;
  /** Default `admin_user`. */
  actorType?: KillSwitchEvent['actorType'] | undefined;
  reason: string;
  record: (event: KillSwitchEvent) => Promise<unknown>;
}): Promise<{ version: number; recorded: boolean }> {
  checkOptions<typeof options>('setKillSwitch', options, {
    documents: withMethods('read', 'write'),
    state: nested<typeof options.state>({ stopped: checkBoolean, providers: optional(checkArray) }),
    by: checkName,
    actorType: checkedElsewhere,
    reason: checkName,
    record: checkFunction,
  });
  const { documents, state, by, reason, actorType = 'admin_user' } = options;
  const payload: JsonObject = {
    stopped: state.stopped,
    ...(state.providers === undefined ? {} : { providers: [...state.providers] }),
    by,
    reason,
  };
  const target = { targetType: 'kill_switch', targetId: killSwitchEntry } as const;
  const event = { action: 'egress.kill_switch.set', actorType, actorId: by, ...target, payload } as const;
  const record = async (resultStatus: KillSwitchEvent['resultStatus']): Promise<unknown> =>
    options.record({ ...event, resultStatus });
  let cause: unknown;
  const answer = await record('success').catch((error: unknown): Degraded => {
    cause = error;
    return { degraded: true };
  });
  const unrecorded = isDegraded(answer) ? answer : undefined;
  try {
    const version = await writeState(documents, payload, (present) => {
      if (unrecorded !== undefined && letsGo(present, state)) throw unrecordedFlip(cause);
    });
    return { version, recorded: unrecorded === undefined };
  } catch (error) {
    if (unrecorded === undefined) await record('failure').catch(() => undefined);
    throw error;
  } finally {
    unrecorded?.logFallback?.();
  }
}

/** Writes over whatever stands there. `check` sees the state that the write replaces, and throws to prevent it. */
async function writeState<Tx>(
  documents: DocumentStore<Tx>,
  value: JsonObject,
  check: (present: KillSwitchState) => void,
): Promise<number> {
  for (let tries = 0; tries < 3; tries++) {
    const present = await documents.read(killSwitchEntry);
    check(readKillSwitchState(present.value));
    const written = await documents.write(killSwitchEntry, present.version, value);
    if (written.outcome === 'written') return written.version;
  }
  throw new CriticizerError('KILL_SWITCH_CONFLICT', 'another operator keeps writing the kill switch', {
    category: 'conflict',
  });
}

function unrecordedFlip(cause: unknown): CriticizerError {
  const says = 'the flip could not be recorded, so requests stay stopped';
  return new CriticizerError('KILL_SWITCH_UNRECORDED', says, { category: 'conflict', cause });
}
