import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '../audit/audit-trail.js';
import { createAuditFlags } from '../audit/flags/audit-flags.js';
import { pipelineActor } from '../foundation/actor.js';
import { systemRandom } from '../foundation/time/system-random.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { createEnvironmentSecrets } from '../secrets/environment-secrets.js';
import { silentLogger } from '../telemetry/logger.js';
import { createMemorySecurityEvents } from '../telemetry/memory-security-events.js';
import { createMemoryTelemetry } from '../telemetry/memory-telemetry.js';
import { metric } from '../telemetry/names.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createArtifacts } from './artifacts.js';
import { createLocalKeyRing } from './local-key-ring.js';
import { createMemoryArtifactStore } from './memory-artifact-store.js';
import { createRoleAccessPolicy } from './role-access-policy.js';

const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as string, meta }) };
const ada = { type: 'admin_user', id: 'ada', roles: ['lead'] } as const;
const rules = { version: '1', policyHash: 'a'.repeat(64) };
const about = { purpose: 'change', contentType: 'text/plain', changelistId: 'main/7', jobId: null } as const;
const hour = 3_600_000;

/** A vault whose trail works, cannot store, is off by its flag, or is not wired. */
async function vault(trail: 'works' | 'broken' | 'off' | 'none') {
  const clock = createManualClock();
  const { audit: store, artifactManifest: manifest } = createMemoryStores({ clock });
  const telemetry = createMemoryTelemetry();
  const securityEvents = createMemorySecurityEvents();
  const lines: object[] = [];
  const off = createAuditFlags({
    provider: { getBooleanValue: async () => false },
    defaults: { write: false, worker: false },
  });
  const audit = createAuditTrail({
    store: trail === 'broken' ? { ...store, record: () => Promise.reject(new Error('disk full')) } : store,
    ...{ redactor, destinations: [], random: systemRandom, flags: trail === 'off' ? off : undefined },
    logger: { ...silentLogger, error: (fields) => void lines.push(fields) },
  });
  let fetched = 0;
  const bytes = createMemoryArtifactStore();
  const env = { KEY: randomBytes(32).toString('base64') };
  const artifacts = createArtifacts({
    store: {
      ...bytes,
      get(location) {
        fetched++;
        return bytes.get(location);
      },
    },
    manifest,
    keys: createLocalKeyRing({ source: createEnvironmentSecrets({ env }), name: 'KEY' }),
    access: createRoleAccessPolicy([{ role: 'lead', actions: ['read'], namespaces: ['raw', 'redacted'] }]),
    audit: trail === 'none' ? undefined : audit,
    ...{ telemetry, securityEvents, random: systemRandom, ttlMs: { raw: hour, redacted: hour } },
  });
  const raw = await artifacts.write({ ...about, namespace: 'raw', redaction: null }, Buffer.from('raw'));
  const redacted = await artifacts.write({ ...about, namespace: 'redacted', redaction: rules }, Buffer.from('safe'));
  await manifest.publish([raw, redacted]);
  const events = async () =>
    (await store.list({})).map((event) => `${event.action} ${event.resultStatus} ${event.actorId}`).reverse();
  const counted = () =>
    telemetry.measurements.filter(({ name }) => name === metric.artifactReads).map(({ attributes }) => attributes);
  return { artifacts, clock, raw, redacted, events, lines, securityEvents, counted, fetched: () => fetched };
}

describe('reads of artifacts', () => {
  it('ART-4: a read by a person and a denied attempt are events with actor and purpose; the pipeline only counts', async () => {
    const t = await vault('works');
    const nobody = { ...ada, id: 'eve', roles: [] };
    await t.artifacts.read(t.raw, ada, { reason: 'OPS-7' });
    await t.artifacts.readRedacted(t.redacted, ada);
    await expect(t.artifacts.read(t.redacted, nobody)).rejects.toMatchObject({ code: 'ARTIFACT_ACCESS_DENIED' });
    await t.artifacts.read(t.raw, pipelineActor);
    await t.artifacts.readRedacted(t.redacted);
    expect(await t.events()).toEqual([
      'artifact.read_raw success ada',
      'artifact.read_redacted success ada',
      'artifact.read_redacted failure eve',
    ]);
    expect(t.counted().map((labels) => Object.values(labels).join(' '))).toEqual([
      'raw other allowed',
      'redacted other allowed',
      'redacted other denied',
      'raw pipeline allowed',
      'redacted pipeline allowed',
    ]);
  });

  it('ART-4: without its event no byte of a raw artifact is fetched; a redacted one is read, and the log says so', async () => {
    const t = await vault('broken');
    await expect(t.artifacts.read(t.raw, ada)).rejects.toMatchObject({ code: 'AUDIT_NOT_STORED' });
    expect([t.fetched(), t.lines]).toEqual([0, []]);
    expect(Buffer.from((await t.artifacts.read(t.redacted, ada)).body).toString()).toBe('safe');
    expect(t.lines).toMatchObject([{ action: 'artifact.read_redacted' }]);
    expect(Buffer.from((await t.artifacts.read(t.raw)).body).toString()).toBe('raw');
  });

  it('ART-4: a trail that answers without having stored the event gives out nothing raw', async () => {
    const { artifactManifest: manifest } = createMemoryStores();
    const env = { KEY: randomBytes(32).toString('base64') };
    const artifacts = createArtifacts({
      ...{ store: createMemoryArtifactStore(), manifest, random: systemRandom, ttlMs: { raw: hour, redacted: hour } },
      keys: createLocalKeyRing({ source: createEnvironmentSecrets({ env }), name: 'KEY' }),
      access: { decide: () => 'allow' },
      audit: { record: async () => ({ outcome: 'off', degraded: false, event: null }) },
      securityEvents: createMemorySecurityEvents(),
    });
    const id = await artifacts.write({ ...about, namespace: 'raw', redaction: null }, Buffer.from('raw'));
    await manifest.publish([id]);
    await expect(artifacts.read(id, ada)).rejects.toMatchObject({ code: 'AUDIT_NOT_STORED' });
  });

  it('ART-4 AUD-17: a flag that is off hides no raw read', async () => {
    const t = await vault('off');
    await t.artifacts.read(t.raw, ada);
    await t.artifacts.read(t.redacted, ada);
    expect(await t.events()).toEqual(['artifact.read_raw success ada']);
  });

  it('ART-4: where no trail is wired nobody but the pipeline reads raw artifacts, whatever is granted', async () => {
    const t = await vault('none');
    await expect(t.artifacts.read(t.raw, ada)).rejects.toMatchObject({ code: 'ARTIFACT_ACCESS_DENIED' });
    expect(t.securityEvents.events).toMatchObject([
      { type: 'artifact.access_denied', reason: 'No audit trail is wired to record it.' },
    ]);
    expect(Buffer.from((await t.artifacts.read(t.redacted, ada)).body).toString()).toBe('safe');
    expect(Buffer.from((await t.artifacts.read(t.raw)).body).toString()).toBe('raw');
  });

  it('ART-4: an attempt at what has expired is a failure in the trail', async () => {
    const t = await vault('works');
    await t.clock.advance(hour);
    await expect(t.artifacts.read(t.raw, ada)).rejects.toMatchObject({ code: 'ARTIFACT_EXPIRED' });
    expect(await t.events()).toEqual(['artifact.read_raw failure ada']);
    expect(t.fetched()).toBe(0);
  });

  it('a reason that is none is a TypeError', async () => {
    const t = await vault('works');
    for (const wrong of [{ reason: '' }, { why: 'x' }])
      await expect(t.artifacts.read(t.raw, ada, wrong as object)).rejects.toThrow(/artifacts\.read: options/);
    expect(await t.events()).toEqual([]);
  });
});
