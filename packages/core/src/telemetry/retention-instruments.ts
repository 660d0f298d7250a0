import { attribute as a } from './attributes.js';
import type { Instrument } from './instrument.js';

/** What is removed because of its age, and what should have been. */
export const retentionInstruments: Readonly<Record<'rowsPruned' | 'rowsExpired', Instrument>> = {
  rowsPruned: {
    name: 'criticizer.retention.pruned',
    kind: 'counter',
    unit: '{row}',
    attributes: [a.table],
    description:
      'Rows deleted because of their age (`retention`), jobs left out: `criticizer.job.pruned` counts those.',
  },
  rowsExpired: {
    name: 'criticizer.retention.expired',
    kind: 'gauge',
    unit: '{row}',
    attributes: [a.table],
    description:
      'Rows that outlived their age by six hours and are still there, 10,000 at most; of artifacts those past their expiry after a sweep. Measured once an hour; must be 0. Alert on it.',
  },
};
