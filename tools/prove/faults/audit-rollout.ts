import type { Fault } from './fault.js';

/** AUD-19: the phases of the audit’s rollout. */
export const auditRolloutFaults: readonly Fault[] = [
  {
    id: 'AUD-19',
    file: 'packages/core/src/audit/audit-trail.ts',
    find: '(await flags.isShadowEnabled(tenantId)) ? destinations : production',
    replace: '(await flags.isShadowEnabled(tenantId)) ? destinations : destinations',
    tests: 'audit/delivery/shadow-sink',
  },
  {
    id: 'AUD-19',
    file: 'packages/core/src/audit/shadow-destination.ts',
    find: '? idempotencyKey.slice(prefix.length) : idempotencyKey',
    replace: '? idempotencyKey : idempotencyKey',
    tests: 'audit/delivery/shadow-sink',
  },
  {
    id: 'AUD-19',
    file: 'packages/core/src/audit/flags/audit-flags.ts',
    find: 'isShadowDestination(destination) || (await isWorkerEnabled(tenantId))',
    replace: 'isShadowDestination(destination) || tenantId !== null',
    tests: 'core/src/memory/memory-stores',
  },
  {
    id: 'AUD-19',
    file: 'packages/core/src/audit/delivery/destination-loop.ts',
    find: '(nowMs - createdAt.getTime()) / 4',
    replace: '(nowMs - createdAt.getTime()) / 2',
    tests: 'audit/delivery/shadow-sink',
  },
  {
    id: 'AUD-19',
    file: 'packages/core/src/operate/set-audit-flag.ts',
    find: "hasChanged: ({ outcome }) => outcome === 'written',",
    replace: "hasChanged: ({ outcome }) => outcome === 'conflict',",
    tests: 'core/src/memory/memory-stores',
  },
  {
    id: 'AUD-19',
    file: 'packages/core/src/audit/comparison/event-matcher.ts',
    find: 'if (first.atMs >= event.atMs - this.toleranceMs) {',
    replace: 'if (first.atMs > event.atMs - this.toleranceMs) {',
    tests: 'audit/comparison/event-matcher',
  },
  {
    id: 'AUD-19',
    file: 'packages/core/src/audit/comparison/read-trail-in-order.ts',
    find: 'yield* rows.reverse();',
    replace: 'yield* rows;',
    tests: 'audit/comparison/read-trail-in-order',
  },
  {
    id: 'AUD-19',
    file: 'packages/core/src/audit/comparison/compare-audit-trails.ts',
    find: 'if (isOfRollout(action)) return false;',
    replace: '',
    tests: 'core/test/audit-comparison',
  },
  {
    id: 'AUD-19',
    file: 'packages/core/src/audit/comparison/comparison-counts.ts',
    find: 'this.count(primary, trail.atMs);',
    replace: 'this.count(primary, primary.atMs);',
    tests: 'core/test/audit-comparison',
  },
  {
    id: 'AUD-17',
    file: 'packages/core/src/audit/flags/flag-rules.ts',
    find: 'sharesReads: false,',
    replace: 'sharesReads: true,',
    tests: 'queue-sqlite/test/audit-flags',
  },
];
