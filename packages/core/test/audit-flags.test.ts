import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  type AuditFlags,
  auditFlagNames,
  createAuditFlags,
  createAuditTrail,
  createMemoryStores,
  createPercentageFlags,
  createStoredFlags,
  silentLogger,
  systemRandom,
} from '../src/doors/audit.js';
import type { AuditSink } from '../src/doors/audit-delivery.js';
import { createOperator } from '../src/index.js';
import { harness } from './criticizer-harness.js';

const { write, worker } = auditFlagNames;
const redacted = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: () => ({ value: {}, meta: redacted }) };
const entry = { actorType: 'admin_user', actorId: 'ada', action: 'user.update', resultStatus: 'success' } as const;
const by = { actor: { type: 'admin_user', id: 'ada' }, reason: 'rollout' } as const;

function trailWith(flags?: AuditFlags, stores = createMemoryStores()) {
  const trail = createAuditTrail({
    store: stores.audit,
    redactor,
    destinations: ['siem'],
    random: systemRandom,
    logger: silentLogger,
    ...(flags === undefined ? {} : { flags }),
  });
  const actions = async (): Promise<string[]> =>
    (await stores.audit.list({})).map(({ action, tenantId }) => `${action} ${tenantId}`).reverse();
  return { trail, stores, actions };
}

afterAll(() => OpenFeature.close());

describe('an audit trail under flags', () => {
  it('AUD-17: a client of @openfeature/server-sdk fits as it is, by tenant, and its default counts while it is down', async () => {
    const variants = { on: true, off: false };
    const provider = new InMemoryProvider({
      [write]: {
        variants,
        defaultVariant: 'off',
        disabled: false,
        contextEvaluator: ({ tenantId }) => (tenantId === 'acme' ? 'on' : 'off'),
      },
    });
    await OpenFeature.setProviderAndWait('audit-test', provider);
    const flags = createAuditFlags({
      provider: OpenFeature.getClient('audit-test'),
      defaults: { write: true, worker: false },
    });
    const { trail, actions } = trailWith(flags);
    const outcome = async (tenantId?: string) => (await trail.record({ ...entry, tenantId })).outcome;
    expect([await outcome('acme'), await outcome('other'), await outcome()]).toEqual(['recorded', 'off', 'off']);
    expect(await actions()).toEqual(['user.update acme']);
    expect(await flags.isWorkerEnabled('acme')).toBe(false); // the flag is not known there: the default
    await provider.putConfiguration({ [write]: { variants, defaultVariant: 'off', disabled: false } });
    expect(await outcome('acme')).toBe('off');
    expect(await actions()).toEqual(['user.update acme', 'audit.flag.flip acme']);
  });

  it('AUD-17: a verb sets the rules for every process, and its event is stored while the flag is off', async () => {
    const stores = createMemoryStores();
    const flags = createAuditFlags({
      provider: createStoredFlags({ documents: stores.documents, cacheMs: 0 }),
      defaults: { write: false, worker: false },
    });
    const { trail, actions } = trailWith(flags, stores);
    const operator = createOperator({ stores, audit: trail });
    expect((await trail.record(entry)).outcome).toBe('off');
    expect(await operator.setAuditFlag({ flag: write, percentage: 100, ...by })).toMatchObject({
      outcome: 'set',
      audit: 'recorded',
      version: 1,
    });
    expect((await trail.record(entry)).outcome).toBe('recorded');
    expect(await operator.setAuditFlag({ flag: write, percentage: 0, ...by })).toMatchObject({ version: 2 });
    expect(await trail.record(entry)).toEqual({ outcome: 'off', degraded: false, event: null });
    expect(await actions()).toEqual([
      'audit.flag.set null',
      'audit.flag.flip null',
      'user.update null',
      'audit.flag.set null',
      'audit.flag.flip null',
    ]);
    const [last] = (await stores.audit.list({ action: 'audit.flag.set' })).map(({ targetId }) => targetId);
    expect(last).toBe(write);
    const fixed = await operator.setAuditFlag({ flag: worker, percentage: 1, tenants: ['acme'], ...by });
    const again = await operator.setAuditFlag({ flag: worker, percentage: 1, tenants: ['acme'], ...by });
    expect([fixed.outcome, again.outcome, again.version]).toEqual(['set', 'unchanged', fixed.version]);
    expect((await operator.setKillSwitch({ stopped: true, ...by })).audit).toBe('off');
  });

  it('AUD-17: a trail without flags records everything, and an entry that is none is a TypeError under any flag', async () => {
    expect((await trailWith().trail.record(entry)).outcome).toBe('recorded');
    const off = createAuditFlags({
      provider: { getBooleanValue: async () => false },
      defaults: { write: false, worker: false },
    });
    await expect(trailWith(off).trail.record({ ...entry, action: 'No' })).rejects.toBeInstanceOf(TypeError);
  });

  it('AUD-17: the deliveries of a tenant whose worker flag is off wait, and spend no attempt', async () => {
    const provider = createPercentageFlags({ [worker]: { percentage: 0, tenants: ['acme'] } });
    const flags = createAuditFlags({ provider, defaults: { write: true, worker: false } });
    const { trail, stores } = trailWith();
    const sent: (string | null)[] = [];
    const siem: AuditSink = {
      contract: 1,
      id: 'siem',
      async send({ tenantId }) {
        sent.push(tenantId);
        return { kind: 'delivered' };
      },
    };
    const { criticizer } = harness({ more: { stores, audit: trail, auditSinks: [siem], auditFlags: flags } });
    for (const tenantId of ['other', 'acme']) await trail.record({ ...entry, tenantId });
    await criticizer.start();
    const rows = async (): Promise<string[]> =>
      (await stores.audit.listDeliveries({})).map(({ state, attemptCount }) => `${state} ${attemptCount}`).sort();
    await vi.waitFor(async () => expect(await rows()).toEqual(['delivered 1', 'retry_wait 0']), { timeout: 20_000 });
    await criticizer.stop();
    expect(sent).toEqual(['acme']);
  });
});
