// Bad limits, planted in the claim's function in the database: what a slip in it would make of the limit.

/**
 * `off-by-one`: one more than W may run. `unlocked-count`: the limit's row is read without its
 * lock, so claims count side by side.
 */
export const plantedLimitFaults = ['off-by-one', 'unlocked-count'] as const;
export type PlantedLimitFault = (typeof plantedLimitFaults)[number];

const slips: Readonly<Record<PlantedLimitFault, { find: string; replace: string }>> = {
  'off-by-one': { find: 'bound - count(*)', replace: 'bound + 1 - count(*)' },
  'unlocked-count': { find: `WHERE l.name = 'running' FOR UPDATE`, replace: `WHERE l.name = 'running'` },
};

interface Queryable {
  query(text: string): Promise<{ rows: { definition: string }[] }>;
}

/**
 * Replaces the claim's function. Throws where the text to spoil is not there exactly once: a fault
 * that is not planted proves nothing.
 */
export async function plantLimitFault(database: Queryable, schema: string, fault: PlantedLimitFault): Promise<void> {
  const { find, replace } = slips[fault];
  const { rows } = await database.query(`SELECT pg_get_functiondef('${schema}.claim_jobs'::regproc) AS definition`);
  const parts = (rows[0]?.definition ?? '').split(find);
  if (parts.length !== 2) throw new Error(`${fault}: the claim has ${parts.length - 1} places like "${find}"`);
  await database.query(parts.join(replace));
}
