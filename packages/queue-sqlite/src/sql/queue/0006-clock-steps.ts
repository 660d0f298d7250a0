/**
 * The host's monotonic clock beside its wall clock: what stored time moves on beyond what has
 * passed is a step of the wall clock.
 */
export const sql = `
ALTER TABLE criticizer_clock ADD COLUMN monotonic_ms REAL NOT NULL DEFAULT 0;
`;
