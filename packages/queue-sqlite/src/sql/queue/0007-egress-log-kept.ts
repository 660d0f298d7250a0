/** EGR-1: REPLACE removes a row without a delete trigger, so that an id that is there already is refused before. */
export const sql = `
CREATE TRIGGER egress_log_not_replaced BEFORE INSERT ON egress_log WHEN EXISTS (SELECT 1 FROM egress_log WHERE id = NEW.id OR seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'egress_log is append only'); END;
`;
