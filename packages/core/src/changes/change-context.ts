import { z } from 'zod';

/** What a piece of context is to the change: a definition of what it uses, or a user of what it changes. */
export type ContextKind = 'definition' | 'user';

/** Which hunks a piece explains: places in the change, and in that file's hunks, ascending. */
export type ContextTarget = { file: number; hunks: readonly number[] };

/** Lines of one file outside the change, and what they explain. */
export interface ContextPiece {
  /** Place in `ChangeContext.files`. */
  file: number;
  kind: ContextKind;
  /** The symbol, key or file name that led here, as the code writes it. */
  name: string;
  /** `signature` and `body` are those of a definition; `lines` surround a use. */
  form: 'signature' | 'body' | 'lines';
  /** 1-based, both ends included. */
  startLine: number;
  endLine: number;
  of: readonly ContextTarget[];
}

/**
 * What was read as context of a change, raw. Files are whole, so that redaction sees a secret that begins
 * outside the lines that are shown.
 */
export interface ChangeContext {
  files: readonly { path: string; text: string }[];
  pieces: readonly ContextPiece[];
}

/** A piece of context as the model may see it (GRD-4). */
export interface RedactedContext {
  /** The name the prompt uses: the depot path, or an alias where the path itself may not be shown (ruling R15). */
  path: string;
  /** The redacted path, where `path` is an alias. */
  displayPath: string | null;
  kind: ContextKind;
  name: string;
  form: ContextPiece['form'];
  /** Line of the file where `text` begins, 1-based. */
  startLine: number;
  /** Whole lines without a line break at the end, redacted in the change's own session. */
  text: string;
  of: readonly ContextTarget[];
}

const count = z.int().min(0);

/** The stored form of one piece. */
export const redactedContextSchema = z.strictObject({
  path: z.string(),
  displayPath: z.string().nullable(),
  kind: z.enum(['definition', 'user']),
  name: z.string(),
  form: z.enum(['signature', 'body', 'lines']),
  startLine: z.int().min(1),
  text: z.string(),
  of: z.array(z.strictObject({ file: count, hunks: z.array(count) })),
}) satisfies z.ZodType<RedactedContext>;

/**
 * Pieces of which some are withheld. A withheld piece keeps its place and nothing else: it names no
 * path, holds no text and explains no hunk.
 */
export function withholdContext(
  pieces: readonly RedactedContext[],
  isWithheld: (place: number) => boolean,
): readonly RedactedContext[] {
  return pieces.map((piece, place) =>
    isWithheld(place) ? { ...piece, path: '', displayPath: null, name: '', text: '', of: [] } : piece,
  );
}
