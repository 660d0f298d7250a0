/** Which call of settle a row was last changed by: what a lost connection leaves open is read back here. */
export const sql = `
ALTER TABLE {schema}.work_queue ADD COLUMN last_settlement uuid;
`;
