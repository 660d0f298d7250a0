import { Buffer } from 'node:buffer';
import { marshalRecord } from './marshal-writer.js';
import { type ServerEvent, serverMessages } from './server-events.js';

/** How the client prints what it gets. `tagged` is what it asks of the server, apart from that. */
export type OutputMode = 'plain' | 'marshal' | 'json' | 'script';

/** A piece of what a run of the client prints. */
export interface OutputChunk {
  to: 'stdout' | 'stderr';
  bytes: Buffer;
}

/** What a run prints, piece by piece; in the end its exit status. */
export type ClientOutput = Generator<OutputChunk, number>;

/**
 * Prints events as the client does in that mode, byte for byte. The status is 1 if any message has
 * severity 3 or more.
 */
export function* renderEvents(events: Iterable<ServerEvent>, mode: OutputMode): ClientOutput {
  let exitCode = 0;
  let emptyRecords = 0;
  for (const event of events) {
    const shown = event.kind === 'dropped' ? serverMessages.dropped() : event;
    if (shown.kind === 'message' && shown.severity >= 3) exitCode = 1;
    const to = shown.kind === 'message' && mode === 'plain' ? 'stderr' : 'stdout';
    if (shown.kind === 'raw') yield { to, bytes: shown.data };
    else if (mode === 'json' && shown.kind === 'stat' && shown.fields.length === 0) {
      // The client's JSON library has made no object yet when the first record is empty.
      yield { to, bytes: Buffer.from(emptyRecords === 0 ? 'null\n' : '{}\n') };
      emptyRecords += 1;
    } else yield { to, bytes: renderers[mode](shown) };
    if (event.kind === 'dropped') yield { to: 'stderr', bytes: clientError([serverMessages.dropped().text]) };
  }
  if (mode === 'script') yield { to: 'stdout', bytes: Buffer.from(`exit: ${exitCode}\n`) };
  return exitCode;
}

/** What the client says of its own failures, in every mode. */
export function clientError(lines: readonly string[]): Buffer {
  return Buffer.from(`Perforce client error:\n${lines.map((line) => `\t${line}\n`).join('')}`);
}

type Rendered = Exclude<ServerEvent, { kind: 'raw' | 'dropped' }>;

const renderers: Readonly<Record<OutputMode, (event: Rendered) => Buffer>> = {
  plain(event) {
    if (event.kind === 'stat')
      return Buffer.from(`${event.fields.map(([key, value]) => `... ${key} ${value}\n`).join('')}\n`);
    if (event.kind === 'info') return Buffer.from(`${'... '.repeat(event.level)}${event.text}\n`);
    return event.kind === 'message' ? Buffer.from(`${event.text}\n`) : event.data;
  },
  marshal(event) {
    if (event.kind === 'stat')
      return marshalRecord([['code', 'stat'], ...event.fields.map(([key, value]) => [key, String(value)] as const)]);
    if (event.kind === 'info')
      return marshalRecord([
        ['code', 'info'],
        ['level', event.level],
        ['data', event.text],
      ]);
    if (event.kind !== 'message')
      return marshalRecord([
        ['code', event.kind],
        ['data', event.data],
      ]);
    const { text, severity, generic } = event;
    return marshalRecord([
      ['code', 'error'],
      ['data', `${text}\n`],
      ['severity', severity],
      ['generic', generic],
    ]);
  },
  json(event) {
    if (event.kind === 'stat')
      return jsonLine(Object.fromEntries(event.fields.map(([key, value]) => [key, cutAtNul(String(value))])));
    if (event.kind === 'info') return jsonLine({ data: cutAtNul(event.text), level: event.level });
    if (event.kind !== 'message') return jsonLine({ data: cutAtNul(event.data.toString('utf8')) });
    return jsonLine({ data: `${event.text}\n`, generic: event.generic, severity: event.severity });
  },
  script(event) {
    if (event.kind === 'stat')
      return Buffer.concat(event.fields.map(([key, value]) => prefixLines('info1: ', `${key} ${value}`)));
    if (event.kind === 'info') return prefixLines(event.level === 0 ? 'info: ' : `info${event.level}: `, event.text);
    if (event.kind === 'message') return prefixLines(event.severity >= 3 ? 'error: ' : 'warning: ', event.text);
    return event.kind === 'text' ? prefixLines('text: ', event.data.toString('utf8')) : event.data;
  },
};

/** The client's JSON has its keys sorted. */
function jsonLine(object: Record<string, string | number>): Buffer {
  const sorted = Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(`${JSON.stringify(Object.fromEntries(sorted))}\n`);
}

function cutAtNul(text: string): string {
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

function prefixLines(prefix: string, text: string): Buffer {
  if (text === '') return Buffer.alloc(0);
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  return Buffer.from(lines.map((line) => `${prefix}${line}\n`).join(''));
}
