// One small fault for each requirement that docs/conformance.md calls met, a file per family under faults/:
// `npm run prove` plants it and expects the requirement's tests to fail.

import { artFaults } from './faults/art.js';
import { audFaults } from './faults/aud.js';
import { auditKeepFaults } from './faults/audit-keep.js';
import { auditRecordFaults } from './faults/audit-record.js';
import { auditRolloutFaults } from './faults/audit-rollout.js';
import { auditSealFaults } from './faults/audit-seal.js';
import { chnFaults } from './faults/chn.js';
import { egrFaults } from './faults/egr.js';
import { errFaults } from './faults/err.js';
import type { Fault } from './faults/fault.js';
import { grdFaults } from './faults/grd.js';
import { intFaults } from './faults/int.js';
import { invFaults } from './faults/inv.js';
import { notFaults } from './faults/not.js';
import { opsFaults } from './faults/ops.js';
import { outFaults } from './faults/out.js';
import { p4Faults } from './faults/p4.js';
import { pagerFaults } from './faults/pager.js';
import { prFaults } from './faults/pr.js';
import { redFaults } from './faults/red.js';
import { secFaults } from './faults/sec.js';
import { wqFaults } from './faults/wq.js';

export type { Fault };

export const faults: readonly Fault[] = [
  ...invFaults,
  ...wqFaults,
  ...outFaults,
  ...pagerFaults,
  ...prFaults,
  ...p4Faults,
  ...secFaults,
  ...artFaults,
  ...redFaults,
  ...errFaults,
  ...notFaults,
  ...chnFaults,
  ...audFaults,
  ...auditKeepFaults,
  ...auditSealFaults,
  ...auditRecordFaults,
  ...auditRolloutFaults,
  ...egrFaults,
  ...intFaults,
  ...grdFaults,
  ...opsFaults,
];
