import type { Fault } from './fault.js';

export const pagerFaults: readonly Fault[] = [
  {
    id: 'OPS-3',
    file: 'packages/core/src/alerts/alert-document.ts',
    find: "version, value)).outcome === 'written'",
    replace: "version, value)).outcome !== 'never'",
    tests: 'alerts/alerter-model',
  },
  {
    id: 'OPS-3',
    file: 'packages/core/src/alerts/due-calls.ts',
    find: "const open = result.mayBeTaken ? 'maybe' : before;",
    replace: 'const open = before;',
    tests: 'alerts/alerter-model',
  },
  {
    id: 'OPS-3',
    file: 'packages/core/src/alerts/conditions.ts',
    find: '    forMs: outageForMs,\n',
    replace: '',
    tests: 'core/test/alerts',
  },
  {
    id: 'OPS-3',
    file: 'packages/core/src/pager/jira-pager.ts',
    find: '        alias: key,\n',
    replace: '        alias: key + episode,\n',
    tests: 'pager/pagers',
  },
  {
    id: 'OPS-6',
    file: 'packages/core/src/alerts/measure-backlog.ts',
    find: 'values.get(key) ?? 0',
    replace: 'values.get(key) ?? 1',
    tests: 'core/test/criticizer-telemetry',
  },
  {
    id: 'OPS-6',
    file: 'packages/core/src/stages/llm/ask-model.ts',
    find: 'costMicros / 1_000_000',
    replace: 'costMicros',
    tests: 'core/test/criticizer-telemetry',
  },
  {
    id: 'OPS-6',
    file: 'packages/queue-sqlite/src/outbox/sqlite-notify-outbox.ts',
    find: 'GROUP BY status, waiting_for ORDER BY',
    replace: 'GROUP BY status ORDER BY',
    tests: 'queue-sqlite/test/contract',
  },
  {
    id: 'ERR-7',
    file: 'packages/core/src/alerts/store-sources.ts',
    find: "escalation !== 'none'",
    replace: "escalation === 'operator'",
    tests: 'core/test/alerts',
  },
  {
    id: 'EGR-4',
    file: 'packages/core/src/pager/call-pager.ts',
    find: 'outbound.check(destination).then(() => pager[action](alert, context))',
    replace: 'pager[action](alert, { ...context, beforeSend: async () => undefined })',
    tests: 'core/test/alerts',
  },
];
