import type { JobRow as JobColumns } from '@criticizer/core/internal';
import type { SqliteSession } from '../shared/sqlite-session.js';

/** A row of `work_queue`, with the columns that only SQLite has. */
export interface JobRow extends JobColumns {
  ready: number;
  last_settlement: string | null;
}

export function findJob(session: SqliteSession, id: string): JobRow | undefined {
  return session.first<JobRow>('SELECT * FROM work_queue WHERE id = ?', id);
}
