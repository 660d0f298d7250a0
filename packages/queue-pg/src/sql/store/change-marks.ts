/**
 * Legal holds and purges under way (ruling R24). Every module that keeps rows of changes makes the
 * table where another one has not.
 */
export const changeMarks = `
CREATE TABLE IF NOT EXISTS {schema}.change_marks (
  changelist_id text PRIMARY KEY,
  is_held boolean NOT NULL,
  purging_since timestamptz(3),
  CHECK (NOT is_held OR purging_since IS NULL)
);
`;
