import { expect, it } from 'vitest';
import { createAuditTrail, createMemoryStores, silentLogger, systemRandom } from '../src/doors/audit.js';
import { person } from '../src/testing/stores/sample-rows.js';
import { change, harness } from './criticizer-harness.js';

const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as string, meta }) };

it('OPS-1: a dry run by an actor is recorded before its answer; one by nobody is not', async () => {
  const stores = createMemoryStores();
  const trail = { store: stores.audit, redactor, destinations: [], random: systemRandom };
  const audit = createAuditTrail({ ...trail, logger: silentLogger });
  const { criticizer } = harness({ change: change(), more: { audit } });
  await criticizer.dryRun({ serverId: 'main', number: 7 });
  expect(await stores.audit.list({})).toEqual([]);
  const run = await criticizer.dryRun({ serverId: 'main', number: 7, actor: person('ada') });
  expect(run).toMatchObject({ kind: 'planned' });
  expect(await stores.audit.list({})).toMatchObject([
    {
      ...{ actorType: 'admin_user', actorId: 'ada', action: 'change.dry_run', resultStatus: 'success' },
      ...{ targetType: 'change', targetId: 'main/7' },
      payload: { serverId: 'main', number: 7, kind: 'planned', requests: 1 },
    },
  ]);
});

it('OPS-1 AUD-3: a dry run whose event is not stored logs it; one whose trail rejects shows nothing', async () => {
  const stores = createMemoryStores();
  const lines: unknown[] = [];
  const audit = createAuditTrail({
    store: { ...stores.audit, record: () => Promise.reject(new Error('disk full')) },
    ...{ redactor, destinations: [], random: systemRandom },
    logger: { ...silentLogger, error: (fields) => void lines.push(fields) },
  });
  const request = { serverId: 'main', number: 7, actor: person('ada') };
  expect(await harness({ change: change(), more: { audit } }).criticizer.dryRun(request)).toMatchObject({
    kind: 'planned',
  });
  expect(lines).toMatchObject([{ action: 'change.dry_run' }]);
  const broken = { storeId: 'elsewhere', record: () => Promise.reject(new Error('no trail')) };
  const { criticizer } = harness({ change: change(), more: { audit: broken } });
  await expect(criticizer.dryRun(request)).rejects.toThrow('no trail');
});
