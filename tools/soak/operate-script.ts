// What an operator does at night: looks at the causes, mends each, triages and replays its letters, until none is left.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperator, type Stores, silentLogger, systemRandom } from '@criticizer/core';
import { createAuditTrail } from '@criticizer/core/audit';
import { openPostgresStore, openSqliteStore, type SoakStore, type StoreAddress } from './soak-store.js';

interface Shift {
  address: StoreAddress;
  mended: string;
  /** Who it is. */
  operator: string;
  /** Letters that are triaged and replayed a call. */
  limit: number;
  /** Over how long the jobs of a call become due. */
  overMs: number;
}

/** What one operator did. */
export interface ShiftReport {
  triaged: number;
  replayed: number;
  /** Letters that the other one had taken. */
  taken: number;
  degraded: number;
}

/** The cause's number, of its error class. */
const causeOf = (errorClass: string): string => errorClass.slice('CAUSE_'.length);

async function work<Tx>(stores: Stores<Tx>, shift: Shift): Promise<ShiftReport> {
  const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
  const audit = createAuditTrail({
    store: stores.audit,
    redactor: { ruleVersion: '1', redact: (value) => ({ value: JSON.parse(JSON.stringify(value)), meta }) },
    destinations: [],
    random: systemRandom,
    logger: silentLogger,
  });
  const operator = createOperator({ stores, audit });
  const by = { actor: { type: 'admin_user' as const, id: shift.operator }, reason: 'INC-7: the peer refused' };
  const report: ShiftReport = { triaged: 0, replayed: 0, taken: 0, degraded: 0 };
  const add = ({ taken, degraded }: { taken: number; degraded: number }): void => {
    report.taken += taken;
    report.degraded += degraded;
  };
  for (;;) {
    const groups = [
      ...(await stores.deadLetters.groups({ status: 'open' })),
      ...(await stores.deadLetters.groups({ status: 'triaged' })),
    ];
    if (groups.length === 0) return report;
    for (const { causeKey, errorClass } of groups) {
      writeFileSync(join(shift.mended, causeOf(errorClass)), '');
      const evidence = `peer ${causeOf(errorClass)} accepts it again`;
      const triaged = await operator.triageDeadLetters({ ...by, causeKey, evidence, limit: shift.limit });
      report.triaged += triaged.triaged;
      add(triaged);
      const replayed = await operator.replayDeadLetters({ ...by, causeKey, limit: shift.limit, overMs: shift.overMs });
      report.replayed += replayed.replayed;
      add(replayed);
    }
  }
}

const shift = JSON.parse(process.argv[2] ?? '') as Shift;
const { address } = shift;
async function end<Tx>(store: SoakStore<Tx>): Promise<void> {
  const report = await work(store.stores, shift);
  await store.close();
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
const ending =
  address.store === 'pg' ? end(openPostgresStore(address.url, address.schema, 4)) : end(openSqliteStore(address.file));
ending.catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
