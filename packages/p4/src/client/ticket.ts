import { isCriticizerError } from '@criticizer/core/ports';
import type { P4Client } from './p4-client.js';
import { fieldNumber } from './p4-output.js';
import { readRecords } from './read-records.js';

/** What the server says of the ticket. */
export type Ticket =
  /** Milliseconds it is still good for; null where the server names no end. */
  | { accepted: true; remainingMs: number | null }
  /** The code of the refusal: `P4_AUTH_EXPIRED`, `SECRET_MISSING`, … */
  | { accepted: false; code: string };

/** Below this a ticket expires soon, where nothing else is asked for. */
export const defaultWarnBelowMs = 12 * 3_600_000;

export function expiresSoon(remainingMs: number | null, belowMs: number): remainingMs is number {
  return remainingMs !== null && remainingMs < belowMs;
}

/**
 * Asks by `login -s`. A refusal is an answer; any other failure, such as a server out of reach, is
 * thrown: it says nothing of the ticket.
 */
export async function readTicket(client: P4Client, signal: AbortSignal): Promise<Ticket> {
  try {
    const records = await readRecords(client, { name: 'login', flags: ['-s'], operands: [] }, { signal });
    const fields = records.at(-1);
    const remainingS = fields === undefined ? null : fieldNumber(fields, 'TicketExpiration');
    return { accepted: true, remainingMs: remainingS === null ? null : remainingS * 1_000 };
  } catch (error) {
    if (isCriticizerError(error) && error.category === 'auth') return { accepted: false, code: error.code };
    throw error;
  }
}
