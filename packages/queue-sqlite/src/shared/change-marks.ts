import type { SqliteSession } from './sqlite-session.js';

/** A condition: the change of a row is under a legal hold, which beats every age (ruling R24). */
export const isHeldSql = (changelistId: string): string =>
  `EXISTS (SELECT 1 FROM change_marks AS mark WHERE mark.changelist_id = ${changelistId} AND mark.is_held = 1)`;

/** True while everything of the change is being removed. */
export function isPurging(session: SqliteSession, changelistId: string): boolean {
  const sql = 'SELECT 1 FROM change_marks WHERE changelist_id = ? AND purging_since IS NOT NULL';
  return session.first(sql, changelistId) !== undefined;
}
