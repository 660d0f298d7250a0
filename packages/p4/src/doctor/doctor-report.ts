import type { Ticket } from '../client/ticket.js';
import type { ContainmentStatus } from '../containment/containment.js';
import type { CaseHandling } from '../policy/allow-list.js';
import type { AllowListOutcome } from './doctor-allow-list.js';
import type { DoctorFinding, DoctorFindingCode } from './doctor-findings.js';
import type { Seats, ServiceUser } from './doctor-server.js';
import type { Robot } from './find-robots.js';

/** What the doctor looked at. */
export type DoctorCheck = 'containment' | 'connection' | 'clock' | 'ticket' | 'rights' | 'replica' | 'allow-list';

/** What the doctor saw. Facts are null where they could not be had. */
export interface DoctorReport {
  serverId: string;
  port: string;
  user: string;
  /** True without an error; there may be warnings. */
  healthy: boolean;
  /** What is wrong, in the order of the checks. */
  findings: readonly DoctorFinding[];
  /**
   * Checks that were not made, and the finding in their way: they are no problems. The ticket is
   * never shown to a server whose key is not the pinned one.
   */
  notChecked: readonly { check: DoctorCheck; because: DoctorFindingCode }[];
  /** `shown` is the key of a server that could not be trusted: the pin to set, once somebody has compared it. */
  trust: { pinned: string | null; shown: string | null };
  server: {
    version: string | null;
    caseHandling: CaseHandling;
    unicode: boolean;
    /** `standard`, `edge-server`, `replica` and others. */
    services: string | null;
    licence: string | null;
  } | null;
  /** What keeps a server that drives the client from this host's files. Null with a runner, which has its own. */
  containment: ContainmentStatus | null;
  /** Host minus server; the server tells whole seconds. */
  clockSkewMs: number | null;
  ticket: Ticket | null;
  /** The highest right of the user anywhere, as `p4 protects -m` names it. */
  rights: string | null;
  /** Type and limits of the user that the service works as. */
  serviceUser: ServiceUser | null;
  /** Seats of the server's licence, and how many users take one. Null where it names no number. */
  seats: Seats | null;
  /** Time since the newest change that the user sees was submitted, by the server's clock. */
  lastChangeAgeMs: number | null;
  allowList: AllowListOutcome | null;
  /** Users whose changes look like a program's, to be left out by `intake.skipUsers`; null: not looked for. */
  robots: readonly Robot[] | null;
}
