/** ART-7: tells the objects of this database's manifest from those of others that share its artifact store. */
export const sql = `
CREATE TABLE artifact_manifest_id (
  only_row INTEGER PRIMARY KEY NOT NULL CHECK (only_row = 1),
  id TEXT NOT NULL
);
INSERT INTO artifact_manifest_id (only_row, id) VALUES (1, lower(hex(randomblob(16))));
`;
