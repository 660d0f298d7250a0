/** ART-7: tells the objects of this database's manifest from those of others that share its artifact store. */
export const sql = `
CREATE TABLE {schema}.artifact_manifest_id (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  id text NOT NULL
);
INSERT INTO {schema}.artifact_manifest_id (only_row, id) VALUES (1, gen_random_uuid()::text);
`;
