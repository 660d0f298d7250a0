import { pipelineActor } from '@criticizer/core/internal';
import { epochMs } from './instants.js';

const actor = `json_build_object('type', '${pipelineActor.type}', 'id', '${pipelineActor.id}')`;

/**
 * The assignments that reopen a letter `d` whose replay a cancel ended, as `endCancelledReplay` has
 * them. Its notes are lengthened as text: a text that jsonb refuses could be in one of them.
 */
export function reopenLetterSql(reason: string, at: string): string {
  const note = `json_build_object('at', ${epochMs(at)}, 'actor', ${actor}, 'kind', 'system', 'text', 'The replay was cancelled: ' || ${reason})`;
  return `status = CASE WHEN d.notes::text LIKE '%"kind":"triage"%' OR d.notes::text LIKE '%"kind":"evidence"%' THEN 'triaged' ELSE 'open' END,
      notes = (left(d.notes::text, -1) || CASE d.notes::text WHEN '[]' THEN '' ELSE ',' END || ${note}::text || ']')::json,
      updated_at = greatest(d.updated_at, ${at})`;
}
