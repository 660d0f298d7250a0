// The verdict over an audit soak: by what the sinks took and by the letters, never by what a row says.
import type { AuditDeadLetter, AuditStore } from '@criticizer/core/ports';
import type { FarSink } from './audit-far-ends.js';

const windowMs = 24 * 3_600_000;

/** The open letters, by page. */
export async function openLetters(audit: AuditStore<never>): Promise<readonly AuditDeadLetter[]> {
  const letters: AuditDeadLetter[] = [];
  for (let before: string | undefined; ; ) {
    const page = await audit.listDeadLetters({ operatorStatus: 'open', limit: 1_000, ...(before && { before }) });
    letters.push(...page);
    if (page.length < 1_000) return letters;
    before = page.at(-1)?.id;
  }
}

/** How many letters have each code. */
export function countCodes(letters: readonly AuditDeadLetter[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { errorDetails } of letters) {
    const code = String(errorDetails?.code);
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

/** What the sinks took, against what they should have. */
export function judge(sinks: readonly FarSink[], events: readonly string[], letters: readonly AuditDeadLetter[]) {
  const dead = new Set(letters.map(({ auditEventId, destination }) => `${destination} ${auditEventId}`));
  let [lost, otherKeys, repeats, repeatsAfterWindow] = [0, 0, 0, 0];
  for (const { id: sink, taken } of sinks) {
    const keys = new Map<string, number>();
    for (const { eventId, atMs } of taken.values()) {
      keys.set(eventId, (keys.get(eventId) ?? 0) + 1);
      repeats += atMs.length - 1;
      repeatsAfterWindow += atMs.slice(1).filter((at) => at - (atMs[0] ?? at) > windowMs).length;
    }
    lost += events.filter((id) => !keys.has(id) && !dead.has(`${sink} ${id}`)).length;
    otherKeys += [...keys.values()].filter((count) => count > 1).length;
  }
  return { lost, otherKeys, repeats, repeatsAfterWindow };
}
