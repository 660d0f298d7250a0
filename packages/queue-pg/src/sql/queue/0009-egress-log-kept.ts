/** EGR-1: the egress log cannot be emptied either. */
export const sql = `
CREATE TRIGGER egress_log_not_emptied BEFORE TRUNCATE ON {schema}.egress_log
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_change();
`;
