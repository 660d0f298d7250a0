/**
 * Since when the wall clock is ahead of what passed, and what it leapt lately: a leap is followed
 * once it has lasted, and expires nothing at first.
 */
export const sql = `
ALTER TABLE criticizer_clock ADD COLUMN leap_wall_ms REAL;
ALTER TABLE criticizer_clock ADD COLUMN leap_monotonic_ms REAL;
ALTER TABLE criticizer_clock ADD COLUMN doubted_ms REAL NOT NULL DEFAULT 0;
ALTER TABLE criticizer_clock ADD COLUMN doubted_until_ms REAL NOT NULL DEFAULT 0;
`;
