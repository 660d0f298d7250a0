import assert from 'node:assert/strict';
import { type AuditTrail, createAuditTrail } from '../../../audit/audit-trail.js';
import type { JsonValue } from '../../../foundation/json.js';
import { systemRandom } from '../../../foundation/time/system-random.js';
import { createOperator } from '../../../operate/operator.js';
import type { Stores } from '../../../stores/stores.js';
import { silentLogger } from '../../../telemetry/logger.js';
import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import type { StoresHarness } from '../stores-harness.js';
import { operatorVerbs } from './operator-verbs.js';

function createTrail<Tx>(stores: Stores<Tx>): AuditTrail<Tx> {
  const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
  const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as JsonValue, meta }) };
  return createAuditTrail({
    ...{ store: stores.audit, redactor, destinations: [] },
    ...{ random: systemRandom, logger: silentLogger },
  });
}

/** What the operator's verbs need of the stores: a compare-and-set, and change and event in one transaction. */
export function describeOperatorContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('Operator contract', () => {
    const it = contractCases(runner, harness);
    for (const { action, add, call } of operatorVerbs) {
      const listOwn = async ({ audit }: Stores<Tx>): Promise<string[]> =>
        (await audit.list({}))
          .filter((event) => event.action === action)
          .map(({ resultStatus, actorId }) => `${resultStatus} ${actorId}`);

      it(`OPS-1: of two operators one acts with ${action}, and one event is stored`, async ({ stores }) => {
        const id = await add(stores);
        const operator = createOperator({ stores, audit: createTrail(stores) });
        const done = await Promise.all([call(operator, id), call(operator, id)]);
        assert.deepEqual(done.map(({ audit }) => audit).sort(), ['none', 'recorded']);
        assert.deepEqual(await listOwn(stores), ['success ada']);
      });

      it(`OPS-1 AUD-2: a ${action} whose transaction fails leaves neither change nor event`, async ({ stores }) => {
        const id = await add(stores);
        const trail = createTrail(stores);
        const cut: AuditTrail<Tx> = {
          storeId: trail.storeId,
          async record(entry, options) {
            await trail.record(entry, options);
            throw new Error('cut after the event');
          },
        };
        await assert.rejects(call(createOperator({ stores, audit: cut }), id), /cut after the event/);
        assert.deepEqual(await listOwn(stores), []);
        const after = await call(createOperator({ stores, audit: trail }), id);
        assert.equal(after.audit, 'recorded'); // the change was still to be made
        assert.deepEqual(await listOwn(stores), ['success ada']);
      });
    }
  });
}
