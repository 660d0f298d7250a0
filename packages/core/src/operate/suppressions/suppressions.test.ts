import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '../../audit/audit-trail.js';
import type { JsonValue } from '../../foundation/json.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { silentLogger } from '../../telemetry/logger.js';
import { by } from '../../testing/stores/operate/operator-verbs.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { createOperator } from '../operator.js';

const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as JsonValue, meta }) };
const lead = { ...by.actor, roles: ['suppressor'] };
const day = 86_400_000;

function setUp() {
  const stores = createMemoryStores();
  const trail = {
    store: stores.audit,
    redactor,
    destinations: [],
    random: createSeededRandom(3),
    logger: silentLogger,
  };
  return { stores, operator: createOperator({ stores, audit: createAuditTrail(trail) }) };
}

describe('verbs of suppressions', () => {
  const one = { changelistId: 'p4main/7', findingId: 'f1', disposition: 'false_positive', ...by } as const;
  const rule = { ruleId: 'naming', disposition: 'wont_fix', expiresInMs: day, ...by } as const;

  it('GRD-8: a rule and a withheld credential need a role, and a refusal stores nothing', async () => {
    const { stores, operator } = setUp();
    const denied = { code: 'SUPPRESSION_DENIED', category: 'policy' };
    for (const roles of [undefined, [], ['other']]) {
      const actor = { ...by.actor, roles };
      await expect(operator.suppressMatching({ ...rule, actor })).rejects.toMatchObject(denied);
      await expect(operator.suppressFinding({ ...one, actor, coversSecret: true })).rejects.toMatchObject(denied);
    }
    expect([await operator.listSuppressions({}), await stores.audit.list({})]).toEqual([[], []]);
    expect((await operator.suppressMatching({ ...rule, actor: lead })).outcome).toBe('added');
    expect((await operator.suppressFinding({ ...one, actor: lead, coversSecret: true })).outcome).toBe('added');
  });

  it('GRD-8: a rule has a condition, a pattern that can match, and an end within the setting', async () => {
    const { operator } = setUp();
    for (const wrong of [
      ...[{ ruleId: undefined }, { expiresInMs: 91 * day }, { expiresInMs: 0 }, { reason: 'r'.repeat(1_001) }],
      ...[{ paths: 'gen/...' }, { paths: '-//depot/...' }, { paths: '//depot/dir/' }],
    ])
      await expect(operator.suppressMatching({ ...rule, actor: lead, ...wrong })).rejects.toThrow(TypeError);
    const added = await operator.suppressMatching({ ...rule, paths: '//depot/gen/...', actor: lead });
    expect(added).toMatchObject({ outcome: 'added', audit: 'recorded', suppression: { actor: by.actor } });
  });

  it('GRD-8: who, why and until when are stored and audited, the suppression named', async () => {
    const { stores, operator } = setUp();
    const { suppression, audit } = await operator.suppressFinding({ ...one, expiresInMs: day });
    expect([audit, suppression.reason, suppression.actor]).toEqual(['recorded', by.reason, by.actor]);
    expect(suppression.expiresAt?.getTime()).toBe(suppression.createdAt.getTime() + day);
    const [event] = await stores.audit.list({ action: 'finding.suppress' });
    expect(event).toMatchObject({
      targetId: 'p4main/7#f1',
      payload: { suppressionId: suppression.id, expiresInMs: day, disposition: 'false_positive', reason: by.reason },
    });
  });
});
