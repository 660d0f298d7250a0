import { CriticizerError } from '@criticizer/core/ports';
import { z } from 'zod';

/** Of submitted changes: every one below `next` has been taken in. */
export interface SubmittedCursor {
  next: number;
}

/**
 * Of shelves: the content each was last seen with, by number, in a short form of its digest.
 * Shelves that are gone are forgotten.
 */
export interface ShelvedCursor {
  shelves: Readonly<Record<string, string>>;
}

const submittedSchema = z.object({ next: z.int().min(1) });
const shelvedSchema = z.object({ shelves: z.record(z.string().regex(/^[1-9][0-9]{0,9}$/), z.string()) });

/** The name under which the stores keep a server's cursor of this kind. */
export function buildCursorName(serverId: string, kind: 'submitted' | 'shelved'): string {
  return `p4/${serverId}/${kind}`;
}

/** Reads a stored cursor. Throws `P4_CURSOR_UNREADABLE` for a value of another form: guessing would lose changes. */
export const readSubmittedCursor = (name: string, text: string): SubmittedCursor => read(submittedSchema, name, text);
/** The same for shelves. */
export const readShelvedCursor = (name: string, text: string): ShelvedCursor => read(shelvedSchema, name, text);

function read<T>(schema: z.ZodType<T>, name: string, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    const says = 'The stored cursor of a watcher cannot be read; repair or remove it.';
    throw new CriticizerError('P4_CURSOR_UNREADABLE', says, { category: 'validation', details: { cursor: name } });
  }
}

/** Enough of a digest to tell the contents of one shelf apart, in a row that holds many: 96 bits. */
export function shortDigest(digest: string | null): string {
  return digest === null ? 'unread' : Buffer.from(digest, 'hex').subarray(0, 12).toString('base64url');
}
