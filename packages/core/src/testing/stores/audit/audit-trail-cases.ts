import assert from 'node:assert/strict';
import { type AuditEntry, toAuditEvent } from '../../../audit/audit-entry.js';
import { type AuditTrail, createAuditTrail } from '../../../audit/audit-trail.js';
import type { JsonValue } from '../../../foundation/json.js';
import type { PayloadRedactor } from '../../../foundation/redactor.js';
import { systemRandom } from '../../../foundation/time/system-random.js';
import { canonicalAddress } from '../../../stores/source-ip.js';
import type { Stores } from '../../../stores/stores.js';
import { silentLogger } from '../../../telemetry/logger.js';
import { newAuditEvent, newJob, one } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

/** Gives back what it gets: what surrounds redaction is tested here. */
const passThrough: PayloadRedactor = {
  ruleVersion: '1',
  redact: (value) => ({
    value: value as JsonValue,
    meta: { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] },
  }),
};

function trailOn<Tx>(stores: Stores<Tx>): AuditTrail<Tx> {
  return createAuditTrail({
    store: stores.audit,
    redactor: passThrough,
    destinations: ['siem'],
    random: systemRandom,
    logger: silentLogger,
  });
}

const entry: AuditEntry = {
  actorType: 'admin_user',
  actorId: 'ada',
  action: 'admin.user.update',
  resultStatus: 'success',
};
const nul = String.fromCharCode(0);
const half = String.fromCharCode(0xd800);
const hostile = `a${nul}b${half}c`;
const long = '\u{1F600}'.repeat(3000);

/** Entries as hosts pass them at run time, whatever the types say. */
const hostileEntries: readonly Record<string, unknown>[] = [
  { payload: { text: hostile, [hostile]: [hostile, { deep: hostile }] } },
  { payload: hostile },
  { payload: [hostile, Number.NaN, undefined, () => 1, 10n] },
  { payload: JSON.parse('{"__proto__": {"text": "\\ud800"}}') },
  { payload: { _audit_meta: hostile, text: hostile } },
  { payload: Buffer.from('bytes') },
  { payload: { text: 'x'.repeat(200_000) } },
  ...['actorId', 'tenantId', 'traceId', 'requestId', 'targetType', 'targetId', 'userAgent'].flatMap((column) => [
    { [column]: hostile },
    { [column]: long },
    { [column]: 7 },
    { [column]: { id: hostile } },
    { [column]: '' },
    { [column]: null },
  ]),
  ...[Number.NaN, 2 ** 40, '200', 204.5, null].map((httpStatus) => ({ httpStatus })),
  ...[
    'a, b',
    '192.0.2.7, 198.51.100.1',
    '192.0.2.7:80',
    '[::1]:443',
    'unknown',
    '',
    'fe80::1%eth0',
    hostile,
    long,
    7,
    null,
  ].map((sourceIp) => ({ sourceIp })),
];

/** All addresses whose groups are zero or not, in each way. */
const ipv6Addresses = Array.from({ length: 256 }, (_, bits) =>
  Array.from({ length: 8 }, (_, group) => ((bits >> group) & 1 ? 'a1b2' : '0')).join(':'),
);

/** What an audit trail on any store promises (AUD-2, AUD-3). */
export function auditTrailCases<Tx>(it: ContractCase<Tx>): void {
  it('AUD-3: whatever an entry holds at run time is stored, and read back as it was stored', async ({ stores }) => {
    const trail = trailOn(stores);
    await stores.transaction(async (tx) => {
      for (const [at, over] of hostileEntries.entries()) {
        const answer = await trail.record({ ...entry, ...over } as AuditEntry, { tx });
        assert.equal(answer.degraded, false, `entry ${at}: ${answer.degraded ? answer.errorCode : ''}`);
      }
    });
    const stored = await stores.audit.list({ limit: 1000 });
    assert.equal(stored.length, hostileEntries.length);
    for (const event of stored) {
      assert.deepEqual(await stores.audit.get(event.id), event);
      assert.doesNotMatch(JSON.stringify(event), /\\u(?:0000|d800)/);
    }
  });

  it('AUD-3: a hostile entry changes nothing of the caller’s transaction', async ({ stores }) => {
    const trail = trailOn(stores);
    const id = await stores.transaction(async (tx) => {
      await trail.record({ ...entry, actorId: hostile, sourceIp: 'unknown', payload: { [hostile]: hostile } }, { tx });
      return one(await stores.jobs.enqueue([newJob()], { tx })).job.id;
    });
    assert.notEqual(one(await stores.jobs.get([id])), null);
    const event = one(await stores.audit.list({}));
    const replaced = 'a\ufffdb\ufffdc';
    const { _redaction_meta, _truncation_meta, ...payload } = event.payload;
    assert.ok(_redaction_meta !== undefined && _truncation_meta !== undefined);
    assert.deepEqual(
      [event.actorId, event.sourceIp, payload],
      [
        replaced,
        null,
        {
          [replaced]: replaced,
          _audit_meta: {
            columns: { actorId: 'characters_replaced' },
            source_ip_received: 'unknown',
            replaced_count: 2,
            replaced_paths: [`$.${replaced}`, `$.${replaced}`],
          },
        },
      ],
    );
  });

  it('AUD-2: every address is kept in one spelling, the same in every store', async ({ stores }) => {
    const wanted = ['192.0.2.7', '::ffff:192.0.2.7', '::1', '::', '2001:DB8::1', ...ipv6Addresses];
    await stores.transaction(async (tx) => {
      for (const sourceIp of wanted) {
        const event = toAuditEvent({ ...entry, sourceIp }, passThrough, systemRandom.uuid());
        assert.equal((await stores.audit.record(event, [], { tx })).sourceIp, canonicalAddress(sourceIp));
      }
    });
  });

  it('AUD-2: what not every store could hold is a TypeError in each', async ({ stores }) => {
    const refused = [
      { sourceIp: 'unknown' },
      { sourceIp: '2001:DB8::1' },
      { sourceIp: '' },
      { actorId: hostile },
      { userAgent: nul },
      { targetId: 'x'.repeat(2049) },
      { payload: { text: half } },
    ];
    for (const over of refused) await assert.rejects(stores.audit.record(newAuditEvent(over), []), TypeError);
    assert.deepEqual(await stores.audit.list({}), []);
  });
}
