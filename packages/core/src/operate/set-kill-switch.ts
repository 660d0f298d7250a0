import type { AuditRecorded, AuditTrail } from '../audit/audit-trail.js';
import { type KillSwitchState, killSwitchDocument, readKillSwitchState } from '../egress/kill-switch.js';
import { keepSince } from '../egress/standing-stops.js';
import { nameActor } from '../foundation/actor.js';
import { CriticizerError } from '../foundation/errors.js';
import type { JsonObject } from '../foundation/json.js';
import { checkArray, checkBoolean, optional } from '../foundation/option-checks.js';
import { checkText } from '../foundation/store-input.js';
import type { Stores } from '../stores/stores.js';
import { checkRequest, type Operated, type Operation, type OperatorRequest, performOperation } from './operation.js';

/** What to stop, or that everything may go again. */
export interface SetKillSwitch extends OperatorRequest {
  stopped: boolean;
  /**
   * Stops these destinations in addition to those stopped already: a stop never releases one.
   * Left out, all are stopped. A release is of all and takes no names.
   */
  providers?: readonly string[] | undefined;
}

/** What the switch stops now: everything, or the destinations named; none after a release. */
export type StoppedNow = 'all' | readonly string[];

/** What the verb needs of its parts. */
export interface KillSwitchParts<Tx> {
  stores: Pick<Stores<Tx>, 'storeId' | 'transaction' | 'documents'>;
  audit: AuditTrail<Tx>;
}

/** Tries against other operators who write at the same time. */
const maxTries = 3;

/** What is stopped after the request: a stop adds to what is stopped, a release ends all of it. */
function addStop(now: KillSwitchState, { stopped, providers }: SetKillSwitch): StoppedNow {
  if (!stopped) return [];
  if (providers === undefined) return 'all';
  if (!now.stopped) return [...new Set(providers)];
  if (now.providers === null) return 'all';
  return [...new Set([...now.providers, ...providers])];
}

/** Throws `TypeError` for a list without a name, or with one that is none, and for a release with names. */
function checkProviders({ stopped, providers }: SetKillSwitch): void {
  if (providers === undefined) return;
  if (!stopped) throw new TypeError('setKillSwitch: providers: expected none for a release, which is of everything');
  if (providers.length === 0) throw new TypeError('setKillSwitch: providers: expected one name or more');
  for (const name of providers) checkText('setKillSwitch: providers', name, 200);
}

/** The same trail, which throws `KILL_SWITCH_UNRECORDED` where an event was not stored. */
function strict<Tx>(audit: AuditTrail<Tx>): AuditTrail<Tx> {
  const refuse = (cause: unknown): CriticizerError =>
    new CriticizerError('KILL_SWITCH_UNRECORDED', 'the flip could not be recorded, so requests stay stopped', {
      category: 'conflict',
      cause,
    });
  return {
    storeId: audit.storeId,
    async record(entry, options) {
      const recorded = await audit.record(entry, options).catch((error: unknown) => {
        throw refuse(error);
      });
      if (!recorded.degraded) return recorded;
      recorded.logFallback();
      throw refuse(undefined);
    },
  };
}

/** The same trail, which degrades where the event could not be stored: a stop waits for no record. */
function lenient<Tx>(audit: AuditTrail<Tx>): AuditTrail<Tx> {
  const lost: AuditRecorded = {
    outcome: 'degraded',
    degraded: true,
    fingerprint: '',
    errorCode: 'UNEXPECTED',
    logFallback: () => undefined,
  };
  return {
    storeId: audit.storeId,
    record: async (entry, options) => {
      try {
        return await audit.record(entry, options);
      } catch {
        return lost;
      }
    },
  };
}

/**
 * Sets the kill switch, in every process within 5 seconds (EGR-4). A flip that cannot be recorded is
 * still made where it only stops requests, with `audit: 'degraded'`; where it would let a provider
 * go again it rejects with `KILL_SWITCH_UNRECORDED`. Rejects with `KILL_SWITCH_CONFLICT` when other
 * operators win three times, and with the store's error. Throws `TypeError` for a request that is none.
 */
export async function setKillSwitch<Tx>(
  parts: KillSwitchParts<Tx>,
  request: SetKillSwitch,
): Promise<Operated<'set'> & { version: number; stops: StoppedNow }> {
  checkRequest<SetKillSwitch>('setKillSwitch', request, { stopped: checkBoolean, providers: optional(checkArray) });
  checkProviders(request);
  const { stopped, actor, reason } = request;
  const { documents } = parts.stores;
  for (let tries = 0; tries < maxTries; tries++) {
    const present = await documents.read(killSwitchDocument);
    const now = readKillSwitchState(present.value);
    const releases = now.stopped && !stopped;
    const stops = addStop(now, request);
    const state: JsonObject = { stopped, ...(stops === 'all' || !stopped ? {} : { providers: [...stops] }) };
    const since = stopped ? keepSince(present, stops === 'all' ? null : stops) : {};
    const known: JsonObject = Object.keys(since).length === 0 ? {} : { since };
    const value: JsonObject = { ...state, ...known, actor: { ...nameActor(actor) }, reason };
    const write = (tx?: Tx) => documents.write(killSwitchDocument, present.version, value, { tx });
    const operation: Operation<Tx, Awaited<ReturnType<typeof write>>> = {
      action: 'egress.kill_switch.set',
      targetType: 'kill_switch',
      targetId: killSwitchDocument,
      payload: state,
      actor,
      reason,
      change: write,
      hasChanged: ({ outcome }) => outcome === 'written',
    };
    const audit = releases ? strict(parts.audit) : lenient(parts.audit);
    const done = await performOperation({ stores: parts.stores, audit }, operation).catch(async (error: unknown) => {
      // A record that ruined the common transaction must not keep requests going: the stop is written alone.
      if (releases) throw error;
      return { outcome: await write(), audit: 'degraded' as const };
    });
    if (done.outcome.outcome === 'written')
      return { outcome: 'set', audit: done.audit, version: done.outcome.version, stops };
  }
  throw new CriticizerError('KILL_SWITCH_CONFLICT', 'other operators keep writing the kill switch', {
    category: 'conflict',
  });
}
