import { z } from 'zod';
import { CriticizerError } from '../foundation/errors.js';
import type { RedactionSession, RuleSet } from '../foundation/redactor.js';
import type { Change, ChangeAction, ChangedFile, FileSkip, Hunk } from './change.js';
import { createPathNames, type PathName } from './path-aliases.js';

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
  addedLines: number;
  removedLines: number;
  /** Redactions in this file and its path, by rule. */
  redactions: Readonly<Record<string, number>>;
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
  visibility: Change['visibility'];
  deniedFiles: number;
  rules: RuleSet;
  /** Redactions in all texts, by rule. */
  redactions: Readonly<Record<string, number>>;
}

const count = z.int().min(0);
const counts = z.record(z.string(), count);
const hunkSchema = z.strictObject({
  oldStart: count,
  oldLines: count,
  newStart: count,
  newLines: count,
  lines: z.array(z.string()),
  oldNoNewline: z.boolean().optional(),
  newNoNewline: z.boolean().optional(),
}) satisfies z.ZodType<Hunk>;

const skips = 'deleted binary symlink generated filtered oversize undecodable unchanged purged budget error'.split(
  ' ',
) as FileSkip[];
const actions = 'add edit delete branch integrate move import purge archive'.split(' ') as ChangeAction[];

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
  addedLines: count,
  removedLines: count,
  redactions: counts,
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
  visibility: z.enum(['complete', 'partial-possible']),
  deniedFiles: count,
  rules: z.strictObject({ version: z.string(), policyHash: z.string() }),
  redactions: counts,
}) satisfies z.ZodType<RedactedChange>;

/**
 * Reads a stored snapshot back. Throws `REDACTED_CHANGE_INVALID` (validation), without quoting it,
 * where it is not one.
 */
export function readRedactedChange(value: unknown): RedactedChange {
  const read = redactedChangeSchema.safeParse(value);
  if (read.success) return read.data;
  const path = read.error.issues[0]?.path.map(String).join('.') ?? '';
  throw new CriticizerError('REDACTED_CHANGE_INVALID', 'A stored redacted change does not have the expected form.', {
    category: 'validation',
    details: { path },
  });
}

type Redactions = Record<string, number>;

function addCounts(total: Redactions, more: Readonly<Record<string, number>>): void {
  for (const [rule, times] of Object.entries(more)) total[rule] = (total[rule] ?? 0) + times;
}

function brokenLines(what: string): CriticizerError {
  return new CriticizerError('REDACTION_BROKEN_LINES', 'Redaction changed the lines of a text; it is not used.', {
    category: 'policy',
    details: { what },
  });
}

/**
 * All hunks' lines as one diff text, so that a secret across lines or hunks is seen whole. Lines
 * and marks stay, or nothing is used.
 */
function redactHunks(file: ChangedFile, session: RedactionSession, redactions: Redactions): readonly Hunk[] {
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  if (lines.length === 0) return file.hunks;
  const { text, counts: found } = session.redact(lines.join('\n'), { path: file.path, diff: true });
  const redacted = text.split('\n');
  const kept =
    redacted.length === lines.length && redacted.every((line, at) => line.charAt(0) === lines[at]?.charAt(0));
  if (!kept) throw brokenLines('diff');
  addCounts(redactions, found);
  let at = 0;
  return file.hunks.map((hunk) => {
    at += hunk.lines.length;
    return { ...hunk, lines: redacted.slice(at - hunk.lines.length, at) };
  });
}

function redactLine(text: string, session: RedactionSession, redactions: Redactions): string {
  const result = session.redact(text);
  if (result.text.split('\n').length !== text.split('\n').length) throw brokenLines('text');
  addCounts(redactions, result.counts);
  return result.text;
}

function redactFile(
  file: ChangedFile,
  session: RedactionSession,
  nameOf: (path: string, redacted: string) => PathName,
): RedactedFile {
  const redactions: Redactions = {};
  const named = (path: string): PathName => nameOf(path, redactLine(path, session, redactions));
  const { name: path, displayPath } = named(file.path);
  const old = file.oldPath === null ? null : named(file.oldPath);
  return {
    path,
    displayPath,
    oldPath: old?.name ?? null,
    displayOldPath: old?.displayPath ?? null,
    action: file.action,
    fileType: file.fileType,
    bytes: file.bytes,
    skipped: file.skipped,
    hunks: redactHunks(file, session, redactions),
    addedLines: file.addedLines,
    removedLines: file.removedLines,
    redactions,
  };
}

/**
 * The redacted snapshot of a change: description, user, jobs, paths and diffs, in one session
 * (RED-1, ruling R15). Mail addresses do not enter it, nor does the digest of the raw contents: who
 * knows all of a file but its password could try passwords on that (RED-8). Throws what the session
 * throws, and `REDACTION_BROKEN_LINES` (policy) where redaction changed a line count or a diff
 * mark; then no text may leave (RED-10).
 */
export function redactChange(change: Change, session: RedactionSession, rules: RuleSet): RedactedChange {
  const redactions: Redactions = {};
  const redact = (text: string): string => redactLine(text, session, redactions);
  const description = redact(change.description);
  const user = redact(change.user);
  const jobs = change.jobs.map(redact);
  const nameOf = createPathNames(change.files, session);
  const files = change.files.map((file) => redactFile(file, session, nameOf));
  for (const file of files) addCounts(redactions, file.redactions);
  const { serverId, number, changelistId, kind, visibility, deniedFiles } = change;
  return {
    format: 1,
    serverId,
    number,
    changelistId,
    kind,
    user,
    description,
    jobs,
    files,
    visibility,
    deniedFiles,
    rules: { version: rules.version, policyHash: rules.policyHash },
    redactions,
  };
}

/** A path that the prompt named by an alias. */
export interface HiddenPath {
  alias: string;
  /** The redacted path. */
  shown: string;
  /** Whose path, by place in the change, and which of its two. */
  file: number;
  side: 'path' | 'oldPath';
}

/** Every alias in the change, with what leads back from it. */
export function hiddenPathsOf(change: RedactedChange): readonly HiddenPath[] {
  return change.files.flatMap(({ path, displayPath, oldPath, displayOldPath }, file) => [
    ...(displayPath === null ? [] : [{ alias: path, shown: displayPath, file, side: 'path' as const }]),
    ...(oldPath === null || displayOldPath === null
      ? []
      : [{ alias: oldPath, shown: displayOldPath, file, side: 'oldPath' as const }]),
  ]);
}
