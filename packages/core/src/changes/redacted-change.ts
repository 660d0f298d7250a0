import { z } from 'zod';
import { CriticizerError } from '../foundation/errors.js';
import type { RuleSet, SecretKind } from '../foundation/redactor.js';
import { readStoredForm, type StoredForm } from '../foundation/stored-form.js';
import type { Change, ChangeAction, FileSkip, Hunk } from './change.js';
import { type RedactedContext, redactedContextSchema } from './change-context.js';

/**
 * Which text a hidden value is in. On a line of a file, by what the change does to the line: it
 * adds it, leaves it as it is, or removes it.
 */
export const secretPlacements = [
  ...(['added', 'unchanged', 'removed', 'heading', 'path', 'oldPath'] as const),
  ...(['description', 'user', 'job'] as const),
] as const;
/** One of `secretPlacements`. */
export type SecretPlacement = (typeof secretPlacements)[number];

/** Where redaction hid something, and by which rule; never what it was, nor a digest of it. */
export interface WithheldSecret {
  rule: string;
  /** Line of the new side; null for one on a removed line, in a path or in a heading. */
  line: number | null;
  /** Where it is. Left out: not known, in a snapshot that an earlier version stored. */
  where?: SecretPlacement | undefined;
  /** Line of the old side, for one on a removed line. */
  oldLine?: number | undefined;
  /** How sure the redactor is. Left out: not known. */
  confidence?: 'high' | 'low' | undefined;
  /** What the value is. Left out: `credential`. */
  kind?: SecretKind | undefined;
}

/** One file of a redacted change, in the raw change's order. */
export interface RedactedFile {
  /** The name the prompt uses: the depot path, or an alias where the path itself may not be shown (ruling R15). */
  path: string;
  /** The redacted path, where `path` is an alias. */
  displayPath: string | null;
  /** Where a move or branch came from, named likewise. */
  oldPath: string | null;
  displayOldPath: string | null;
  action: ChangeAction;
  fileType: string;
  bytes: number | null;
  skipped: FileSkip | null;
  /** Same hunks, same line counts, same marks as in the raw change. */
  hunks: readonly Hunk[];
  /** The whole new side, with as many lines as in the raw change. */
  newText?: string | undefined;
  addedLines: number;
  removedLines: number;
  /** Redactions in this file and its path, by rule; each place once, be it in a hunk and in `newText`. */
  redactions: Readonly<Record<string, number>>;
  /** The places of these redactions, each once. Left out: none. */
  secrets?: readonly WithheldSecret[] | undefined;
}

/**
 * A change as the model may see it: the redacted snapshot. Plain JSON. Everything free in it went
 * through one redaction session.
 */
export interface RedactedChange {
  format: 1;
  serverId: string;
  number: number;
  changelistId: string;
  kind: Change['kind'];
  user: string;
  description: string;
  jobs: readonly string[];
  files: readonly RedactedFile[];
  /** What was read as context of the change, by `ContextReader` (GRD-4). Left out: nothing. */
  context?: readonly RedactedContext[] | undefined;
  visibility: Change['visibility'];
  deniedFiles: number;
  rules: RuleSet;
  /** Redactions in all texts, by rule. */
  redactions: Readonly<Record<string, number>>;
  /** Redactions in the description, the user and the jobs. Left out: none. */
  secrets?: readonly WithheldSecret[] | undefined;
}

const count = z.int().min(0);
const counts = z.record(z.string(), count);
const hunkSchema = z.strictObject({
  oldStart: count,
  oldLines: count,
  newStart: count,
  newLines: count,
  lines: z.array(z.string()),
  section: z.string().optional(),
  oldNoNewline: z.boolean().optional(),
  newNoNewline: z.boolean().optional(),
}) satisfies z.ZodType<Hunk>;

const skips =
  'deleted binary symlink generated filtered unscanned oversize undecodable unchanged integrated purged unavailable damaged bad_path budget error'.split(
    ' ',
  ) as FileSkip[];
const actions = 'add edit delete branch integrate move import purge archive'.split(' ') as ChangeAction[];

/** A withheld secret at rest; the fields of `WithheldSecret`. */
export const secretFields = {
  rule: z.string(),
  line: count.nullable(),
  where: z.enum(secretPlacements).optional(),
  oldLine: count.optional(),
  confidence: z.enum(['high', 'low']).optional(),
  kind: z.enum(['private-key', 'cloud-key', 'credential', 'private-data']).optional(),
};

const secretSchema = z.strictObject(secretFields) satisfies z.ZodType<WithheldSecret>;

const fileSchema = z.strictObject({
  path: z.string().min(1),
  displayPath: z.string().nullable(),
  oldPath: z.string().nullable(),
  displayOldPath: z.string().nullable(),
  action: z.enum(actions),
  fileType: z.string(),
  bytes: count.nullable(),
  skipped: z.enum(skips).nullable(),
  hunks: z.array(hunkSchema),
  newText: z.string().optional(),
  addedLines: count,
  removedLines: count,
  redactions: counts,
  secrets: z.array(secretSchema).optional(),
}) satisfies z.ZodType<RedactedFile>;

/** The stored form, exactly. */
export const redactedChangeSchema = z.strictObject({
  format: z.literal(1),
  serverId: z.string(),
  number: count,
  changelistId: z.string(),
  kind: z.enum(['submitted', 'pending', 'shelved']),
  user: z.string(),
  description: z.string(),
  jobs: z.array(z.string()),
  files: z.array(fileSchema),
  context: z.array(redactedContextSchema).optional(),
  visibility: z.enum(['complete', 'partial-possible']),
  deniedFiles: count,
  rules: z.strictObject({ version: z.string(), policyHash: z.string() }),
  redactions: counts,
  secrets: z.array(secretSchema).optional(),
}) satisfies z.ZodType<RedactedChange>;

const redactedChangeForm: StoredForm<RedactedChange> = {
  name: 'redacted change',
  formats: { 1: redactedChangeSchema },
  invalid: (path) =>
    new CriticizerError('REDACTED_CHANGE_INVALID', 'A stored redacted change does not have the expected form.', {
      category: 'validation',
      details: { path },
    }),
};

/**
 * Reads a stored snapshot back. Throws `STORED_FORMAT_UNKNOWN` or `REDACTED_CHANGE_INVALID`
 * (validation), without quoting it, where it is not one.
 */
export function readRedactedChange(value: unknown): RedactedChange {
  return readStoredForm(value, redactedChangeForm);
}

/** A path that the prompt named by an alias. */
export interface HiddenPath {
  alias: string;
  /** The redacted path. */
  shown: string;
  /** Whose path, by place in the change, and which of its two. Pieces of its context come after its files. */
  file: number;
  side: 'path' | 'oldPath';
}

/** Every alias in the change, with what leads back from it. */
export function hiddenPathsOf(change: RedactedChange): readonly HiddenPath[] {
  const { files, context = [] } = change;
  const ofFiles = files.flatMap(({ path, displayPath, oldPath, displayOldPath }, file) => [
    ...(displayPath === null ? [] : [{ alias: path, shown: displayPath, file, side: 'path' as const }]),
    ...(oldPath === null || displayOldPath === null
      ? []
      : [{ alias: oldPath, shown: displayOldPath, file, side: 'oldPath' as const }]),
  ]);
  const ofContext = context.flatMap(({ path, displayPath }, at) =>
    displayPath === null ? [] : [{ alias: path, shown: displayPath, file: files.length + at, side: 'path' as const }],
  );
  return [...ofFiles, ...ofContext];
}
