import { raiseSecurityEvent } from '@criticizer/core/internal';
import type { Logger, SecurityEvents } from '@criticizer/core/ports';
import type { ContainedClient, ContainmentHost, Entrance } from './containment-host.js';
import { type Obstacle, obstacleTexts } from './obstacles.js';
import type { RungName } from './rungs.js';
import type { RejectedRung, Selection } from './select-rung.js';
import { containmentUnavailable } from './unavailable.js';

/**
 * `auto`: the strongest rung that the host has; without a full one a security event, once.
 * `required`: nothing runs without a full one. `accept-none`: none is taken, which the log says once.
 */
export type ContainmentMode = 'auto' | 'required' | 'accept-none';

/** What contains the processes of a client. */
export interface ContainmentStatus {
  mode: ContainmentMode;
  rung: RungName | 'none';
  /** `partial`: the client opens no file of the host but learns which paths exist. */
  strength: 'full' | 'partial' | 'none';
  /** What is in the way of a full rung; null where one is in force or none is wanted. */
  obstacle: Obstacle | null;
  /** What to do about it. */
  todo: string | null;
  /** Stronger rungs that the host does not have. */
  rejected: readonly RejectedRung[];
}

/** Receivers of what a containment reports. */
export interface ContainmentObservers {
  securityEvents: SecurityEvents;
  logger: Logger;
}

/** The mode of a client's owner on a host. */
export interface Containment {
  /** Proves the rungs at the first call. Never throws for what it finds, and reports nothing. */
  status(client: ContainedClient): Promise<ContainmentStatus>;
  /**
   * The same, and reports to the observers once. Rejects with `P4_CONTAINMENT_UNAVAILABLE` where
   * the mode is `required` and no full rung is there.
   */
  check(client: ContainedClient): Promise<ContainmentStatus>;
  /**
   * What the next process is started by; null for none. Rejects as `check` does, and where the rung
   * that was chosen cannot be had now.
   */
  enter(client: ContainedClient): Promise<Entrance | null>;
}

/** What was said already, and to whom: the parts of one service share their observer. */
const said = new WeakMap<SecurityEvents, Set<string>>();

/** Reports to each observer once for each client and mode. */
export function createContainment(
  mode: ContainmentMode,
  host: ContainmentHost,
  observers: ContainmentObservers,
): Containment {
  const sayOnce = (status: ContainmentStatus, client: string): void => {
    const key = `${client}\0${mode}`;
    const heard = said.get(observers.securityEvents) ?? new Set();
    said.set(observers.securityEvents, heard);
    if (heard.has(key)) return;
    heard.add(key);
    report(status, observers);
  };
  const status = async (contained: ContainedClient): Promise<ContainmentStatus> =>
    mode === 'accept-none' ? acceptedNone : describe(mode, await host.select(contained));
  const check = async (contained: ContainedClient): Promise<ContainmentStatus> => {
    const found = await status(contained);
    sayOnce(found, contained.client);
    if (mode === 'required' && found.strength !== 'full')
      throw containmentUnavailable(found.todo ?? obstacleTexts.unknown, facts(found));
    return found;
  };
  return {
    status,
    check,
    enter: async (contained) => ((await check(contained)).rung === 'none' ? null : host.enter(contained)),
  };
}

const acceptedNone: ContainmentStatus = {
  mode: 'accept-none',
  rung: 'none',
  strength: 'none',
  obstacle: null,
  todo: null,
  rejected: [],
};

function describe(mode: ContainmentMode, { rung, rejected, obstacle }: Selection): ContainmentStatus {
  const strength = rung === null ? 'none' : rung.kind === 'root' ? 'full' : 'partial';
  const first = strength === 'full' ? null : (obstacle ?? gravestObstacle(rejected));
  return {
    mode,
    rung: rung?.name ?? 'none',
    strength,
    obstacle: first,
    todo: first === null ? null : obstacleTexts[first],
    rejected,
  };
}

/** A kernel's or a distribution's setting explains more than a tool that is not there. */
function gravestObstacle(rejected: readonly RejectedRung[]): Obstacle {
  const full = rejected.filter(({ rung }) => rung !== 'landlock').map(({ obstacle }) => obstacle);
  const vague: readonly Obstacle[] = ['unknown', 'tools-missing', 'tools-too-old'];
  return full.find((obstacle) => !vague.includes(obstacle)) ?? full[0] ?? 'tools-missing';
}

function facts({ rung, strength, obstacle }: ContainmentStatus) {
  return { containment: rung, strength, obstacle };
}

function report(status: ContainmentStatus, observers: ContainmentObservers): void {
  const { logger } = observers;
  if (status.mode === 'accept-none')
    logger.info({ event: 'p4.containment_waived', ...facts(status) }, 'p4 runs without containment, as accepted');
  else if (status.strength === 'full') logger.info({ event: 'p4.contained', ...facts(status) }, 'p4 runs contained');
  else raiseUncontained(status, observers);
}

function raiseUncontained(status: ContainmentStatus, { securityEvents, logger }: ContainmentObservers): void {
  const reason =
    status.strength === 'none'
      ? 'The p4 client runs without containment: a server can list and digest files of this host.'
      : 'The p4 client is contained in part: a server learns which paths of this host exist.';
  raiseSecurityEvent(
    securityEvents,
    { type: 'p4.uncontained', reason: `${reason} ${status.todo ?? ''}`.trim(), details: facts(status) },
    logger,
  );
}
