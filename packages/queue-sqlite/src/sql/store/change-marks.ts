/**
 * Legal holds and purges under way (ruling R24). Every module that keeps rows of changes makes the
 * table where another one has not.
 */
export const changeMarks = `
CREATE TABLE IF NOT EXISTS change_marks (
  changelist_id TEXT PRIMARY KEY NOT NULL,
  is_held INTEGER NOT NULL CHECK (is_held IN (0, 1)),
  purging_since INTEGER,
  CHECK (is_held = 0 OR purging_since IS NULL)
);
`;
