/** Small shared state: watcher cursors, global limits (WQ-10), rollout documents and counts (PR-4, PR-5). */
export const sql = `
CREATE TABLE watch_cursors (
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE queue_limits (
  name TEXT PRIMARY KEY NOT NULL,
  value INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE rollout_entries (
  name TEXT PRIMARY KEY NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE rollout_samples (
  name TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  variant TEXT NOT NULL,
  counted TEXT NOT NULL,
  total REAL NOT NULL,
  PRIMARY KEY (name, bucket, variant, counted)
) WITHOUT ROWID;
`;
