import { CriticizerError, isCriticizerError } from '../errors.js';
import type { JsonObject, JsonValue } from '../json.js';
import type { RolloutStore } from '../prompt/rollout-store.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import type { Clock } from '../time/clock.js';
import { systemClock } from '../time/system-clock.js';

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
   * Resolves where requests may go to this provider. Rejects with `EGRESS_KILLED`, or with `EGRESS_KILL_SWITCH_UNREADABLE` where the state cannot be
   * known; both park, so no attempt is spent (EGR-4).
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
 * The switch that stops new requests to model providers in every process within 5 seconds (EGR-4): the state is a shared entry, and what a
 * process remembers of it is at most `cacheMs` old, counted from before the read. Default 2,000, at most 4,000. Throws `TypeError` above.
 */
export function createKillSwitch<Tx>(options: {
  rollout: RolloutStore<Tx>;
  cacheMs?: number | undefined;
  securityEvents?: SecurityEvents | undefined;
  clock?: Pick<Clock, 'monotonicMs'> | undefined;
}): KillSwitch {
  const cacheMs = options.cacheMs ?? 2_000;
  if (!Number.isSafeInteger(cacheMs) || cacheMs < 0 || cacheMs > 4_000)
    throw new TypeError('createKillSwitch: cacheMs expects a whole number from 0 to 4000');
  const clock = options.clock ?? systemClock;
  let known: { state: KillSwitchState; revision: number; asOf: number } | undefined;
  let reading: Promise<KillSwitchState> | undefined;
  let announcedRevision = -1;

  const readNow = async (): Promise<KillSwitchState> => {
    const asOf = clock.monotonicMs();
    const entry = await options.rollout.read(killSwitchEntry);
    known = { state: readKillSwitchState(entry.value), revision: entry.revision, asOf };
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
        throw new CriticizerError('EGRESS_KILL_SWITCH_UNREADABLE', 'the kill switch cannot be read, so nothing is sent', {
          category: isCriticizerError(error) ? error.category : 'network',
          parks: true,
          cause: error,
        });
      }
      if (!state.stopped || (state.providers !== null && !state.providers.includes(provider))) return;
      // Once per flip and process, not once per job.
      if (known !== undefined && known.revision !== announcedRevision) {
        announcedRevision = known.revision;
        const details = { provider, revision: known.revision };
        raiseSecurityEvent(options.securityEvents, { type: 'egress.killed', reason: 'the egress kill switch is on', details });
      }
      throw new CriticizerError('EGRESS_KILLED', 'requests to model providers are stopped', {
        category: 'policy',
        parks: true,
        details: { provider },
      });
    },
  };
}

/**
 * Flips the switch. `record` writes the audit row in the same breath and comes first: a flip that cannot be recorded is still made where it stops
 * requests, and refused where it lets them go again (EGR-4). Resolves with the new revision; rejects with `KILL_SWITCH_CONFLICT` when another operator wins three times.
 */
export async function setKillSwitch<Tx>(options: {
  rollout: RolloutStore<Tx>;
  state: { stopped: boolean; providers?: readonly string[] | undefined };
  by: string;
  reason: string;
  record: (event: { action: 'egress.kill_switch.set'; actorId: string; payload: JsonObject }) => Promise<unknown>;
}): Promise<{ revision: number; recorded: boolean }> {
  const { rollout, state, by, reason } = options;
  if (by.trim() === '' || reason.trim() === '') throw new TypeError('setKillSwitch: by and reason expect text');
  const value: JsonObject = {
    stopped: state.stopped,
    ...(state.providers === undefined ? {} : { providers: [...state.providers] }),
    by,
    reason,
  };
  const recorded = await options.record({ action: 'egress.kill_switch.set', actorId: by, payload: value }).then(
    () => true,
    (error: unknown) => {
      if (!state.stopped) throw error;
      return false;
    },
  );
  for (let tries = 0; tries < 3; tries++) {
    const { revision } = await rollout.read(killSwitchEntry);
    const written = await rollout.write(killSwitchEntry, revision, value);
    if (written.outcome === 'written') return { revision: written.revision, recorded };
  }
  throw new CriticizerError('KILL_SWITCH_CONFLICT', 'another operator keeps writing the kill switch', { category: 'conflict' });
}
