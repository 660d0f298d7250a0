import type { Fault } from './fault.js';

export const auditRecordFaults: readonly Fault[] = [
  {
    id: 'AUD-9',
    file: 'packages/core/src/audit/truncate-text.ts',
    find: 'maxBytes - marker(maxBytes).length',
    replace: 'maxBytes',
    tests: 'audit/bound-texts',
  },
  {
    id: 'AUD-9',
    file: 'packages/core/src/audit/truncation/truncation-steps.ts',
    find: "if (node.kind === 'text' && textBytes(node) > maxAuditTextBytes)",
    replace: "if (node.kind === 'text' && textBytes(node) > maxAuditTextBytes * 2)",
    tests: 'truncation/truncate-payload',
  },
  {
    id: 'AUD-9',
    file: 'packages/core/src/stores/input/new-audit-event.ts',
    find: 'settlement.errorMessage, maxAuditErrorMessageBytes',
    replace: 'settlement.errorMessage, maxAuditErrorMessageBytes * 2',
    tests: 'core/src/memory/memory-stores',
  },
  {
    id: 'AUD-10',
    file: 'packages/core/src/audit/truncation/truncation-steps.ts',
    find: "['debug', 'stack', 'raw_request', 'raw_response']",
    replace: "['stack', 'debug', 'raw_request', 'raw_response']",
    tests: 'truncation/truncate-payload',
  },
  {
    id: 'AUD-10',
    file: 'packages/core/src/audit/truncation/truncation-steps.ts',
    find: '    summarizeRoot,\n  ];',
    replace: '  ];',
    tests: 'truncation/truncate-payload',
  },
  {
    id: 'AUD-10',
    file: 'packages/core/src/audit/truncation/truncation-steps.ts',
    find: '.sort((a, b) => b.bytes - a.bytes)',
    replace: '.sort((a, b) => a.bytes - b.bytes)',
    tests: 'truncation/truncate-payload',
  },
  {
    id: 'AUD-10',
    file: 'packages/core/src/audit/truncation/path-list.ts',
    find: 'this.listed.length === MAX_PATHS || ',
    replace: '',
    tests: 'truncation/truncate-payload',
  },
  {
    id: 'AUD-11',
    file: 'packages/core/src/audit/prepare-payload.ts',
    find: 'bound.bytesOriginal,',
    replace: 'Buffer.byteLength(JSON.stringify(payload)),',
    tests: 'core/test/audit-payload',
  },
  {
    id: 'AUD-11',
    file: 'packages/core/src/audit/truncation/truncate-payload.ts',
    find: '  if (isTruncated(payload)) return payload;\n',
    replace: '',
    tests: 'truncation/truncate-payload',
  },
  {
    id: 'AUD-11',
    file: 'packages/core/src/audit/raw-size.ts',
    find: "    this.bytes += jsonFrameBytes('array', length);",
    replace: "    this.bytes += jsonFrameBytes('array', 1);",
    tests: 'audit/bound-texts',
  },
];
