import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuditSealer, exportAuditTrail, readCheckpoint, verifyAuditTrail } from '../src/doors/audit-delivery.js';
import { createMemoryStores } from '../src/index.js';
import { createMemoryTelemetry } from '../src/telemetry/memory-telemetry.js';
import { keySource } from '../src/testing/stores/audit/audit-sealing-cases.js';
import { newAuditEvent } from '../src/testing/stores/sample-rows.js';

/** What the script gives; it has no types of its own. */
interface Verified {
  isIntact: boolean;
  seals: number;
  events: number;
  unsealed: number;
  findings: { kind: string; sealSeq: number | null; leafIndex: number | null; eventId: string | null }[];
}
const script = '../bin/verify-audit-export.mjs';
const { verifyExport } = (await import(script)) as {
  verifyExport(file: string, given: { keys: string[]; checkpoint?: string }): Promise<Verified>;
};

const folder = mkdtempSync(join(tmpdir(), 'sealed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const checkpointFile = join(folder, 'kept', 'checkpoint.jsonl');
const keyFile = join(folder, 'public.pem');

/** Seven events in three batches, and one that waits. */
async function sealedStores() {
  const stores = createMemoryStores();
  const { source, publicKeys } = keySource();
  const events: { events: unknown[] } = { events: [] };
  const telemetry = createMemoryTelemetry();
  const sealer = createAuditSealer({
    stores,
    key: { source, name: 'seal' },
    checkpointFile,
    batchSize: 3,
    telemetry,
    securityEvents: { emit: (event) => void events.events.push(event) },
  });
  for (let n = 0; n < 5; n++) await stores.audit.record(newAuditEvent({ sourceIp: '192.0.2.1', userAgent: 'ua' }), []);
  await sealer.runDue();
  await stores.audit.record(newAuditEvent({ httpStatus: 200, payload: { b: [1, 'é'], a: null } }), []);
  await sealer.runDue();
  await stores.audit.record(newAuditEvent(), []);
  writeFileSync(keyFile, publicKeys[0] ?? '');
  const lines: string[] = [];
  for await (const line of exportAuditTrail(stores)) lines.push(line);
  return { stores, source, publicKeys, lines, telemetry, raised: events.events };
}

const sealed = await sealedStores();
const { lines } = sealed;
let files = 0;

async function verifyLines(given: readonly string[], checkpoint?: string): Promise<Verified> {
  const file = join(folder, `export-${files++}.jsonl`);
  writeFileSync(file, given.join(''));
  return verifyExport(file, { keys: [keyFile], ...(checkpoint === undefined ? {} : { checkpoint }) });
}

type Line = { type: string; event?: Record<string, unknown> | null } & Record<string, unknown>;
const parse = (line: string): Line => JSON.parse(line) as Line;
const leafLines = [...lines.keys()].filter((at) => parse(lines[at] ?? '').type === 'leaf');
const other = (value: unknown): unknown => (typeof value === 'number' ? value + 1 : `${String(value)}x`);

describe('export of a sealed trail', () => {
  it('AUD-1: the script and the library find a trail as it was sealed intact, and count what waits', async () => {
    const byScript = await verifyLines(lines, checkpointFile);
    expect(byScript).toMatchObject({ isIntact: true, seals: 3, events: 8, unsealed: 1, findings: [] });
    const { stores, publicKeys } = sealed;
    const checkpoint = readCheckpoint(checkpointFile);
    const byLibrary = await verifyAuditTrail({ stores, publicKeys, checkpoint });
    expect(byLibrary).toMatchObject({ isIntact: true, seals: 3, events: 8, checkpointSeq: 3, unsealed: { count: 1 } });
    const measured = sealed.telemetry.measurements.filter(({ name }) => name === 'criticizer.audit.sealed');
    expect(measured.map(({ value }) => value)).toEqual([3, 3, 2]);
  });

  it('AUD-1: the script finds an edit of any column of any event, leaf and seal', async () => {
    for (const [at, text] of lines.entries()) {
      const line = parse(text);
      if (line.type === 'trail' || line.type === 'end' || line.type === 'unsealed') continue;
      const { event, type, ...own } = line;
      const edited: Line[] = [
        ...Object.keys(own).map((column) => ({ ...line, [column]: other(line[column]) })),
        ...Object.keys(event ?? {}).map((column) => ({
          ...line,
          event: { ...event, [column]: other(event?.[column]) },
        })),
      ];
      for (const edit of edited) {
        const { findings } = await verifyLines(lines.with(at, `${JSON.stringify(edit)}\n`));
        expect(findings.length, JSON.stringify(edit)).toBeGreaterThan(0);
        if (type === 'leaf') expect(findings[0]?.sealSeq, JSON.stringify(edit)).toBe(edit['seal_seq']);
      }
    }
  });

  it('AUD-1: the script finds what is deleted, inserted, swapped and cut, and names the first row', async () => {
    const places = fc.uniqueArray(fc.constantFrom(...leafLines), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(places, async ([one = 0, two = 0]) => {
        const leaf = parse(lines[one] ?? '');
        const kinds = async (given: readonly string[]) => (await verifyLines(given)).findings.map(({ kind }) => kind);
        expect(await kinds(lines.toSpliced(one, 1))).toContain('batch-changed');
        expect(await kinds(lines.toSpliced(two, 0, lines[one] ?? ''))).toContain('batch-changed');
        expect(await kinds(lines.with(one, lines[two] ?? '').with(two, lines[one] ?? ''))).toContain('batch-changed');
        const gone = await verifyLines(lines.with(one, `${JSON.stringify({ ...leaf, event: null })}\n`));
        const place = { sealSeq: leaf['seal_seq'], leafIndex: leaf['leaf_index'], eventId: leaf['event_id'] };
        expect(gone.findings).toEqual([{ kind: 'event-missing', ...place }]);
        const swapped = { ...leaf, event: parse(lines[two] ?? '').event };
        const [first] = (await verifyLines(lines.with(one, `${JSON.stringify(swapped)}\n`))).findings;
        expect(first).toEqual({ kind: 'event-edited', ...place });
      }),
      { numRuns: 2 },
    );
    const lastSeal = lines.findLastIndex((line) => parse(line).type === 'seal');
    const end = `${JSON.stringify({ type: 'end', seals: 2, leaves: 6, unsealed: 0 })}\n`;
    const cut = [...lines.slice(0, lastSeal), end];
    expect((await verifyLines(cut)).isIntact).toBe(true); // nothing in the export tells
    expect((await verifyLines(cut, checkpointFile)).findings).toMatchObject([{ kind: 'trail-cut', sealSeq: 3 }]);
    expect((await verifyLines(lines.slice(0, -1))).findings).toMatchObject([{ kind: 'export-damaged' }]);
  });

  it('AUD-1: a checkpoint that lacks seals gets them, and a cut line spoils no other', async () => {
    const { stores, source } = sealed;
    const kept = readFileSync(checkpointFile, 'utf8');
    const file = join(folder, 'late.jsonl');
    writeFileSync(file, `${kept.split('\n')[0]}\n{"seq":2,"cou`);
    await createAuditSealer({ stores, key: { source, name: 'seal' }, checkpointFile: file }).runDue();
    const skipped: number[] = [];
    const found: number[] = [];
    for await (const { seq } of readCheckpoint(file, (line) => skipped.push(line))) found.push(seq);
    expect([found, skipped]).toEqual([[1, 2, 3, 4], [2]]);
  });

  it('AUD-1: a stop lets the batch under way end with its line in the checkpoint, and begins no other', async () => {
    const stores = createMemoryStores();
    for (let n = 0; n < 4; n++) await stores.audit.record(newAuditEvent(), []);
    const file = join(folder, 'stopped.jsonl');
    const stopping = new AbortController();
    const sealer = createAuditSealer({
      stores: {
        ...stores,
        async transaction<T>(work: Parameters<typeof stores.transaction<T>>[0]): Promise<T> {
          const result = await stores.transaction(work);
          stopping.abort();
          return result;
        },
      },
      key: { source: keySource().source, name: 'seal' },
      checkpointFile: file,
      batchSize: 2,
      signal: stopping.signal,
    });
    await expect(sealer.runDue()).resolves.toEqual({ seals: 1, events: 2 });
    const kept: number[] = [];
    for await (const { seq } of readCheckpoint(file)) kept.push(seq);
    expect(kept).toEqual([1]);
  });

  it('AUD-1: a sealer whose store was cut or replaced seals nothing and raises a security event', async () => {
    const raised: unknown[] = [];
    const { source } = keySource();
    const stores = createMemoryStores();
    await stores.audit.record(newAuditEvent(), []);
    const securityEvents = { emit: (event: unknown) => void raised.push(event) };
    const replaced = createAuditSealer({ stores, key: { source, name: 'seal' }, checkpointFile, securityEvents });
    await expect(replaced.runDue()).rejects.toMatchObject({ code: 'AUDIT_SEAL_MISMATCH', details: { seq: 3 } });
    expect(await stores.auditSeals.head()).toBeNull();
    expect(raised).toMatchObject([{ type: 'audit.seal_mismatch' }]);
  });

  it('AUD-1: a key that is no Ed25519 key is refused, and a private key is no public one', async () => {
    const stores = createMemoryStores();
    const noKey = {
      contract: 1,
      read: async () => ({ current: { secret: new (await import('../src/index.js')).Secret('x'), version: '1' } }),
    } as const;
    await expect(createAuditSealer({ stores, key: { source: noKey, name: 'seal' } }).runDue()).rejects.toMatchObject({
      code: 'KEY_INVALID',
    });
    await expect(verifyAuditTrail({ stores, publicKeys: ['x'] })).rejects.toThrow(TypeError);
    await expect(verifyAuditTrail({ stores, publicKeys: [] })).rejects.toThrow(TypeError);
  });
});
