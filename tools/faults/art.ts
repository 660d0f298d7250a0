import type { Fault } from './fault.js';

export const artFaults: readonly Fault[] = [
  {
    id: 'ART-1',
    file: 'packages/core/src/settings.ts',
    find: 'rawTtlMs: ms(minute, 7 * day,',
    replace: 'rawTtlMs: ms(minute, 70 * day,',
    tests: 'core/src/settings.test.ts',
  },
  {
    id: 'ART-2',
    file: 'packages/core/src/artifacts/envelope.ts',
    find: 'yield Buffer.concat([cipher.update(piece), ',
    replace: 'yield Buffer.concat([piece, ',
    tests: 'artifacts/envelope',
  },
  {
    id: 'ART-3',
    file: 'packages/core/src/artifacts/role-access-policy.ts',
    find: 'g.actions.includes(action) && ',
    replace: '',
    tests: 'artifacts/',
  },
  {
    id: 'ART-3',
    file: 'packages/core/src/artifacts/artifacts.ts',
    find: "await authorize(actor, 'read', row);",
    replace: '',
    tests: 'artifacts/artifacts.test',
  },
  {
    id: 'ART-5',
    file: 'packages/core/src/artifacts/file-artifact-store.ts',
    find: 'join(directory, location.namespace, location.key.slice(0, 2))',
    replace: 'join(directory, location.key.slice(0, 2))',
    tests: 'artifacts/',
  },
  {
    id: 'ART-5',
    file: 'packages/core/src/pipeline/notify-stage.ts',
    find: 'review.hiddenPaths.length === 0 ? options.redactor.rules : null',
    replace: 'options.redactor.rules',
    tests: 'core/test/criticizer.test',
  },
  {
    id: 'ART-6',
    file: 'packages/core/src/egress/redact-for-llm.ts',
    find: "if (!sameRules(part, redactor.rules)) throw blockEgress('rules_differ', options);",
    replace: '',
    tests: 'egress/redact-for-llm',
  },
  {
    id: 'ART-6',
    file: 'packages/core/src/artifacts/artifacts.ts',
    find: "found.row.namespace !== 'redacted' || found.row.redaction === null",
    replace: "found.row.namespace === 'redacted' && found.row.redaction === null",
    tests: 'artifacts/artifacts.test',
  },
  {
    id: 'ART-7',
    file: 'packages/core/src/artifacts/memory-artifact-manifest.ts',
    find: ' || isHeld(held.lease, session.now)) {',
    replace: ') {',
    tests: 'core/src/memory-stores.test.ts',
  },
  {
    id: 'ART-7',
    file: 'packages/core/src/artifacts/sweep-artifacts.ts',
    find: 'stillPresent++;',
    replace: 'gone.push(row.id);',
    tests: 'artifacts/artifacts.test',
  },
];
