import { CriticizerError } from '../../foundation/errors.js';
import type { EgressLog } from '../../stores/egress-log.js';
import { checkNewEgressRecord } from '../../stores/input/new-egress-record.js';
import type { MemoryDatabase, MemoryTx } from '../shared/memory-database.js';
import { pageOfList } from '../shared/memory-pages.js';

/** The egress log of `createMemoryStores`. */
export function createMemoryEgressLog(database: MemoryDatabase): EgressLog<MemoryTx> {
  return {
    storeId: database.storeId,
    append: (records, options) =>
      database.write(options?.tx, ({ tables, now }) => {
        for (const [n, record] of records.entries()) {
          checkNewEgressRecord(record, `records[${n}]`);
          if (tables.egress.get(record.id) !== undefined) {
            const details = { id: record.id };
            throw new CriticizerError('EGRESS_RECORD_EXISTS', 'an egress record of this id exists', {
              category: 'conflict',
              details,
            });
          }
          tables.egress.put(record.id, { ...structuredClone(record), recordedAt: now });
        }
      }),
    list: (filter) =>
      database.read(undefined, ({ tables }) => {
        const { changelistId, jobId, destination } = filter;
        return pageOfList(
          tables.egress.rows().reverse(),
          filter,
          (record) => record.recordedAt,
          (record) =>
            (changelistId ?? record.changelistId) === record.changelistId &&
            (jobId ?? record.jobId) === record.jobId &&
            (destination ?? record.destination) === record.destination,
        );
      }),
  };
}
