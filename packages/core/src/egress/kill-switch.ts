import { type ActorName, actorTypes } from '../foundation/actor.js';
import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { CriticizerError, isCriticizerError } from '../foundation/errors.js';
import { isJsonObject, type JsonValue } from '../foundation/json.js';
import { checkedElsewhere, optional, withMethods } from '../foundation/option-checks.js';
import { createCachedRead } from '../foundation/time/cached-read.js';
import type { Clock } from '../foundation/time/clock.js';
import { systemClock } from '../foundation/time/system-clock.js';
import type { DocumentStore } from '../stores/document-store.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';

/** Name of the document in `stores.documents`. */
export const killSwitchDocument = 'egress.kill-switch';

/** What the document holds. `providers` narrows the stop to some destinations; absent, all stop. */
export interface KillSwitchState {
  stopped: boolean;
  providers: readonly string[] | null;
  /** Who set it last, and why, in the operator's words. Null: never set. */
  actor: ActorName | null;
  reason: string | null;
  /**
   * Since when what an earlier write stopped has been stopped, by destination, `everything` for all:
   * ISO 8601. What has no entry was stopped by the last write.
   */
  since: Readonly<Record<string, string>>;
}

/** The name of a stop of all destinations in `KillSwitchState.since`; no destination has it. */
export const everything = '*';

/** Answers whether bytes may leave now. */
export interface KillSwitch {
  /**
   * Resolves where bytes may go to this destination: a provider's id, or `mail:smtp` for a mailer.
   * Rejects with `EGRESS_KILLED`, or with `EGRESS_KILL_SWITCH_UNREADABLE` where the state cannot be
   * known; both park, so no attempt is spent (EGR-4).
   */
  check(destination: string): Promise<void>;
}

const open: KillSwitchState = { stopped: false, providers: null, actor: null, reason: null, since: {} };
/** A value that cannot be read stops everything. */
const unreadable: KillSwitchState = { ...open, stopped: true };

function readActor(value: JsonValue | undefined): ActorName | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const { type, id } = value;
  const known = actorTypes.find((name) => name === type);
  return known === undefined || typeof id !== 'string' ? null : { type: known, id };
}

/** What is no instant is left out: it says only since when. */
function readSince(value: JsonValue | undefined): KillSwitchState['since'] {
  if (value === undefined || !isJsonObject(value)) return {};
  const isInstant = (entry: [string, JsonValue]): entry is [string, string] =>
    typeof entry[1] === 'string' && !Number.isNaN(Date.parse(entry[1]));
  return Object.fromEntries(Object.entries(value).filter(isInstant));
}

/** Reads the document's value; null is open, anything malformed is stopped. */
export function readKillSwitchState(value: JsonValue): KillSwitchState {
  if (value === null) return open;
  if (!isJsonObject(value) || typeof value['stopped'] !== 'boolean') return unreadable;
  const { providers, actor, reason } = value;
  const narrowed = providers !== undefined && providers !== null;
  if (narrowed && (!Array.isArray(providers) || providers.some((name) => typeof name !== 'string'))) return unreadable;
  return {
    stopped: value['stopped'],
    providers: narrowed && Array.isArray(providers) ? providers.map(String) : null,
    actor: readActor(actor),
    reason: typeof reason === 'string' ? reason : null,
    since: readSince(value['since']),
  };
}

/** Where the switch lies, and how long a process may remember it. */
export interface KillSwitchOptions<Tx> {
  /** `Stores.documents`. */
  documents: DocumentStore<Tx>;
  cacheMs?: number | undefined;
  securityEvents?: SecurityEvents | undefined;
  clock?: Pick<Clock, 'monotonicMs'> | undefined;
}

const switchShape: OptionShape<KillSwitchOptions<unknown>> = {
  documents: withMethods('read'),
  cacheMs: checkedElsewhere,
  securityEvents: checkedElsewhere,
  clock: optional(withMethods('monotonicMs')),
};

/**
 * The switch that stops whatever would leave, to models or by mail, in every process within
 * 5 seconds (EGR-4): the state is a shared entry, and what a process remembers of it is at most `cacheMs` old, counted
 * from before the read. Default 2,000, at most 4,000. Throws `TypeError` above.
 */
export function createKillSwitch<Tx>(options: KillSwitchOptions<Tx>): KillSwitch {
  checkOptions('createKillSwitch', options, switchShape);
  const cacheMs = options.cacheMs ?? 2_000;
  if (!Number.isSafeInteger(cacheMs) || cacheMs < 0 || cacheMs > 4_000)
    throw new TypeError('createKillSwitch: cacheMs expects a whole number from 0 to 4000');
  const clock = options.clock ?? systemClock;
  let announcedVersion = -1;
  const readEntry = createCachedRead(
    async () => {
      const { value, version } = await options.documents.read(killSwitchDocument);
      return { state: readKillSwitchState(value), version };
    },
    { cacheMs, clock },
  );

  return {
    async check(destination) {
      let entry: Awaited<ReturnType<typeof readEntry>>;
      try {
        entry = await readEntry();
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
      const { state, version } = entry;
      if (!state.stopped || (state.providers !== null && !state.providers.includes(destination))) return;
      // Once per flip and process, not once per job.
      if (version !== announcedVersion) {
        announcedVersion = version;
        const details = { destination, version };
        raiseSecurityEvent(options.securityEvents, {
          type: 'egress.killed',
          reason: 'the egress kill switch is on',
          details,
        });
      }
      throw new CriticizerError('EGRESS_KILLED', 'the egress kill switch is on, so nothing is sent', {
        category: 'policy',
        parks: true,
        details: { destination },
      });
    },
  };
}
