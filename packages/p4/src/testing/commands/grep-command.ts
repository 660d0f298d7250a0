import { isGone, type StoredFile } from '../model-store.js';
import { type ServerEvent, serverMessages } from '../server-events.js';
import type { ServerRequest } from '../server-request.js';
import { isBinary } from './print-command.js';

/** `dm.grep.maxrevs` and `dm.grep.maxlinelength` of a server that sets neither. */
const defaultMaxRevisions = 10_000;
const maxLineChars = 4096;

/**
 * `grep [-n -s -i -t -F] -e pattern path[#n|@n]…`: lines of text files that hold the pattern. It
 * refuses to search more revisions than it is set to before it searches any, and abandons a file at
 * a line that is too long, silently with `-s`.
 */
export function* grepCommand(request: ServerRequest): Generator<ServerEvent> {
  const { operands, options, model } = request;
  const pattern = options.get('e');
  if (pattern === undefined) return yield serverMessages.usage(grepUsage);
  const found = operands.map((spec) => searched(request, spec));
  const maxRevisions = model.limits?.maxGrepRevisions ?? defaultMaxRevisions;
  if (found.flat().length > maxRevisions) return yield serverMessages.grepMaxRevisions(maxRevisions);
  const matches = matcher(pattern, options);
  for (const [at, files] of found.entries()) {
    if (files.length === 0) yield serverMessages.noSuchFile(operands[at] ?? '');
    for (const file of files) if (options.has('t') || !isBinary(file)) yield* searchFile(request, file, matches);
  }
}

const grepUsage = 'grep [ -a -i -n -A <num> -B <num> -C <num> -t -s ] [ -v | -l | -L ] [ -F | -G ] -e pattern files...';

function searched({ store, user }: ServerRequest, spec: string): StoredFile[] {
  const path = spec.replace(/[#@].*$/, '');
  return store
    .latest(path, spec.slice(path.length))
    .filter((file) => !isGone(file) && store.access(user, file.path) === 'read');
}

function matcher(pattern: string, options: ReadonlyMap<string, string>): (line: string) => boolean {
  const source = options.has('F') ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
  const expression = new RegExp(source, options.has('i') ? 'i' : '');
  return (line) => expression.test(line);
}

function* searchFile(
  { tagged, options }: ServerRequest,
  file: StoredFile,
  matches: (line: string) => boolean,
): Generator<ServerEvent> {
  const lines = file.content().toString('utf8').split('\n');
  for (const [at, text] of lines.entries()) {
    if (text.length > maxLineChars) {
      if (!options.has('s')) yield serverMessages.grepLineTooLong(file, at + 1, maxLineChars);
      return;
    }
    if ((at === lines.length - 1 && text === '') || !matches(text)) continue;
    yield tagged ? matchFields(file, at + 1, text, options.has('n')) : matchLine(file, at + 1, text, options.has('n'));
  }
}

function matchFields({ path, rev }: StoredFile, line: number, text: string, isNumbered: boolean): ServerEvent {
  const number = isNumbered ? [['line', line] as const] : [];
  const fields = [['depotFile', path] as const, ['rev', rev] as const, ...number];
  return { kind: 'stat', fields: [...fields, ['type', 'match'], ['matchedLine', text]] };
}

function matchLine({ path, rev }: StoredFile, line: number, text: string, isNumbered: boolean): ServerEvent {
  return { kind: 'info', level: 0, text: `${path}#${rev}:${isNumbered ? `${line}:` : ''}${text}` };
}
