import type { Clock, CursorStore } from '@criticizer/core/ports';
import type { P4ClientOptions } from '../client/p4-client.js';
import { expiresSoon, type Ticket } from '../client/ticket.js';
import { recallTicket } from '../client/ticket-memory.js';
import { codeOf, type DoctorFinding, type DoctorFindingCode, finding } from './doctor-findings.js';

/** What is wrong with a ticket that the server was shown. */
export function ticketFinding(ticket: Ticket, warnBelowMs: number): DoctorFinding | null {
  if (!ticket.accepted) return finding(refusalOf(ticket.code), { code: ticket.code });
  const { remainingMs } = ticket;
  return expiresSoon(remainingMs, warnBelowMs)
    ? finding('ticket.expires_soon', { hours: Math.floor(remainingMs / 3_600_000) })
    : null;
}

interface UnshownTicket {
  serverId: string;
  ticket?: P4ClientOptions['ticket'];
  cursors?: Pick<CursorStore<never>, 'get'> | undefined;
}

/** What can be told of a ticket without showing it to anybody. */
export async function examineUnshownTicket(
  { serverId, ticket, cursors }: UnshownTicket,
  signal: AbortSignal,
  clock: Clock,
): Promise<DoctorFinding | null> {
  if (ticket === undefined) return null;
  const unreadable = await ticket.source.read(ticket.name, { signal }).then(
    () => null,
    (error: unknown) => finding('ticket.unreadable', { code: codeOf(error).code }),
  );
  if (unreadable !== null) return unreadable;
  const remembered = cursors === undefined ? null : await recallTicket(cursors, serverId);
  if (remembered === null) return finding('ticket.unproven');
  const { code, endsAt, seenAt } = remembered;
  const seen = { lastSeen: new Date(seenAt).toISOString() };
  if (code !== null) return finding(refusalOf(code), { code, ...seen });
  const hasEnded = endsAt !== null && endsAt <= clock.nowMs();
  return hasEnded ? finding('ticket.expired', { ended: new Date(endsAt).toISOString(), ...seen }) : null;
}

function refusalOf(code: string): DoctorFindingCode {
  if (code === 'P4_AUTH_EXPIRED') return 'ticket.expired';
  if (code === 'P4_AUTH_NO_SEAT') return 'licence.seat_refused';
  return code.startsWith('SECRET_') ? 'ticket.unreadable' : 'ticket.refused';
}
