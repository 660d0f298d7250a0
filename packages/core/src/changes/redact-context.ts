import type { RedactionSession } from '../foundation/redactor.js';
import type { ChangeContext, RedactedContext } from './change-context.js';
import type { PathName } from './path-aliases.js';

/** A file of the context in the redacted change: its name, and its redacted lines. */
interface RedactedContextFile extends PathName {
  lines: readonly string[];
}

/**
 * The pieces of a change's context, redacted in the change's own session: each file as one text, of
 * which lines are taken. What is redacted here is no part of the change, so it counts nowhere. Null
 * where redaction changed the lines of a text: then none of it may be used (RED-10).
 */
export function redactContext(
  { files, pieces }: ChangeContext,
  session: RedactionSession,
  nameOf: (path: string, redacted: string) => PathName,
): readonly RedactedContext[] | null {
  const redacted: RedactedContextFile[] = [];
  for (const { path, text } of files) {
    const lines = session.redact(text, { path }).text.split('\n');
    if (lines.length !== text.split('\n').length) return null;
    redacted.push({ ...nameOf(path, session.redact(path, { path }).text), lines });
  }
  return pieces.flatMap(({ file, startLine, endLine, name, ...piece }) => {
    const { name: path, displayPath, lines } = redacted[file] ?? { name: '', displayPath: null, lines: [] };
    const text = lines.slice(startLine - 1, endLine).join('\n');
    return [{ ...piece, path, displayPath, name: session.redact(name).text, startLine, text }];
  });
}
