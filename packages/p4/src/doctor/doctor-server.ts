// What kind of server it is, what it lets its user do at once, and how far behind it and the watcher are.
import type { CursorStore } from '@criticizer/core/ports';
import { newestSubmitted } from '../client/list-changes.js';
import type { P4Client } from '../client/p4-client.js';
import { fieldText } from '../client/p4-output.js';
import { readRecords } from '../client/read-records.js';
import { defaultMaxChangeFiles } from '../fetch/fetcher-options.js';
import type { ServerInfo } from '../policy/server-info.js';
import { buildCursorName, readSubmittedCursor } from '../watch/watch-cursor.js';
import type { WatchedChange } from '../watch/watched-change.js';
import { type DoctorFinding, finding } from './doctor-findings.js';

/** What the server says of the service user. Parts are null where it does not say. */
export interface ServiceUser {
  /** `standard`, `service` or `operator`; only a standard user, who takes a seat of the licence, may read files. */
  type: string | null;
  /** Whether it takes a seat of the licence; null where the server does not list it. */
  hasSeat: boolean | null;
  /** The highest limits among the user's groups; null: none is set, or it is unlimited. */
  maxResults: number | null;
  maxScanRows: number | null;
}

/** Seats of the licence, and users of type standard; at most one more than the seats is counted. */
export interface Seats {
  limit: number;
  taken: number;
}

const dayMs = 86_400_000;
const warnLicenceBelowMs = 14 * dayMs;
/** As many files as the change fetcher takes by default: a lower limit skips changes for their size. */
const wantedRows = defaultMaxChangeFiles + 1;
/** A change that a poll should have taken in by then. */
const seenWithinMs = 600_000;

/** What `info` says that bears on reviews. */
export function serverFindings({ services, licence }: ServerInfo, nowMs: number): DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  if (services === 'edge-server' || services === 'commit-server')
    findings.push(finding('server.unpromoted_shelves', { services }));
  const [, year, month, day] = /\(expires (\d{4})\/(\d\d)\/(\d\d)\)/.exec(licence ?? '') ?? [];
  const leftMs = Date.parse(`${year}-${month}-${day}T00:00:00Z`) - nowMs;
  if (leftMs < warnLicenceBelowMs)
    findings.push(finding('licence.expires_soon', { days: Math.max(0, Math.floor(leftMs / dayMs)) }));
  return findings;
}

/** Asks for the user's type and limits. Rejects with what `P4Client.run` rejects with. */
export async function readServiceUser(client: P4Client, user: string, signal: AbortSignal): Promise<ServiceUser> {
  const onWarning = (_message: unknown, error: { code: string }): boolean => error.code === 'P4_USER_NOT_FOUND';
  // Without `-a` a server lists neither service nor operator users.
  const users = await readRecords(client, { name: 'users', flags: ['-a'], operands: [user] }, { signal, onWarning });
  const own = users.find((fields) => fieldText(fields, 'User')?.toLowerCase() === user.toLowerCase());
  const groups = await readRecords(
    client,
    { name: 'groups', flags: ['-i', '-v'], operands: [user] },
    { signal, onWarning },
  );
  const highest = (key: string): number | null => {
    const texts = groups.map((fields) => fieldText(fields, key) ?? '');
    const numbers = texts.filter((text) => /^[1-9][0-9]*$/.test(text)).map(Number);
    return numbers.length === 0 || texts.some((text) => text === '-1' || text === 'unlimited')
      ? null
      : Math.max(...numbers);
  };
  const type = own === undefined ? null : fieldText(own, 'Type');
  return {
    type,
    hasSeat: type === null ? null : type === 'standard',
    maxResults: highest('maxResults'),
    maxScanRows: highest('maxScanRows'),
  };
}

/**
 * The seats of the licence, and how many of them users take: its text names the first, and whoever
 * may list users can count the second. Null where the text names none or the server does not list so
 * many; `p4 license -u`, which knows both, needs the right `admin`. Rejects as `P4Client.run` does.
 */
export async function readSeats(client: P4Client, licence: string | null, signal: AbortSignal): Promise<Seats | null> {
  const limit = Number(/\b([1-9][0-9]{0,4}) users\b/.exec(licence ?? '')?.[1] ?? 0);
  if (limit === 0) return null;
  let taken = 0;
  const counted = { name: 'users' as const, flags: ['-m', String(limit + 1)], operands: [] };
  await client.run(counted, {
    signal,
    onOutput(output) {
      if (output.kind === 'stat') taken += 1;
    },
  });
  return { limit, taken };
}

/** Every user of type standard takes a seat, whether it is ever used or not. */
export function seatFinding({ limit, taken }: Seats): DoctorFinding | null {
  return taken < limit ? null : finding('licence.seats_taken', { seats: limit, users: taken });
}

/** What is wrong with the user. */
export function userFindings({ type, maxResults, maxScanRows }: ServiceUser): DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  if (type !== null && type !== 'standard') findings.push(finding('user.no_seat', { type }));
  if (Math.min(maxResults ?? wantedRows, maxScanRows ?? wantedRows) < wantedRows)
    findings.push(finding('limits.low', { maxResults, maxScanRows }));
  return findings;
}

/** How many submitted changes the commit server has that this server does not show yet. */
export async function lagFinding(
  { client, commit }: { client: P4Client; commit: P4Client },
  signal: AbortSignal,
): Promise<DoctorFinding | null> {
  // The commit server first: what is submitted in between does not count.
  const there = await newestSubmitted(commit, signal);
  const here = await newestSubmitted(client, signal);
  return here < there ? finding('server.replica_lags', { newestThere: there, newestHere: here }) : null;
}

/** The newest change, and what of the changes the watcher has not taken in though it had the time. */
export async function seenFindings(
  newest: readonly WatchedChange[],
  more: {
    serverId: string;
    cursors: Pick<CursorStore<never>, 'get'> | undefined;
    warnQuietAboveMs: number | undefined;
    serverNowMs: number;
  },
): Promise<{ lastChangeAgeMs: number | null; findings: DoctorFinding[] }> {
  const { serverId, cursors, warnQuietAboveMs, serverNowMs } = more;
  const ages = newest.flatMap(({ number, changedAt }) =>
    changedAt === null ? [] : [{ number, ageMs: Math.max(0, serverNowMs - changedAt.getTime()) }],
  );
  const lastChangeAgeMs = ages.length === 0 ? null : Math.min(...ages.map(({ ageMs }) => ageMs));
  const findings: DoctorFinding[] = [];
  if (lastChangeAgeMs !== null && warnQuietAboveMs !== undefined && lastChangeAgeMs > warnQuietAboveMs)
    findings.push(finding('changes.quiet', { hours: Math.floor(lastChangeAgeMs / 3_600_000) }));
  const name = buildCursorName(serverId, 'submitted');
  const cursor = (await cursors?.get(name)) ?? null;
  if (cursor === null) return { lastChangeAgeMs, findings };
  const { next } = readSubmittedCursor(name, cursor);
  const missed = ages.filter(({ number, ageMs }) => number >= next && ageMs > seenWithinMs);
  if (missed.length > 0) {
    const minutes = Math.floor(Math.max(...missed.map(({ ageMs }) => ageMs)) / 60_000);
    findings.push(finding('watch.behind', { changes: missed.length, minutes }));
  }
  return { lastChangeAgeMs, findings };
}
