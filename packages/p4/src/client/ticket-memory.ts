import type { CursorStore } from '@criticizer/core/ports';
import { z } from 'zod';
import type { Ticket } from './ticket.js';

/** What the server last said of the ticket, for a look that may not show it the ticket again. */
export interface RememberedTicket {
  /** Milliseconds since the epoch. */
  seenAt: number;
  /** Of the refusal; null where it was accepted. */
  code: string | null;
  /** When an accepted ticket ends; null where the server named no end. */
  endsAt: number | null;
}

const rememberedSchema = z.object({ seenAt: z.number(), code: z.string().nullable(), endsAt: z.number().nullable() });

const nameOf = (serverId: string): string => `p4/${serverId}/ticket`;

/** Of several that look at once, one is remembered. */
export async function rememberTicket(
  cursors: CursorStore<never>,
  serverId: string,
  ticket: Ticket,
  nowMs: number,
): Promise<void> {
  const { code, endsAt } = ticket.accepted
    ? { code: null, endsAt: ticket.remainingMs === null ? null : nowMs + ticket.remainingMs }
    : { code: ticket.code, endsAt: null };
  const remembered: RememberedTicket = { seenAt: nowMs, code, endsAt };
  await cursors.advance(nameOf(serverId), await cursors.get(nameOf(serverId)), JSON.stringify(remembered));
}

/** Null where nothing is remembered that can be read. */
export async function recallTicket(
  cursors: Pick<CursorStore<never>, 'get'>,
  serverId: string,
): Promise<RememberedTicket | null> {
  const text = await cursors.get(nameOf(serverId));
  try {
    return text === null ? null : rememberedSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
