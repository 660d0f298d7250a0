// Bad limits, planted in the SQL that the store sends: what a slip in the claim would make of it.
import type pg from 'pg';

/** `off-by-one`: one more than W may run. `unlocked-count`: the limit's row is read without its lock, so claims count side by side. */
export const plantedLimitFaults = ['off-by-one', 'unlocked-count'] as const;
export type PlantedLimitFault = (typeof plantedLimitFaults)[number];

const asksForLimit = (text: string): boolean => /FROM \S+\.queue_limits WHERE name = 'running' FOR UPDATE/.test(text);

const rewrites: Readonly<Record<PlantedLimitFault, (text: string) => string>> = {
  'off-by-one': (text) => text.replace('SELECT value FROM', 'SELECT value + 1 AS value FROM'),
  'unlocked-count': (text) => text.replace(' FOR UPDATE', ''),
};

/** Every connection of the pool sends the faulty statement. Gives how often it was sent: a fault that was never sent was never planted. */
export function plantLimitFault(pool: pg.Pool, fault: PlantedLimitFault): () => number {
  let sent = 0;
  const rewrite = (text: string): string => {
    const faulty = asksForLimit(text) ? rewrites[fault](text) : text;
    if (faulty !== text) sent++;
    return faulty;
  };
  pool.on('connect', (client) => {
    const query: (...given: never[]) => unknown = client.query.bind(client);
    const planted = (first: string | { text: string }, ...rest: unknown[]): unknown =>
      Reflect.apply(query, client, [typeof first === 'string' ? rewrite(first) : { ...first, text: rewrite(first.text) }, ...rest]);
    Object.assign(client, { query: planted });
  });
  return () => sent;
}
