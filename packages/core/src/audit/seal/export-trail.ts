import type { JsonObject } from '../../foundation/json.js';
import type { AuditSealLeaf } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import { refuseAbsentFacet } from '../../stores/modules.js';
import { toEventJson } from '../../stores/rows/audit-event-json.js';
import type { Stores } from '../../stores/stores.js';
import { toSealJson } from './seal-statement.js';

/** The version of the export's lines. */
const EXPORT_FORMAT = 1;
const pageSize = 500;

function toLeafJson(leaf: AuditSealLeaf): JsonObject {
  return {
    seal_seq: leaf.sealSeq,
    leaf_index: leaf.leafIndex,
    event_id: leaf.eventId,
    occurred_at: leaf.occurredAt.toISOString(),
    actor_salt: leaf.actorSalt,
    target_salt: leaf.targetSalt,
    payload_salt: leaf.payloadSalt,
    actor_digest: leaf.actorDigest,
    target_digest: leaf.targetDigest,
    payload_digest: leaf.payloadDigest,
    clear_digest: leaf.clearDigest,
    leaf_hash: leaf.leafHash,
  };
}

const toLine = (value: JsonObject): string => `${JSON.stringify(value)}\n`;

/**
 * The whole trail as lines of JSON, for the offline script: each seal, its leaves with their events,
 * then the events that no seal holds, then a line with the counts, so that a cut export is noticed.
 * Gives line by line and holds one batch; what is sealed meanwhile is left to the next export. Holds
 * what the events hold: keep it where the database may be kept. Rejects as the store does.
 */
export async function* exportAuditTrail<Tx>(
  stores: Pick<Stores<Tx>, 'auditSeals' | 'now'>,
): AsyncGenerator<string, void, undefined> {
  const { auditSeals } = stores;
  refuseAbsentFacet('exportAuditTrail: stores.auditSeals', auditSeals);
  yield toLine({ type: 'trail', format: EXPORT_FORMAT, exported_at: (await stores.now()).toISOString() });
  const counts = { seals: 0, leaves: 0, unsealed: 0 };
  const lastSeq = (await auditSeals.head())?.seq ?? 0;
  for (let after = 0; after < lastSeq; ) {
    const seals = (await auditSeals.list({ after, limit: pageSize })).filter(({ seq }) => seq <= lastSeq);
    for (const seal of seals) {
      counts.seals += 1;
      yield toLine({ type: 'seal', ...toSealJson(seal) });
      for (const { leaf, event } of await auditSeals.listLeaves(seal.seq)) {
        counts.leaves += 1;
        yield toLine({ type: 'leaf', ...toLeafJson(leaf), event: event === null ? null : toEventJson(event) });
      }
    }
    after = seals.at(-1)?.seq ?? lastSeq;
  }
  let last: AuditEvent | undefined;
  for (let isMore = true; isMore; ) {
    const page = await auditSeals.listUnsealed({ after: last, limit: pageSize });
    for (const event of page) {
      counts.unsealed += 1;
      yield toLine({ type: 'unsealed', event: toEventJson(event) });
    }
    last = page.at(-1);
    isMore = page.length === pageSize;
  }
  yield toLine({ type: 'end', ...counts });
}
