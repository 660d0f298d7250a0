import type { SqliteSession } from '../shared/sqlite-session.js';

/** Runs `work` as a verb that the audit's triggers let pass. The name is gone before the transaction ends. */
export function asAuditVerb<T>(session: SqliteSession, verb: 'erase' | 'prune', work: () => T): T {
  session.run('INSERT INTO audit_verb (verb) VALUES (?)', verb);
  const done = work();
  session.run('DELETE FROM audit_verb WHERE verb = ?', verb);
  return done;
}
