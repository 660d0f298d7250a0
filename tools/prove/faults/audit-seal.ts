import type { Fault } from './fault.js';

/** Faults of the seals over the audit trail (decision 127). */
export const auditSealFaults: readonly Fault[] = [
  {
    id: 'AUD-1',
    file: 'packages/core/src/audit/seal/merkle-tree.ts',
    find: 'const NODE = Uint8Array.of(0x01);',
    replace: 'const NODE = Uint8Array.of(0x00);',
    tests: 'core/src/audit/seal/merkle-tree',
  },
  {
    id: 'AUD-1',
    file: 'packages/core/src/audit/seal/seal-leaf.ts',
    find: '    leaf_index: leaf.leafIndex,\n',
    replace: '    leaf_index: 0,\n',
    tests: 'core/src/audit/seal/verify-chain',
  },
  {
    id: 'AUD-1',
    file: 'packages/core/src/audit/seal/verify-chain.ts',
    find: '    else if (seal.previousRoot !== last.merkleRoot)',
    replace: "    else if (seal.previousRoot === '')",
    tests: 'core/src/audit/seal/verify-chain',
  },
  {
    id: 'AUD-1',
    file: 'packages/core/src/audit/seal/seal-pass.ts',
    find: 'call, signal: ended }, work)',
    replace: 'call, signal }, work)',
    tests: 'core/test/sealed-export',
  },
  {
    id: 'AUD-1',
    file: 'packages/core/src/memory/audit/memory-keep-audit.ts',
    find: '{ ...leaf, actorSalt, targetSalt, payloadSalt: null }',
    replace: '{ ...leaf, actorSalt, targetSalt }',
    tests: 'core/src/memory/memory-stores',
  },
  {
    id: 'AUD-1',
    file: 'packages/core/src/memory/audit/memory-keep-audit.ts',
    find: '{ ...leaf, ...noSalts }',
    replace: 'leaf',
    tests: 'core/src/memory/memory-stores',
  },
  {
    id: 'AUD-1',
    file: 'examples/review-service/src/commands/audit-seal.ts',
    find: '  if (!report.isIntact) return 1;\n',
    replace: '',
    tests: 'review-service/test/audit-seal',
  },
];
