import type { JsonValue } from '../../foundation/json.js';
import type { AuditEvent, AuditStore } from '../../stores/audit-store.js';
import type { ExplainedLoss } from './verify-leaf.js';

/** The actions of the verbs that delete and blank events. */
const pruneAction = 'audit.events.prune';
const eraseAction = 'audit.subject.erase';

const pageSize = 1_000;

/** An id as the event of an erasure holds it: without its dashes, which redaction could take for a card's number. */
function readId(value: JsonValue): string | null {
  const hex =
    typeof value === 'string'
      ? /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/.exec(value)
      : null;
  return hex === null ? null : hex.slice(1).join('-');
}

async function* listAll(store: Pick<AuditStore<never>, 'list'>, action: string): AsyncGenerator<AuditEvent> {
  let before: string | undefined;
  for (let isMore = true; isMore; ) {
    const page = await store.list({ action, before, limit: pageSize });
    yield* page;
    before = page.at(-1)?.id;
    isMore = page.length === pageSize;
  }
}

/**
 * What prunes and erasures that are in the trail explain. Their own events are sealed like any other,
 * so that one that was forged after its sealing is found; one that nothing seals yet counts.
 */
export async function findExplainedLoss(store: Pick<AuditStore<never>, 'list'>): Promise<ExplainedLoss> {
  let prunedUntil: Date | null = null;
  for await (const { payload } of listAll(store, pruneAction)) {
    const until = new Date(String(payload['occurredUntil']));
    if (until.getTime() > (prunedUntil?.getTime() ?? Number.NEGATIVE_INFINITY)) prunedUntil = until;
  }
  const erasedIds = new Set<string>();
  for await (const { payload } of listAll(store, eraseAction)) {
    const ids = payload['eventIds'];
    for (const given of Array.isArray(ids) ? (ids as readonly JsonValue[]) : []) {
      const id = readId(given);
      if (id !== null) erasedIds.add(id);
    }
  }
  return { prunedUntil, erasedIds };
}
