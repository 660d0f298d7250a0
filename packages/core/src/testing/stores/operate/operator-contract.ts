import assert from 'node:assert/strict';
import { type AdminAction, adminActions } from '../../../audit/admin-actions.js';
import { type AuditTrail, createAuditTrail } from '../../../audit/audit-trail.js';
import type { JsonValue } from '../../../foundation/json.js';
import { systemRandom } from '../../../foundation/time/system-random.js';
import { createOperator } from '../../../operate/operator.js';
import type { Stores } from '../../../stores/stores.js';
import { silentLogger } from '../../../telemetry/logger.js';
import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import { one } from '../sample-rows.js';
import type { StoresHarness } from '../stores-harness.js';
import { by, operatorVerbs, repeatableVerbs } from './operator-verbs.js';

/** A trail over the stores, which redacts nothing. */
export function createTrail<Tx>(stores: Stores<Tx>): AuditTrail<Tx> {
  const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
  const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as JsonValue, meta }) };
  return createAuditTrail({
    ...{ store: stores.audit, redactor, destinations: [] },
    ...{ random: systemRandom, logger: silentLogger },
  });
}

/** What a payload holds otherwise than the row of its action says. */
export function payloadDifferences({ payload, optional = [] }: AdminAction, found: object): readonly string[] {
  const keys = Object.keys(found).filter((key) => !key.startsWith('_')); // `_meta` objects are of every payload
  const missing = Object.keys(payload).filter((key) => !keys.includes(key) && !optional.includes(key));
  return [
    ...missing.map((key) => `lacks ${key}`),
    ...keys.filter((key) => !(key in payload)).map((key) => `holds ${key}, which the row does not list`),
  ];
}

/** What the operator's verbs need of the stores: a compare-and-set, and change and event in one transaction. */
export function describeOperatorContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('Operator contract', () => {
    const it = contractCases(runner, harness);
    for (const { action, title = action, add, call } of [...operatorVerbs, ...repeatableVerbs]) {
      it(`OPS-1: the event of ${title} holds what its row of adminActions lists`, async ({ stores }) => {
        const id = await add(stores);
        await call(createOperator({ stores, audit: createTrail(stores) }), id);
        const event = one(await stores.audit.list({ action }));
        const { actorType, actorId, targetType, targetId, resultStatus, payload } = event;
        const row: AdminAction = adminActions[action];
        assert.deepEqual(
          { actorType, actorId, targetType, targetId, resultStatus, reason: payload['reason'] },
          {
            ...{ actorType: by.actor.type, actorId: by.actor.id, targetType: row.targetType, targetId: id },
            ...{ resultStatus: 'success', reason: by.reason },
          },
        );
        assert.deepEqual(payloadDifferences(row, payload), []);
      });
    }
    for (const { action, title = action, add, call } of operatorVerbs) {
      const listOwn = async ({ audit }: Stores<Tx>): Promise<string[]> =>
        (await audit.list({}))
          .filter((event) => event.action === action)
          .map(({ resultStatus, actorId }) => `${resultStatus} ${actorId}`);

      it(`OPS-1: of two operators one acts with ${title}, and one event is stored`, async ({ stores }) => {
        const id = await add(stores);
        const operator = createOperator({ stores, audit: createTrail(stores) });
        const done = await Promise.all([call(operator, id), call(operator, id)]);
        assert.deepEqual(done.map(({ audit }) => audit).sort(), ['none', 'recorded']);
        assert.deepEqual(await listOwn(stores), ['success ada']);
      });

      it(`OPS-1 AUD-2: a ${title} whose transaction fails leaves neither change nor event`, async ({ stores }) => {
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
