import { CriticizerError } from '../foundation/errors.js';
import type { RedactionFinding, RedactionSession, RuleSet } from '../foundation/redactor.js';
import type { Change, ChangedFile, Hunk } from './change.js';
import { createPathNames, type PathName } from './path-aliases.js';
import { redactContext } from './redact-context.js';
import type { RedactedChange, RedactedFile, SecretPlacement } from './redacted-change.js';
import {
  addCounts,
  addSecret,
  createWithheld,
  type DiffLine,
  listWithheld,
  numberLines,
  placeOnLines,
  spanOf,
  type Withheld,
} from './withheld-secrets.js';

function brokenLines(what: string): CriticizerError {
  return new CriticizerError('REDACTION_BROKEN_LINES', 'Redaction changed the lines of a text; it is not used.', {
    category: 'policy',
    details: { what },
  });
}

/** The hunks of a file, and the lines of its new side that they show. */
interface ShownLines {
  hunks: readonly Hunk[];
  /** By number on the new side. */
  byLine: ReadonlyMap<number, DiffLine>;
  /** Those in which the redaction of the hunks hid something. */
  redacted: ReadonlySet<number>;
}

/**
 * All hunks' lines as one diff text, so that a secret across lines or hunks is seen whole. Lines
 * and marks stay, or nothing is used.
 */
function redactHunks(file: ChangedFile, session: RedactionSession, withheld: Withheld): ShownLines {
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  if (lines.length === 0) return { hunks: file.hunks, byLine: new Map(), redacted: new Set() };
  const raw = lines.join('\n');
  const { text, counts: found, findings } = session.redact(raw, { path: file.path, diff: true });
  const redacted = text.split('\n');
  const kept =
    redacted.length === lines.length && redacted.every((line, at) => line.charAt(0) === lines[at]?.charAt(0));
  if (!kept) throw brokenLines('diff');
  addCounts(withheld.redactions, found);
  const numbered = numberLines(file.hunks);
  const spans = findings.map((finding) => {
    const { first, last } = spanOf(raw, finding);
    const spanned = numbered.slice(first - 1, last);
    addSecret(withheld, finding, placeOnLines(spanned));
    return spanned;
  });
  let at = 0;
  const hunks = file.hunks.map((hunk) => {
    at += hunk.lines.length;
    return { ...hunk, lines: redacted.slice(at - hunk.lines.length, at) };
  });
  const byLine = new Map(numbered.flatMap((line) => (line.newLine === null ? [] : [[line.newLine, line] as const])));
  return { hunks, byLine, redacted: new Set(spans.flat().flatMap(({ newLine }) => newLine ?? [])) };
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
    const counted = file.newText === undefined ? withheld : createWithheld();
    const text = known ?? redactLine(section, session, { withheld: counted, where: 'heading', path: file.path });
    redacted.set(section, text);
    return { ...hunk, section: text };
  });
}

/**
 * The whole new side. Of its redactions those count that the hunks' own did not find. Where the
 * whole text gives away a secret that its hunk does not, the hunk gets the line of the whole text.
 */
function redactNewText(
  file: ChangedFile,
  shown: ShownLines,
  session: RedactionSession,
  withheld: Withheld,
): Pick<RedactedFile, 'hunks' | 'newText'> {
  const { newText: raw, path } = file;
  if (raw === undefined) return { hunks: shown.hunks };
  const { text, findings } = session.redact(raw, { path });
  if (countLines(text) !== countLines(raw)) throw brokenLines('newText');
  const spans = findings.map((finding) => ({ finding, lines: linesOf(raw, finding) }));
  for (const { finding, lines } of spans) {
    if (lines.some((line) => shown.redacted.has(line))) continue;
    addCounts(withheld.redactions, { [finding.rule]: 1 });
    const seen = lines.flatMap((line) => shown.byLine.get(line) ?? []);
    const place = placeOnLines(seen);
    addSecret(withheld, finding, place.where === 'added' ? place : { line: finding.line, where: 'unchanged' });
  }
  const hidden = new Set(spans.flatMap(({ lines }) => lines).filter((line) => shown.byLine.has(line)));
  return { hunks: takeLines(shown.hunks, hidden, text, (line) => session.redact(line, { path }).text), newText: text };
}

function linesOf(text: string, finding: RedactionFinding): number[] {
  const { first, last } = spanOf(text, finding);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/** The hunks with the lines `numbers` of the new side as the redacted whole text has them. */
function takeLines(
  hunks: readonly Hunk[],
  numbers: ReadonlySet<number>,
  newText: string,
  redact: (line: string) => string,
): readonly Hunk[] {
  if (numbers.size === 0) return hunks;
  const whole = newText.split('\n');
  const numbered = numberLines(hunks);
  let at = 0;
  return hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => {
      const { mark, newLine } = numbered[at++] as DiffLine;
      const known = newLine === null || !numbers.has(newLine) ? undefined : whole[newLine - 1];
      if (known === undefined) return line;
      const end = line.endsWith('\r') ? '\r' : '';
      const own = `${mark}${known.replace(/\r$/, '')}${end}`;
      if (own === line) return line;
      const again = `${mark}${redact(own.slice(1))}`;
      if (again.includes('\n')) throw brokenLines('newText');
      return again;
    }),
  }));
}

function countLines(text: string): number {
  return text.split('\n').length;
}

/** Which text a line is, and what it counts for. */
interface LineText {
  withheld: Withheld;
  where: SecretPlacement;
  path?: string | undefined;
}

function redactLine(text: string, session: RedactionSession, { withheld, where, path }: LineText): string {
  const result = session.redact(text, path === undefined ? undefined : { path });
  if (countLines(result.text) !== countLines(text)) throw brokenLines('text');
  addCounts(withheld.redactions, result.counts);
  for (const finding of result.findings) addSecret(withheld, finding, { line: null, where });
  return result.text;
}

function redactFile(
  file: ChangedFile,
  session: RedactionSession,
  nameOf: (path: string, redacted: string) => PathName,
): RedactedFile {
  const withheld = createWithheld();
  const named = (path: string, where: SecretPlacement): PathName =>
    nameOf(path, redactLine(path, session, { withheld, where }));
  const { name: path, displayPath } = named(file.path, 'path');
  const old = file.oldPath === null ? null : named(file.oldPath, 'oldPath');
  const shown = redactHunks(file, session, withheld);
  const { hunks: bodies, newText } = redactNewText(file, shown, session, withheld);
  const hunks = redactSections({ ...file, hunks: bodies }, session, withheld);
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
 * whole new texts, and its context, in one session (RED-1, ruling R15). Mail addresses
 * do not enter it, nor does the digest of the raw contents: who knows all of a file but its password
 * could try passwords on that (RED-8). Throws what the session throws, and `REDACTION_BROKEN_LINES`
 * (policy) where redaction changed a line count or a diff mark; then no text may leave (RED-10).
 */
export function redactChange(change: Change, session: RedactionSession, rules: RuleSet): RedactedChange {
  const withheld = createWithheld();
  const redact = (text: string, where: SecretPlacement): string => redactLine(text, session, { withheld, where });
  const description = redact(change.description, 'description');
  const user = redact(change.user, 'user');
  const jobs = change.jobs.map((job) => redact(job, 'job'));
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
