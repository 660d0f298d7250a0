import { createMemoryStores, type Stores, silentLogger, systemRandom } from '@criticizer/core';
import { type AuditEvent, createAuditTrail } from '@criticizer/core/audit';
import type { MemoryTx } from '@criticizer/core/ports';
import { describe, expect, it } from 'vitest';
import { type AuditedAllowListOptions, openAuditedAllowList } from '../src/index.js';

const main = { allow: ['//depot/main/...'] };
const wider = { allow: ['//depot/main/...', '//depot/libs/...'], deny: ['//depot/main/keys/...'] };
const deploy = { type: 'service_account', id: 'deploy' } as const;
const ann = { type: 'admin_user', id: 'ann' } as const;

/** Opens lists on one database, as processes that start one after the other would. */
function setUp(auditStore?: (stores: Stores<MemoryTx>) => Stores<MemoryTx>['audit']) {
  const stores = createMemoryStores();
  const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
  const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: structuredClone(value) as never, meta }) };
  const store = auditStore?.(stores) ?? stores.audit;
  const audit = createAuditTrail({ store, redactor, destinations: [], random: systemRandom, logger: silentLogger });
  const open = (
    configured: AuditedAllowListOptions<MemoryTx>['configured'],
    more: Partial<AuditedAllowListOptions<MemoryTx>> = {},
  ) => openAuditedAllowList({ serverId: 'main', configured, actor: deploy, stores, audit, ...more });
  const events = async (): Promise<AuditEvent[]> =>
    [...(await stores.audit.list({ action: 'p4.allow_list.change' }))].reverse();
  return { stores, open, events };
}

describe('audited allow-list', () => {
  it('P4-6: a change says who, when and what, with before and after, and holds from then on', async () => {
    const { open, events } = setUp();
    const list = await open(main);
    const fetching = list.forServer('sensitive');
    expect(await list.change(wider, { actor: ann, reason: 'OPS-7' })).toBe('changed');
    expect(await list.change(wider, { actor: ann, reason: 'again' })).toBe('unchanged');
    const [, change, ...more] = await events();
    expect(more).toEqual([]);
    expect(change).toMatchObject({
      actorType: 'admin_user',
      actorId: 'ann',
      targetId: 'main',
      resultStatus: 'success',
    });
    expect(change?.occurredAt).toBeInstanceOf(Date);
    expect(change?.payload).toMatchObject({
      source: 'api',
      reason: 'OPS-7',
      before: { allow: main.allow, deny: [] },
      after: { allow: wider.allow, deny: wider.deny, fingerprint: list.fingerprint },
      allowed: { added: ['//depot/libs/...'], removed: [] },
      denied: { added: ['//depot/main/keys/...'], removed: [] },
    });
    expect([list.check('//depot/libs/a').allowed, list.check('//depot/main/keys/a').allowed]).toEqual([true, false]);
    expect(list.forServer('insensitive').check('//DEPOT/libs/a').allowed).toBe(true);
    expect(fetching.check('//depot/libs/a').allowed).toBe(false); // a fetch under way goes on with its own
  });

  it('P4-6: of two changes made at once, the one recorded last is the one that holds', async () => {
    const { stores, open, events } = setUp();
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let transactions = 0;
    const transaction: typeof stores.transaction = async (work) => {
      const isFirstChange = ++transactions === 2; // the first transaction is the start's
      const result = await stores.transaction(work);
      if (isFirstChange) await answered; // committed, but the answer takes its time
      return result;
    };
    const list = await open(main, { stores: { ...stores, transaction } });
    const first = list.change(wider, { actor: ann, reason: 'first' });
    const second = list.change({ allow: ['//depot/libs/...'] }, { actor: ann, reason: 'second' });
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    answer();
    expect(await Promise.all([first, second])).toEqual(['changed', 'changed']);
    const last = (await events()).find(({ payload }) => payload['reason'] === 'second');
    expect(last?.payload['after']).toMatchObject({ fingerprint: list.fingerprint });
  });

  it('P4-6: a list edited in configuration is compared at start and its difference recorded under the configured actor (R14)', async () => {
    const { open, events } = setUp();
    await open(main);
    await open({ allow: [...main.allow] });
    await open(wider);
    await open(wider, { serverId: 'other' });
    const seen = (await events()).map(({ actorId, targetId, payload }) => [
      actorId,
      targetId,
      payload['source'],
      payload['allowed'],
    ]);
    expect(seen.slice(0, 2)).toEqual([
      ['deploy', 'main', 'configuration', { added: ['//depot/main/...'], removed: [] }],
      ['deploy', 'main', 'configuration', { added: ['//depot/libs/...'], removed: [] }],
    ]);
    expect(seen[2]?.[1]).toBe('other');
    expect(seen).toHaveLength(3);
  });

  it('P4-6: processes that start together record one difference once', async () => {
    const { open, events } = setUp();
    await Promise.all(Array.from({ length: 4 }, () => open(main)));
    expect(await events()).toHaveLength(1);
  });

  it('P4-6: what cannot be recorded does not hold: no start, no change', async () => {
    let broken = false;
    const { open, events, stores } = setUp(({ audit }) => ({
      ...audit,
      record: (...given) => (broken ? Promise.reject(new Error('disk full')) : audit.record(...given)),
    }));
    const list = await open(main);
    const kept = await stores.cursors.get('p4/main/allow-list');
    broken = true;
    await expect(list.change(wider, { actor: ann, reason: 'OPS-8' })).rejects.toMatchObject({
      code: 'P4_ALLOW_LIST_UNRECORDED',
    });
    expect(list.check('//depot/libs/a').allowed).toBe(false);
    await expect(open(wider)).rejects.toMatchObject({ code: 'P4_ALLOW_LIST_UNRECORDED' });
    expect(await stores.cursors.get('p4/main/allow-list')).toBe(kept);
    expect(await events()).toHaveLength(1);
    broken = false;
    await open(wider);
    expect(await events()).toHaveLength(2);
  });

  it('refuses rules, actors and reasons it cannot answer for', async () => {
    const { open, events } = setUp();
    await expect(open({ allow: [] })).rejects.toThrow(TypeError);
    await expect(open(main, { actor: { type: 'admin_user', id: ' ' } })).rejects.toThrow(/actor\.id/);
    await expect(open({ allow: Array.from({ length: 9_000 }, (_, n) => `//depot/main/${n}/...`) })).rejects.toThrow(
      /50000/,
    );
    const list = await open(main);
    await expect(list.change({ allow: ['//...'] }, { actor: ann, reason: 'x' })).rejects.toThrow(TypeError);
    await expect(list.change(wider, { actor: ann, reason: ' ' })).rejects.toThrow(/reason/);
    await expect(list.change(wider, { actor: { ...ann, type: 'root' as 'system' }, reason: 'x' })).rejects.toThrow(
      /actor\.type/,
    );
    expect([list.allow, (await events()).length]).toEqual([main.allow, 1]);
  });

  it('a record that cannot be read is replaced, and the event says so', async () => {
    const { open, events, stores } = setUp();
    await stores.cursors.advance('p4/main/allow-list', null, 'torn');
    await open(main);
    expect((await events())[0]?.payload['before']).toEqual({ fingerprint: '' });
  });
});
