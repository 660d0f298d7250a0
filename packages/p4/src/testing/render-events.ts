import { Buffer } from 'node:buffer';
import { marshalRecord } from './marshal-writer.js';
import type { ServerEvent } from './server-events.js';

/** How the client prints what it gets. `tagged` is what it asks of the server, apart from that. */
export type OutputMode = 'plain' | 'marshal' | 'json' | 'script';

/** What a run of the client prints. */
export interface RenderedRun {
  stdout: Buffer[];
  stderr: Buffer[];
  exitCode: number;
}

/** Prints events as the client does in that mode, byte for byte, and finds the exit status: 1 if any message has severity 3 or more. */
export function renderEvents(events: Iterable<ServerEvent>, mode: OutputMode): RenderedRun {
  const run: RenderedRun = { stdout: [], stderr: [], exitCode: 0 };
  for (const event of events) {
    if (event.kind === 'message' && event.severity >= 3) run.exitCode = 1;
    if (event.kind === 'message' && mode === 'plain') run.stderr.push(Buffer.from(`${event.text}\n`));
    else run.stdout.push(renderers[mode](event));
  }
  if (mode === 'script') run.stdout.push(Buffer.from(`exit: ${run.exitCode}\n`));
  return run;
}

const renderers: Readonly<Record<OutputMode, (event: ServerEvent) => Buffer>> = {
  plain(event) {
    if (event.kind === 'stat') return Buffer.from(`${event.fields.map(([key, value]) => `... ${key} ${value}\n`).join('')}\n`);
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
    if (event.kind === 'stat') return jsonLine(Object.fromEntries(event.fields.map(([key, value]) => [key, cutAtNul(String(value))])));
    if (event.kind === 'info') return jsonLine({ data: cutAtNul(event.text), level: event.level });
    if (event.kind !== 'message') return jsonLine({ data: cutAtNul(event.data.toString('utf8')) });
    return jsonLine({ data: `${event.text}\n`, generic: event.generic, severity: event.severity });
  },
  script(event) {
    if (event.kind === 'stat') return Buffer.concat(event.fields.map(([key, value]) => prefixLines('info1: ', `${key} ${value}`)));
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
