// #region keep
import type { Operator } from '@criticizer/core';

const YEAR_MS = 365 * 86_400_000;

/** Once a month: what happened more than two years ago and is delivered. */
export async function pruneTrail(operator: Operator): Promise<number> {
  const actor = { type: 'service_account', id: 'retention' } as const;
  const { events } = await operator.pruneAudit({ olderThanMs: 2 * YEAR_MS, actor, reason: 'retention of two years' });
  return events;
}

/** When a person asks for it. Gives the idempotency keys to erase at each sink. */
export async function erasePerson(operator: Operator, id: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const request = { id, actor: { type: 'admin_user', id: 'dpo' }, reason: 'DPO-7' } as const;
  const keys = new Map<string, string[]>();
  for (let hasMore = true; hasMore; ) {
    const done = await operator.eraseSubject(request);
    for (const [destination, sent] of Object.entries(done.sent))
      keys.set(destination, [...(keys.get(destination) ?? []), ...sent]);
    hasMore = done.hasMore;
  }
  return keys;
}
// #endregion
