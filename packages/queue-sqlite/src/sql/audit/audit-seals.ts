/**
 * Seals over the trail (decision 127): signed roots of batches, and what each says about its events.
 * A sealer writes them off the host's path. Nothing of them ever changes, except that the verbs that
 * erase a person or prune an event delete the salts of its leaf.
 */
export const seals = `
-- A sealer reads events in the order in which they were recorded.
CREATE INDEX idx_audit_events_created ON audit_events (created_at_utc, id);
CREATE TABLE audit_seals (
  seq INTEGER PRIMARY KEY,
  leaf_count INTEGER NOT NULL,
  merkle_root TEXT NOT NULL,
  previous_root TEXT NOT NULL,
  sealed_at_utc INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  signature TEXT NOT NULL
);
-- No reference to audit_events: a pruned event leaves its leaf behind.
CREATE TABLE audit_seal_leaves (
  seal_seq INTEGER NOT NULL REFERENCES audit_seals (seq),
  leaf_index INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  event_occurred_at_utc INTEGER NOT NULL,
  actor_salt TEXT,
  target_salt TEXT,
  payload_salt TEXT,
  actor_digest TEXT NOT NULL,
  target_digest TEXT NOT NULL,
  payload_digest TEXT NOT NULL,
  clear_digest TEXT NOT NULL,
  leaf_hash TEXT NOT NULL,
  PRIMARY KEY (seal_seq, leaf_index)
) WITHOUT ROWID;
CREATE UNIQUE INDEX ux_audit_seal_leaves_event ON audit_seal_leaves (event_id);
CREATE TRIGGER audit_seals_immutable BEFORE UPDATE ON audit_seals BEGIN SELECT RAISE(ABORT, 'rows of audit_seals never change'); END;
CREATE TRIGGER audit_seals_kept BEFORE DELETE ON audit_seals BEGIN SELECT RAISE(ABORT, 'rows of audit_seals are kept'); END;
CREATE TRIGGER audit_seals_not_replaced BEFORE INSERT ON audit_seals WHEN EXISTS (SELECT 1 FROM audit_seals WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'rows of audit_seals are kept'); END;
CREATE TRIGGER audit_seal_leaves_immutable BEFORE UPDATE ON audit_seal_leaves WHEN NOT (
  EXISTS (SELECT 1 FROM audit_verb) AND (NEW.actor_salt IS NULL OR NEW.actor_salt IS OLD.actor_salt)
  AND (NEW.target_salt IS NULL OR NEW.target_salt IS OLD.target_salt) AND (NEW.payload_salt IS NULL OR NEW.payload_salt IS OLD.payload_salt)
  AND (NEW.seal_seq, NEW.leaf_index, NEW.event_id, NEW.event_occurred_at_utc, NEW.actor_digest, NEW.target_digest, NEW.payload_digest,
    NEW.clear_digest, NEW.leaf_hash) = (OLD.seal_seq, OLD.leaf_index, OLD.event_id, OLD.event_occurred_at_utc, OLD.actor_digest, OLD.target_digest,
    OLD.payload_digest, OLD.clear_digest, OLD.leaf_hash))
BEGIN SELECT RAISE(ABORT, 'rows of audit_seal_leaves never change'); END;
CREATE TRIGGER audit_seal_leaves_kept BEFORE DELETE ON audit_seal_leaves BEGIN SELECT RAISE(ABORT, 'rows of audit_seal_leaves are kept'); END;
CREATE TRIGGER audit_seal_leaves_not_replaced BEFORE INSERT ON audit_seal_leaves
WHEN EXISTS (SELECT 1 FROM audit_seal_leaves WHERE event_id = NEW.event_id OR (seal_seq = NEW.seal_seq AND leaf_index = NEW.leaf_index))
BEGIN SELECT RAISE(ABORT, 'rows of audit_seal_leaves are kept'); END;
`;
