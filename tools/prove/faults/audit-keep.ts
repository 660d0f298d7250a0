import type { Fault } from './fault.js';

export const auditKeepFaults: readonly Fault[] = [
  {
    id: 'AUD-1',
    file: 'packages/queue-pg/src/sql/audit/audit-keeping.ts',
    find: '    AND to_jsonb(NEW) - erasable = to_jsonb(OLD) - erasable\n',
    replace: '',
    tests: 'queue-pg/test/audit-kept',
  },
  {
    id: 'AUD-1',
    file: 'packages/queue-pg/src/sql/audit/audit-keeping.ts',
    find: 'AND current_user = (',
    replace: 'AND current_user <> (',
    tests: 'queue-pg/test/audit-kept',
  },
  {
    id: 'AUD-1',
    file: 'packages/queue-sqlite/src/sql/audit/audit-keeping.ts',
    find: 'AND NEW.target_type IS OLD.target_type',
    replace: '',
    tests: 'queue-sqlite/test/audit-kept',
  },
  {
    id: 'AUD-1',
    file: 'packages/core/src/memory/audit/memory-keep-audit.ts',
    find: 'targetTypes === null || (type !== null && targetTypes.includes(type))',
    replace: 'targetTypes === null || type !== null',
    tests: 'core/src/memory/memory-stores',
  },
  {
    id: 'AUD-1',
    file: 'packages/queue-pg/src/sql/audit/audit-keeping.ts',
    find: "(NOT with_letters OR d.operator_status = 'open')",
    replace: 'NOT with_letters',
    tests: 'queue-pg/test/contract',
  },
  {
    id: 'AUD-1',
    file: 'packages/queue-sqlite/src/audit/prune-audit.ts',
    find: "o.delivery_state NOT IN ('delivered', 'dead_lettered')",
    replace: "o.delivery_state = 'pending'",
    tests: 'queue-sqlite/test/contract',
  },
  {
    id: 'AUD-1',
    file: 'packages/core/src/operate/operation.ts',
    find: "if (recorded.outcome === 'recorded') return recorded;",
    replace: 'return recorded;',
    tests: 'core/src/operate/audit/keep-trail',
  },
  {
    id: 'AUD-1',
    file: 'packages/queue-pg/src/grant-script.ts',
    find: '  audit_events: appended,',
    replace: '  audit_events: everything,',
    tests: 'queue-pg/test/grant-script',
  },
  {
    id: 'AUD-1',
    file: 'packages/queue-pg/src/grant-script.ts',
    find: 'AND proname NOT IN (${quoted(keepersFunctions)})',
    replace: '',
    tests: 'queue-pg/test/grant-script',
  },
];
