/** Small shared state: watcher cursors, global limits (WQ-10), rollout documents and counts (PR-4, PR-5). */
export const sql = `
CREATE TABLE {schema}.watch_cursors (
  name text PRIMARY KEY,
  value text NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE TABLE {schema}.queue_limits (
  name text PRIMARY KEY,
  value integer NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE TABLE {schema}.rollout_entries (
  name text PRIMARY KEY,
  revision integer NOT NULL CHECK (revision >= 1),
  value json NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE TABLE {schema}.rollout_samples (
  name text NOT NULL,
  bucket timestamptz(3) NOT NULL,
  variant text NOT NULL,
  counted text NOT NULL,
  total double precision NOT NULL,
  PRIMARY KEY (name, bucket, variant, counted)
);
`;
