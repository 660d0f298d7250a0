import { CriticizerError } from '../foundation/errors.js';
import type { RedactionFinding, RedactionSession, RuleSet } from '../foundation/redactor.js';
import type { Change, ChangedFile, Hunk } from './change.js';
import { createPathNames, type PathName } from './path-aliases.js';
import { redactContext } from './redact-context.js';
import type { RedactedChange, RedactedFile, WithheldSecret } from './redacted-change.js';

type Redactions = Record<string, number>;

/** What redaction hid in one file, or in the texts of the change itself. */
interface Withheld {
  redactions: Redactions;
  secrets: WithheldSecret[];
}

/** Places of one file that are kept; `redactions` counts all. */
const MAX_SECRETS = 100;

function addSecrets(
  withheld: Withheld,
  findings: readonly RedactionFinding[],
  lineOf: (line: number) => number | null,
): void {
  for (const { rule, line } of findings)
    if (withheld.secrets.length < MAX_SECRETS) withheld.secrets.push({ rule, line: lineOf(line) });
}

const noLine = (): null => null;

/** For each line of a diff, its line on the new side; null for removed ones. */
function numberLines(hunks: readonly Hunk[]): (number | null)[] {
  return hunks.flatMap(({ newStart, lines }) => {
    let next = newStart;
    return lines.map((line) => (line.startsWith('-') ? null : next++));
  });
}

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
function redactHunks(file: ChangedFile, session: RedactionSession, withheld: Withheld): readonly Hunk[] {
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  if (lines.length === 0) return file.hunks;
  const { text, counts: found, findings } = session.redact(lines.join('\n'), { path: file.path, diff: true });
  const redacted = text.split('\n');
  const kept =
    redacted.length === lines.length && redacted.every((line, at) => line.charAt(0) === lines[at]?.charAt(0));
  if (!kept) throw brokenLines('diff');
  addCounts(withheld.redactions, found);
  const newLines = numberLines(file.hunks);
  addSecrets(withheld, findings, (line) => newLines[line - 1] ?? null);
  let at = 0;
  return file.hunks.map((hunk) => {
    at += hunk.lines.length;
    return { ...hunk, lines: redacted.slice(at - hunk.lines.length, at) };
  });
}

/**
 * The headings of the hunks. A secret in one is counted once a heading, and not where the whole
 * text is there, which holds the same line.
 */
function redactSections(file: ChangedFile, session: RedactionSession, withheld: Withheld): readonly Hunk[] {
  const redacted = new Map<string, string>();
  return file.hunks.map((hunk) => {
    const { section } = hunk;
    if (section === undefined) return hunk;
    const known = redacted.get(section);
    const counted = file.newText === undefined ? withheld : { redactions: {}, secrets: [] };
    const text = known ?? redactLine(section, session, counted, file.path);
    redacted.set(section, text);
    return { ...hunk, section: text };
  });
}

/** The whole new side. Of its redactions those count that stand on lines which no hunk shows. */
function redactNewText(file: ChangedFile, session: RedactionSession, withheld: Withheld): string | undefined {
  const { newText, path, hunks } = file;
  if (newText === undefined) return undefined;
  const { text, findings } = session.redact(newText, { path });
  if (countLines(text) !== countLines(newText)) throw brokenLines('newText');
  const isShown = (line: number): boolean =>
    hunks.some(({ newStart, newLines }) => line >= newStart && line < newStart + newLines);
  const unseen = findings.filter(({ line }) => !isShown(line));
  for (const { rule } of unseen) addCounts(withheld.redactions, { [rule]: 1 });
  addSecrets(withheld, unseen, (line) => line);
  return text;
}

function countLines(text: string): number {
  return text.split('\n').length;
}

function redactLine(text: string, session: RedactionSession, withheld: Withheld, path?: string): string {
  const result = session.redact(text, path === undefined ? undefined : { path });
  if (countLines(result.text) !== countLines(text)) throw brokenLines('text');
  addCounts(withheld.redactions, result.counts);
  addSecrets(withheld, result.findings, noLine);
  return result.text;
}

function listWithheld({ redactions, secrets }: Withheld): Pick<RedactedFile, 'redactions' | 'secrets'> {
  return { redactions, ...(secrets.length === 0 ? {} : { secrets }) };
}

function redactFile(
  file: ChangedFile,
  session: RedactionSession,
  nameOf: (path: string, redacted: string) => PathName,
): RedactedFile {
  const withheld: Withheld = { redactions: {}, secrets: [] };
  const named = (path: string): PathName => nameOf(path, redactLine(path, session, withheld));
  const { name: path, displayPath } = named(file.path);
  const old = file.oldPath === null ? null : named(file.oldPath);
  const shown = { ...file, hunks: redactHunks(file, session, withheld) };
  const hunks = redactSections(shown, session, withheld);
  const newText = redactNewText(file, session, withheld);
  return {
    path,
    displayPath,
    oldPath: old?.name ?? null,
    displayOldPath: old?.displayPath ?? null,
    action: file.action,
    fileType: file.fileType,
    bytes: file.bytes,
    skipped: file.skipped,
    hunks,
    ...(newText === undefined ? {} : { newText }),
    addedLines: file.addedLines,
    removedLines: file.removedLines,
    ...listWithheld(withheld),
  };
}

/**
 * The redacted snapshot of a change: description, user, jobs, paths, diffs with their headings,
 * whole new texts, and what was read beside it, in one session (RED-1, ruling R15). Mail addresses
 * do not enter it, nor does the digest of the raw contents: who knows all of a file but its password
 * could try passwords on that (RED-8). Throws what the session throws, and `REDACTION_BROKEN_LINES`
 * (policy) where redaction changed a line count or a diff mark; then no text may leave (RED-10).
 */
export function redactChange(change: Change, session: RedactionSession, rules: RuleSet): RedactedChange {
  const withheld: Withheld = { redactions: {}, secrets: [] };
  const redact = (text: string): string => redactLine(text, session, withheld);
  const description = redact(change.description);
  const user = redact(change.user);
  const jobs = change.jobs.map(redact);
  const nameOf = createPathNames(
    change.files,
    session,
    change.context?.files.map(({ path }) => path),
  );
  const files = change.files.map((file) => redactFile(file, session, nameOf));
  for (const file of files) addCounts(withheld.redactions, file.redactions);
  const context = change.context === undefined ? [] : redactContext(change.context, session, nameOf);
  if (context === null) throw brokenLines('context');
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
    ...(context.length === 0 ? {} : { context }),
    visibility,
    deniedFiles,
    rules: { version: rules.version, policyHash: rules.policyHash },
    ...listWithheld(withheld),
  };
}
