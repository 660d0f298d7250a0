import { randomUUID } from 'node:crypto';
import { createPayloadRedactor } from '@criticizer/redact';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTextWork } from '../../../tools/testing/count-text-work.js';
import { createAuditTrail, createMemoryStores, silentLogger, systemRandom } from '../src/doors/audit.js';
import type { JsonObject } from '../src/foundation/json.js';

const redactor = createPayloadRedactor();
const entry = { actorType: 'system', action: 'a.b', resultStatus: 'success' } as const;

/** Records payloads with the redactor of this repository, as a host does. */
function createRecorder() {
  const stores = createMemoryStores();
  const trail = createAuditTrail({
    store: stores.audit,
    redactor,
    destinations: [],
    random: systemRandom,
    logger: silentLogger,
  });
  return async (payload: unknown): Promise<JsonObject> => {
    const recorded = await trail.record({ ...entry, payload });
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome);
    return recorded.event.payload;
  };
}

const metaKeys = [
  'applied',
  'rule_version',
  'bytes_original',
  'bytes_final',
  'dropped_paths',
  'truncated_paths',
  'content_hash_sha256_before',
  'content_hash_sha256_after',
];
const size = (payload: JsonObject): number => Buffer.byteLength(JSON.stringify(payload));

describe('the payload of an audit event', () => {
  it('AUD-11: whatever a host gives is stored with both metas and within 65,536 bytes', async () => {
    const record = createRecorder();
    const cycle: Record<string, unknown> = { name: 'a' };
    cycle['self'] = cycle;
    let deep: unknown = 'end';
    for (let at = 0; at < 10_000; at += 1) deep = at % 2 === 0 ? { deep } : [deep];
    const throwing = {
      get trap(): never {
        throw new RangeError('trap');
      },
      toJSON: undefined,
    };
    const odd: unknown[] = [
      undefined,
      null,
      1n,
      'text',
      [1],
      cycle,
      deep,
      throwing,
      Buffer.alloc(100_000),
      new Map([['k', 'v'.repeat(200_000)]]),
      { toJSON: () => ({ toJSON: () => 'x'.repeat(3_000) }) },
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
      JSON.parse('{"__proto__": {"text": "\\ud800"}, "_truncation_meta": 1, "_redaction_meta": {"a": 1}}'),
      Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`password_${at}`, randomUUID()])),
      Array.from({ length: 300 }, () => 'x'.repeat(60 * 1024)),
    ];
    for (const payload of odd) {
      const stored = await record(payload);
      expect(size(stored)).toBeLessThanOrEqual(65_536);
      expect(Object.keys(stored['_truncation_meta'] as object).sort()).toEqual([...metaKeys].sort());
      expect(stored['_redaction_meta']).toMatchObject({ rule_version: redactor.ruleVersion });
    }
    const given = await record(odd.at(-3));
    expect(given).toMatchObject({ _truncation_meta_given: 1, _redaction_meta_given: { a: 1 } });
  });

  it('AUD-11: a secret is gone before the hash, and the raw size is that of what the host gave', async () => {
    const record = createRecorder();
    const [one, other] = [await record({ password: randomUUID() }), await record({ password: randomUUID() })];
    expect(one['_truncation_meta']).toEqual(other['_truncation_meta']);
    const long = await record({ text: 'x'.repeat(100_000) });
    expect(long['_truncation_meta']).toMatchObject({
      applied: true,
      bytes_original: 100_000 + '{"text":""}'.length,
      truncated_paths: ['$.text'],
    });
  });

  it('AUD-10: any JSON is stored within the cap, and recorded again it loses nothing more', async () => {
    const record = createRecorder();
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), fc.nat(300), async (value, times) => {
        const stored = await record({ value, list: Array.from({ length: times }, () => value) });
        expect(size(stored)).toBeLessThanOrEqual(65_536);
        const { _truncation_meta, _redaction_meta, _audit_meta, ...content } = stored;
        const { _truncation_meta: again, _redaction_meta: redaction, ...second } = await record(content);
        expect([again, second]).toMatchObject([{ applied: false }, content]);
        expect(redaction).toBeDefined();
      }),
      { numRuns: 20 },
    );
  });

  it('AUD-10: the work of a payload of many small texts grows as their number', async () => {
    const record = createRecorder();
    const work = async (count: number): Promise<number> => {
      const payload = Array.from({ length: count }, (_, at) => `text ${at}`);
      return countTextWork(() => record(payload));
    };
    await record(['warm']);
    expect((await work(20_000)) / (await work(5_000))).toBeLessThan(5);
  });
});
