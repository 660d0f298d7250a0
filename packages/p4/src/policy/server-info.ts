import { type Clock, CriticizerError } from '@criticizer/core/ports';
import type { P4Client } from '../client/p4-client.js';
import { fieldText } from '../client/p4-output.js';
import { readRecords } from '../client/read-records.js';
import type { CaseHandling } from './allow-list.js';

/** What `info` says of a server. */
export interface ServerInfo {
  caseHandling: CaseHandling;
  unicode: boolean;
  /** As the server words it; null where it hides it. */
  serverVersion: string | null;
  /** `standard`, `commit-server`, `edge-server`, `replica` or another; null where it hides it. */
  services: string | null;
  /** `none`, or to whom it is given, for how many and until when, as the server words it. */
  licence: string | null;
  /** The server's clock when it answered, to the second; null where it does not say. */
  serverTime: Date | null;
}

const maxAgeMs = 3_600_000;

/** What was asked within the last hour, remembered. */
export interface ServerInfoReader {
  /** Asks where nothing is remembered; a failed question is asked again at the next call. */
  read(signal: AbortSignal): Promise<ServerInfo>;
  /** Null where nothing is remembered. */
  known(): ServerInfo | null;
}

export function createServerInfo(client: P4Client, clock: Clock): ServerInfoReader {
  let cached: { info: ServerInfo; atMs: number } | null = null;
  const known = (): ServerInfo | null =>
    cached !== null && clock.monotonicMs() - cached.atMs < maxAgeMs ? cached.info : null;
  return {
    known,
    async read(signal) {
      const remembered = known();
      if (remembered !== null) return remembered;
      const info = await readServerInfo(client, signal);
      cached = { info, atMs: clock.monotonicMs() };
      return info;
    },
  };
}

/** Asks now. */
export async function readServerInfo(client: P4Client, signal: AbortSignal): Promise<ServerInfo> {
  const [fields] = await readRecords(client, { name: 'info', flags: [], operands: [] }, { signal });
  if (fields === undefined)
    throw new CriticizerError('P4_MALFORMED_OUTPUT', 'The Perforce server answered info with no record.', {
      category: 'upstream',
    });
  const caseHandling = fieldText(fields, 'caseHandling') ?? 'sensitive';
  return {
    // Anything but a plain `insensitive` (there is also `hybrid`) is judged by the narrower rule.
    caseHandling: caseHandling === 'insensitive' ? 'insensitive' : 'sensitive',
    unicode: fieldText(fields, 'unicode') === 'enabled',
    serverVersion: fieldText(fields, 'serverVersion'),
    services: fieldText(fields, 'serverServices'),
    licence: fieldText(fields, 'serverLicense'),
    serverTime: parseServerDate(fieldText(fields, 'serverDate')),
  };
}

/** `2023/11/14 22:13:20 +0000 UTC` */
function parseServerDate(text: string | null): Date | null {
  const parts = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\b/.exec(text ?? '');
  if (parts === null) return null;
  const [, year, month, day, time, hours, minutes] = parts;
  const date = new Date(`${year}-${month}-${day}T${time}${hours}:${minutes}`);
  return Number.isNaN(date.getTime()) ? null : date;
}
