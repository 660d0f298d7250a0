import { checkOptions } from '@criticizer/core/internal';
import { type Clock, CriticizerError, systemClock } from '@criticizer/core/ports';
import { unknownScopes } from '../client/list-changes.js';
import { type ContainedP4Client, createP4Client, type P4Client } from '../client/p4-client.js';
import { fieldText } from '../client/p4-output.js';
import { parseP4Port } from '../client/p4-port.js';
import { readRecords } from '../client/read-records.js';
import { defaultWarnBelowMs, readTicket, type Ticket } from '../client/ticket.js';
import type { ContainmentStatus } from '../containment/containment.js';
import { type AllowList, createAllowList } from '../policy/allow-list.js';
import { readServerInfo, type ServerInfo } from '../policy/server-info.js';
import type { WatchedChange } from '../watch/watched-change.js';
import { type AllowListOutcome, describeNewest, judgeChanges } from './doctor-allow-list.js';
import { containmentFinding } from './doctor-containment.js';

import { codeOf, type DoctorFinding, type DoctorFindingCode, finding } from './doctor-findings.js';
import { doctorShape, type P4DoctorOptions } from './doctor-options.js';
import type { DoctorCheck, DoctorReport } from './doctor-report.js';
import {
  lagFinding,
  readSeats,
  readServiceUser,
  type Seats,
  type ServiceUser,
  seatFinding,
  seenFindings,
  serverFindings,
  userFindings,
} from './doctor-server.js';
import { examineUnshownTicket, ticketFinding } from './doctor-ticket.js';
import { findRobots, type Robot, robotsFinding } from './find-robots.js';

/**
 * Looks at everything that reviews of one Perforce server rest on and says what is wrong and what
 * to do. Reads only; raises no security event and writes no log. Never throws for what it finds;
 * rejects with the signal's reason, and with a TypeError for an option that it does not know.
 */
export async function runP4Doctor(options: P4DoctorOptions): Promise<DoctorReport> {
  checkOptions('runP4Doctor', options, doctorShape);
  const examination = new Examination(options);
  await examination.run();
  return examination.report();
}

/**
 * Stands in for a pin that is not set: no key has this fingerprint, so that the server's own is
 * shown and nothing is trusted.
 */
const noPin = Array.from({ length: 20 }, () => '00').join(':');
const beyondRead: ReadonlySet<string> = new Set(['open', 'write', 'review', 'owner', 'admin', 'super']);

class Examination {
  private readonly findings: DoctorFinding[] = [];
  private readonly notChecked: { check: DoctorCheck; because: DoctorFindingCode }[] = [];
  private readonly signal: AbortSignal;
  private readonly clock: Clock;
  private shownKey: string | null = null;
  private server: ServerInfo | null = null;
  private containment: ContainmentStatus | null = null;
  private clockSkewMs: number | null = null;
  private ticket: Ticket | null = null;
  private rights: string | null = null;
  private outcome: AllowListOutcome | null = null;
  private robots: readonly Robot[] | null = null;
  private serviceUser: ServiceUser | null = null;
  private seats: Seats | null = null;
  private lastChangeAgeMs: number | null = null;

  constructor(private readonly options: P4DoctorOptions) {
    this.signal = options.signal ?? new AbortController().signal;
    this.clock = options.clock ?? systemClock;
  }

  async run(): Promise<void> {
    const clients = this.makeClients();
    if (clients !== null) await this.checkContainment(clients.client);
    if (clients === null) this.skip(['connection', 'clock', 'ticket', 'rights'], 'settings.invalid');
    else if (await this.checkConnection(clients.stranger)) await this.checkAsUser(clients.client);
    else {
      const because = this.last();
      this.skip(['clock', 'ticket', 'rights'], because);
      if (because.startsWith('trust.'))
        await this.attempt('ticket', () => examineUnshownTicket(this.options, this.signal, this.clock));
    }
    const list = this.makeAllowList();
    if (list === null) return;
    const inTheWay = this.notChecked.find(({ check }) => check === 'rights')?.because;
    if (clients === null || inTheWay !== undefined) this.skip(['allow-list'], inTheWay ?? 'settings.invalid');
    else await this.attempt('allow-list', () => this.checkAllowList(clients.client, list));
  }

  private async checkAsUser(client: P4Client): Promise<void> {
    if (!(await this.checkTicket(client))) return this.skip(['rights'], this.last());
    await this.attempt('rights', () => this.checkRights(client));
    await this.examineServer(client);
  }

  /** Servers differ in what they tell a user of these: what they do not say is left out of the report. */
  private async examineServer(client: P4Client): Promise<void> {
    const { commitServer, user } = this.options;
    if (this.server !== null) this.findings.push(...serverFindings(this.server, this.clock.nowMs()));
    if (commitServer !== undefined)
      await this.attempt('replica', () => {
        const commit = createP4Client({ ...this.options, ...commitServer, securityEvents: { emit: () => undefined } });
        return lagFinding({ client, commit }, this.signal);
      });
    this.serviceUser = await readServiceUser(client, user, this.signal).catch(() => null);
    this.signal.throwIfAborted();
    if (this.serviceUser !== null) this.findings.push(...userFindings(this.serviceUser));
    this.seats = await readSeats(client, this.server?.licence ?? null, this.signal).catch(() => null);
    this.signal.throwIfAborted();
    const seats = this.seats === null ? null : seatFinding(this.seats);
    if (seats !== null) this.findings.push(seats);
  }

  report(): DoctorReport {
    const { serverId, port, user, trustFingerprint } = this.options;
    const { server, findings, notChecked, containment, clockSkewMs, ticket, rights } = this;
    return {
      serverId,
      port,
      user,
      healthy: findings.every(({ severity }) => severity !== 'error'),
      findings,
      notChecked,
      trust: { pinned: trustFingerprint ?? null, shown: this.shownKey },
      server:
        server === null
          ? null
          : {
              version: server.serverVersion,
              caseHandling: server.caseHandling,
              unicode: server.unicode,
              services: server.services,
              licence: server.licence,
            },
      containment,
      clockSkewMs,
      ticket,
      rights,
      serviceUser: this.serviceUser,
      seats: this.seats,
      lastChangeAgeMs: this.lastChangeAgeMs,
      allowList: this.outcome,
      robots: this.robots,
    };
  }

  /** One that shows the ticket, and one that has none: whether the server answers at all is asked without it. */
  private makeClients(): { client: ContainedP4Client; stranger: P4Client } | null {
    const { port, trustFingerprint, runner } = this.options;
    try {
      const address = parseP4Port(port);
      if (!address.tls && !/^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\]):/.test(address.address))
        this.findings.push(finding('connection.plain'));
      const quiet = { ...this.options, securityEvents: { emit: () => undefined } };
      if (runner !== undefined) {
        const client = createP4Client(quiet); // pin and ticket are the runner's own
        return { client, stranger: client };
      }
      const pin = trustFingerprint ?? (address.tls ? noPin : undefined);
      const options = { ...quiet, trustFingerprint: pin };
      return { client: createP4Client(options), stranger: createP4Client({ ...options, ticket: undefined }) };
    } catch (error) {
      this.findings.push(finding('settings.invalid', { message: messageOf(error) }));
      return null;
    }
  }

  /** Null where it is no list: that is the finding, and no server is needed for it. */
  private makeAllowList(): AllowList | null {
    const { allow } = this.options.allowList;
    try {
      return createAllowList(this.options.allowList);
    } catch (error) {
      const empty = Array.isArray(allow) && allow.length === 0;
      this.findings.push(
        empty ? finding('allow_list.empty') : finding('allow_list.invalid', { message: messageOf(error) }),
      );
      return null;
    }
  }

  /** An executable that cannot be used is found by the connection. */
  private async checkContainment(client: ContainedP4Client): Promise<void> {
    this.containment = await client.containment().catch(() => null);
    this.signal.throwIfAborted();
    const found = this.containment === null ? null : containmentFinding(this.containment);
    if (found !== null) this.findings.push(found);
  }

  private async checkConnection(stranger: P4Client): Promise<boolean> {
    const asked = this.clock.nowMs();
    try {
      this.server = await readServerInfo(stranger, this.signal);
    } catch (error) {
      this.signal.throwIfAborted();
      this.findings.push(this.connectionFinding(error));
      return false;
    }
    const { serverTime } = this.server;
    if (serverTime === null) return true;
    this.clockSkewMs = (asked + this.clock.nowMs()) / 2 - serverTime.getTime();
    const seconds = Math.round(this.clockSkewMs / 1_000);
    if (Math.abs(this.clockSkewMs) > (this.options.clockSkewBudgetMs ?? 60_000))
      this.findings.push(finding('clock.skew', { seconds }));
    return true;
  }

  private connectionFinding(error: unknown): DoctorFinding {
    const { code, details } = codeOf(error);
    if (code === 'P4_CLIENT_TOO_OLD') return finding('client.too_old');
    if (code !== 'P4_TRUST_MISMATCH' && code !== 'P4_TRUST_UNKNOWN') return finding('connection.failed', { code });
    this.shownKey = typeof details['fingerprint'] === 'string' ? details['fingerprint'] : null;
    const shown = { fingerprint: this.shownKey };
    return finding(this.options.trustFingerprint === undefined ? 'trust.pin_missing' : 'trust.mismatch', shown);
  }

  private async checkTicket(client: P4Client): Promise<boolean> {
    const { warnTicketBelowMs = defaultWarnBelowMs } = this.options;
    await this.attempt('ticket', async () => {
      this.ticket = await readTicket(client, this.signal);
      return ticketFinding(this.ticket, warnTicketBelowMs);
    });
    return this.ticket?.accepted === true;
  }

  private async checkRights(client: P4Client): Promise<DoctorFinding | null> {
    try {
      const [fields] = await readRecords(
        client,
        { name: 'protects', flags: ['-m'], operands: [] },
        { signal: this.signal },
      );
      this.rights = fields === undefined ? null : fieldText(fields, 'permMax');
    } catch (error) {
      if (codeOf(error).code === 'P4_PROTECTIONS_EMPTY') return finding('rights.no_protections');
      throw error;
    }
    if (this.rights === null)
      throw new CriticizerError('P4_UNEXPECTED_OUTPUT', 'protects named no right.', { category: 'upstream' });
    if (this.rights === 'none' || this.rights === 'list') return finding('rights.too_narrow', { rights: this.rights });
    return beyondRead.has(this.rights) ? finding('rights.too_wide', { rights: this.rights }) : null;
  }

  private async checkAllowList(client: P4Client, list: AllowList): Promise<DoctorFinding | null> {
    const changes = Math.min(1_000, Math.max(1, this.options.changes ?? 50));
    const allowList = list.forServer(this.server?.caseHandling ?? 'sensitive');
    const rules = await unknownScopes(client, allowList.allow, this.signal);
    if (rules.length > 0) this.findings.push(finding('allow_list.unknown_depot', { rules: [...rules] }));
    const newest = await describeNewest(client, { changes, signal: this.signal });
    await this.examineSeen(newest);
    this.searchRobots(newest);
    this.outcome = judgeChanges(newest, allowList);
    const { judged, inside, mixed, unlisted } = this.outcome;
    if (judged === 0 && unlisted > 0) return finding('allow_list.nothing_visible', { unlisted });
    if (judged > 0 && inside + mixed === 0) return finding('allow_list.matches_nothing', { judged });
    return mixed > 0 ? finding('allow_list.mixed_changes', { judged, mixed }) : null;
  }

  private async examineSeen(newest: readonly WatchedChange[]): Promise<void> {
    const { serverId, cursors, warnQuietAboveMs } = this.options;
    const serverNowMs = this.clock.nowMs() - (this.clockSkewMs ?? 0);
    const seen = await seenFindings(newest, { serverId, cursors, warnQuietAboveMs, serverNowMs });
    this.lastChangeAgeMs = seen.lastChangeAgeMs;
    this.findings.push(...seen.findings);
  }

  private searchRobots(newest: readonly WatchedChange[]): void {
    const { skipUsers = [] } = this.options;
    this.robots = findRobots(newest, skipUsers);
    if (this.robots.length > 0) this.findings.push(robotsFinding(this.robots, skipUsers));
  }

  /** Notes what the check found, or that it could not be made. */
  private async attempt(check: DoctorCheck, work: () => Promise<DoctorFinding | null>): Promise<void> {
    try {
      const found = await work();
      if (found !== null) this.findings.push(found);
    } catch (error) {
      this.signal.throwIfAborted();
      this.findings.push(finding('check.failed', { check, code: codeOf(error).code }));
    }
  }

  private last(): DoctorFindingCode {
    return this.findings.at(-1)?.code ?? 'check.failed';
  }

  private skip(checks: readonly DoctorCheck[], because: DoctorFindingCode): void {
    for (const check of checks) this.notChecked.push({ check, because });
  }
}

/** Of a TypeError of ours: it names options and rules. */
function messageOf(error: unknown): string {
  return error instanceof TypeError ? error.message : codeOf(error).code;
}
