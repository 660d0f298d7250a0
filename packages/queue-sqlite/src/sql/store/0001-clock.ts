/** What every module of this store needs: its clock (INV-6). PostgreSQL's is the database's own. */
export const sql = `
-- The store's clock: it follows the host's and never falls (INV-6).
CREATE TABLE criticizer_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  now_ms REAL NOT NULL,
  host_ms INTEGER NOT NULL,
  -- The host's monotonic clock beside its wall clock: what stored time moves on beyond what has passed is a step of the wall clock.
  monotonic_ms REAL NOT NULL DEFAULT 0,
  -- Since when the wall clock is ahead of what passed, and what it leapt lately: a leap is followed once it has lasted.
  leap_wall_ms REAL,
  leap_monotonic_ms REAL,
  doubted_ms REAL NOT NULL DEFAULT 0,
  doubted_until_ms REAL NOT NULL DEFAULT 0
);
INSERT INTO criticizer_clock (id, now_ms, host_ms) VALUES (1, 0, 0);
`;
