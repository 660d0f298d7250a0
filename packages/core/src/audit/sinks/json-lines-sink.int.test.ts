import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeAuditSinkContract } from '../../testing/ports/audit/audit-sink-contract.js';
import { eventNumber } from '../../testing/ports/audit/audit-sink-scenes.js';
import { createJsonLinesSink } from './json-lines-sink.js';

const made: string[] = [];
afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'crit-lines-'));
  made.push(directory);
  return directory;
}

interface Line {
  id: string;
  idempotency_key: string;
  occurred_at: string;
  action: string;
}

function readLines(directory: string): Line[] {
  const names = readdirSync(directory).sort();
  const texts = names.map((name) => readFileSync(path.join(directory, name), 'utf8'));
  return texts
    .flatMap((text) => text.split('\n').filter((line) => line !== '' && !line.startsWith('{"cut')))
    .map((line) => JSON.parse(line) as Line);
}

async function create() {
  const directory = newDirectory();
  return {
    sink: createJsonLinesSink({ id: 'file', directory }),
    received: async () =>
      readLines(directory).map((line) => ({
        key: line.idempotency_key,
        eventId: line.id,
        occurredAtMs: Date.parse(line.occurred_at),
        action: line.action,
      })),
    play: () => undefined,
    dispose: async () => undefined,
  };
}

const noPeer = 'a file has no far end that answers';
const without = Object.fromEntries(
  ['loses-reply', 'knows-key', 'rate-limits', 'fails', 'refuses-event', 'refuses-in-part', 'denies', 'stalls']
    .concat('answers-in-html')
    .map((scene) => [scene, noPeer]),
);

describe('JSON lines sink', () => {
  describeAuditSinkContract({ describe, it }, { create, without });

  const send = (sink: ReturnType<typeof createJsonLinesSink>, n: number) => {
    const { event, key } = eventNumber(n);
    return sink.send(event, { idempotencyKey: key, signal: new AbortController().signal });
  };

  it('AUD-4: a full file is renamed, nothing of it is lost, and files are private', async () => {
    const directory = newDirectory();
    const sink = createJsonLinesSink({ id: 'file', directory, maxFileBytes: 10_000 });
    for (let n = 0; n < 10; n++) await send(sink, n);
    expect(readdirSync(directory).length).toBeGreaterThan(2);
    expect(new Set(readLines(directory).map(({ id }) => id)).size).toBe(10);
    for (const name of readdirSync(directory)) expect(statSync(path.join(directory, name)).mode & 0o77).toBe(0);
  });

  it('AUD-4: a line that a crash cut is ended, and spoils no other', async () => {
    const directory = newDirectory();
    const file = path.join(directory, 'file.jsonl');
    writeFileSync(file, '{"cut');
    const sink = createJsonLinesSink({ id: 'file', directory });
    await send(sink, 1);
    appendFileSync(file, '{"cut in the middle');
    await send(createJsonLinesSink({ id: 'file', directory }), 2);
    expect(readLines(directory).map(({ id }) => id)).toEqual([eventNumber(1).event.id, eventNumber(2).event.id]);
  });

  it('AUD-4: a directory that cannot be written fails the send, and the test of it', async () => {
    const file = path.join(newDirectory(), 'a-file');
    writeFileSync(file, '');
    const sink = createJsonLinesSink({ id: 'file', directory: path.join(file, 'below') });
    await expect(send(sink, 1)).rejects.toMatchObject({ code: 'ENOTDIR' });
    expect(await sink.testConnection?.({ signal: new AbortController().signal })).toMatchObject({ ok: false });
  });
});
