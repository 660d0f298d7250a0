import { z } from 'zod';
import type { JsonValue } from '../foundation/json.js';
import type { DocumentStore } from '../stores/document-store.js';
import type { Logger } from '../telemetry/logger.js';
import { type AlertsState, noAlerts } from './alert-state.js';

/** Name of the document in `stores.documents`. */
export const alertsDocument = 'alerts';

const instant = z.number();
const open = z.enum(['no', 'maybe', 'yes']);
const page = z.object({
  open,
  claim: z
    .object({
      token: z.string(),
      untilMs: instant,
      action: z.enum(['trigger', 'resolve']),
      before: open,
      isDoubted: z.boolean(),
    })
    .nullable(),
  attempts: z.number(),
  nextAtMs: instant,
  code: z.string().nullable(),
});
const condition = z.object({
  key: z.string(),
  kind: z.string(),
  code: z.string(),
  severity: z.enum(['critical', 'error', 'warning']),
  place: z.record(z.string(), z.string()),
  count: z.number(),
  text: z.string(),
  forMs: z.number(),
  keepMs: z.number(),
});
const alert = z.object({
  condition,
  episode: z.number(),
  isFiring: z.boolean(),
  startedAtMs: instant,
  endedAtMs: instant.nullable(),
  quietSinceMs: instant.nullable(),
  observers: z.record(z.string(), instant.nullable()),
  pages: z.record(z.string(), page),
});
const schema: z.ZodType<AlertsState> = z.object({
  v: z.literal(1),
  lastEpisode: z.number(),
  readAtMs: z.record(z.string(), instant),
  alerts: z.record(z.string(), alert),
});

/** The stored state and its version. */
export interface StoredAlerts {
  version: number;
  state: AlertsState;
}

/**
 * Reads the document of all alerts. One that is not of this form is replaced by an empty state and
 * logged: somebody may be paged twice, which is better than never.
 */
export async function readAlerts(
  documents: Pick<DocumentStore<never>, 'read'>,
  logger: Pick<Logger, 'error'>,
): Promise<StoredAlerts> {
  const { version, value } = await documents.read(alertsDocument);
  if (value === null) return { version, state: noAlerts };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { version, state: parsed.data };
  logger.error(
    { event: 'alert.document_unreadable', document: alertsDocument, version },
    'the stored alerts cannot be read; they begin anew',
  );
  return { version, state: noAlerts };
}

/** Replaces the document where it still has this version; false where another process was faster. */
export async function writeAlerts(
  documents: Pick<DocumentStore<never>, 'write'>,
  { version, state }: StoredAlerts,
): Promise<boolean> {
  const value: JsonValue = JSON.parse(JSON.stringify(state));
  return (await documents.write(alertsDocument, version, value)).outcome === 'written';
}
