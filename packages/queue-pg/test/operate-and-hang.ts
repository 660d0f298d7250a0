// A host whose operator calls one verb; it stops in the middle and does nothing until it is killed.
// Arguments: the database's URL and schema, the verb, the id of its row, where to stop.
import { createOperator, systemRandom } from '@criticizer/core';
import { type AuditTrail, createAuditTrail, silentLogger } from '@criticizer/core/audit';
import type { PgTx } from '../src/shared/pg-database.js';
import { openStores, testPool } from './stores-on-postgres.js';

const [databaseUrl = '', schema = '', verb = '', id = '', stopAt = ''] = process.argv.slice(2);
const stores = openStores({ pool: testPool(databaseUrl, 2), schema });
const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const trail = createAuditTrail({
  store: stores.audit,
  redactor: { ruleVersion: '1', redact: () => ({ value: null, meta }) },
  destinations: ['siem'],
  random: systemRandom,
  logger: silentLogger,
});

async function hang(): Promise<void> {
  process.stdout.write('stopped\n');
  await new Promise(() => setInterval(() => undefined, 1_000));
}

const audit: AuditTrail<PgTx> = {
  storeId: trail.storeId,
  async record(entry, options) {
    if (stopAt === 'before the event') await hang();
    const recorded = await trail.record(entry, options);
    if (stopAt === 'before the commit') await hang();
    return recorded;
  },
};
const operator = createOperator({ stores, audit });
const by = { actor: { type: 'admin_user', id: 'ada' }, reason: 'killed while at it' } as const;
if (verb === 'job.cancel') await operator.cancelJob({ jobId: id, ...by });
else if (verb === 'dead_letter.replay')
  await operator.replayDeadLetter({ deadLetterId: id, evidence: 'mended', ...by });
else if (verb === 'dead_letter.triage') await operator.triageDeadLetter({ deadLetterId: id, ...by });
else await operator.closeDeadLetter({ deadLetterId: id, status: 'ignored', ...by });
await hang();
