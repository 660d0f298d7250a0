/** AUD-1: the checks on state columns, as the last step of the module. */
export const sql = `
ALTER TABLE {schema}.audit_events
  ADD CONSTRAINT ck_audit_events_actor_type CHECK (actor_type IN ('admin_user', 'service_account', 'system')),
  ADD CONSTRAINT ck_audit_events_result_status CHECK (result_status IN ('success', 'failure', 'partial'));
ALTER TABLE {schema}.audit_outbox
  ADD CONSTRAINT ck_audit_outbox_delivery_state CHECK (delivery_state IN ('pending', 'in_progress', 'retry_wait', 'delivered', 'dead_lettered'));
ALTER TABLE {schema}.audit_dead_letter
  ADD CONSTRAINT ck_audit_dead_letter_operator_status CHECK (operator_status IN ('open', 'requeued', 'ignored', 'resolved'));
`;
