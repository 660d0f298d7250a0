import type { AuditEvent, AuditStore } from '../../stores/audit-store.js';

/** Rows of one read, the most that a list gives. */
const pageRows = 1_000;
/** A window with fewer rows lets the next one be longer. */
const fewRows = 250;

/** Everything of a span, by pages: more rows than one page have one millisecond. */
async function readInstant<Tx>(
  store: Pick<AuditStore<Tx>, 'list'>,
  span: { since: Date; until: Date },
): Promise<AuditEvent[]> {
  const rows: AuditEvent[] = [];
  for (let before: string | undefined; ; ) {
    const page = await store.list({ ...span, before, limit: pageRows });
    rows.push(...page);
    before = page.at(-1)?.id;
    if (page.length < pageRows) return rows;
  }
}

/**
 * The trail's events of a span, oldest first, though lists give the newest first: reads window by
 * window, each as long as one page holds. Holds one page at a time.
 */
export async function* readTrailInOrder<Tx>(
  store: Pick<AuditStore<Tx>, 'list'>,
  { sinceMs, untilMs, windowMs }: { sinceMs: number; untilMs: number; windowMs: number },
): AsyncGenerator<AuditEvent, void, undefined> {
  let spanMs = windowMs;
  for (let fromMs = sinceMs; fromMs < untilMs; ) {
    const toMs = Math.min(untilMs, fromMs + spanMs);
    const span = { since: new Date(fromMs), until: new Date(toMs) };
    const page = await store.list({ ...span, limit: pageRows });
    if (page.length === pageRows && toMs - fromMs > 1) {
      spanMs = Math.ceil((toMs - fromMs) / 2);
      continue;
    }
    const rows = page.length === pageRows ? await readInstant(store, span) : [...page];
    yield* rows.reverse();
    fromMs = toMs;
    if (page.length < fewRows) spanMs *= 2;
  }
}
