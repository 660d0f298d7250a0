/**
 * AUD-1: what was recorded stays. A delivery may go once it is delivered; pruning more is a step of
 * its own, with a verb that is audited itself.
 */
export const sql = `
CREATE FUNCTION {schema}.refuse_audit_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are kept', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER audit_events_kept BEFORE DELETE ON {schema}.audit_events
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_events_not_emptied BEFORE TRUNCATE ON {schema}.audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_outbox_kept BEFORE DELETE ON {schema}.audit_outbox
  FOR EACH ROW WHEN (OLD.delivery_state <> 'delivered') EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_outbox_not_emptied BEFORE TRUNCATE ON {schema}.audit_outbox
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_dead_letter_kept BEFORE DELETE ON {schema}.audit_dead_letter
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_dead_letter_not_emptied BEFORE TRUNCATE ON {schema}.audit_dead_letter
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_audit_loss();
`;
