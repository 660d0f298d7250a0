import { createHash } from 'node:crypto';
import { type ActorType, actorTypes } from '../foundation/actor.js';
import { canonicalJson } from '../foundation/canonical-json.js';
import type { PayloadRedactor } from '../foundation/redactor.js';
import { isStorable, storableText } from '../foundation/storable-text.js';
import { checkOneOf } from '../foundation/store-input.js';
import type { NewAuditEvent } from '../stores/audit-store.js';
import { maxAuditTextBytes } from '../stores/input/new-audit-event.js';
import { readSourceIp } from '../stores/source-ip.js';
import { preparePayload } from './prepare-payload.js';
import { truncateText } from './truncate-text.js';

/** Version of the event's shape; part of every delivery's idempotency key (ruling R3). */
export const auditSchemaVersion = 1;

/** What a host says of an admin action. */
export interface AuditEntry {
  actorType: ActorType;
  actorId?: string | undefined;
  /** Verb and object: `admin.user.update`. */
  action: string;
  resultStatus: NewAuditEvent['resultStatus'];
  tenantId?: string | undefined;
  traceId?: string | undefined;
  requestId?: string | undefined;
  targetType?: string | undefined;
  targetId?: string | undefined;
  httpStatus?: number | undefined;
  /**
   * The sender's address: as the socket has it, `X-Forwarded-For` or `Forwarded`. One address is
   * stored, without port, brackets and zone; what was given stands in the payload's `_audit_meta`
   * where it differs.
   */
  sourceIp?: string | undefined;
  userAgent?: string | undefined;
  /**
   * Anything; redacted and truncated before it is stored (AUD-5..11): texts of at most 2,048 bytes,
   * at most 64 KiB in all. A text over 64 KiB is cut before redaction (ruling R5).
   */
  payload?: unknown;
}

/** Bytes of `user_agent` (AUD-9). */
const MAX_USER_AGENT_BYTES = 512;

type TextField = 'actorId' | 'tenantId' | 'traceId' | 'requestId' | 'targetType' | 'targetId' | 'userAgent';
/**
 * What was done to a column: characters no store holds were replaced, it was cut, or it held
 * nothing that could be stored.
 */
type FieldNote = 'characters_replaced' | 'truncated' | 'not_text' | 'not_a_number' | 'not_readable';

/** Reads an entry's columns and collects what had to be changed. Nothing that a caller passes makes it throw. */
class EntryColumns {
  readonly notes: Record<string, FieldNote> = {};
  private readonly entry: AuditEntry;

  constructor(entry: AuditEntry) {
    this.entry = entry;
  }

  /** A member as given; undefined, with a note, where reading it throws. */
  read(field: keyof AuditEntry): unknown {
    try {
      return this.entry[field];
    } catch {
      this.notes[field] = 'not_readable';
      return undefined;
    }
  }

  text(field: TextField, maxBytes = maxAuditTextBytes): string | null {
    const given = this.read(field);
    if (given === undefined || given === null) return null;
    if (typeof given === 'object' || typeof given === 'function' || typeof given === 'symbol') {
      this.notes[field] = 'not_text';
      return null;
    }
    const text = String(given);
    if (!isStorable(text)) this.notes[field] = 'characters_replaced';
    const storable = storableText(text);
    const stored = truncateText(storable, maxBytes);
    if (stored !== storable) this.notes[field] = 'truncated';
    return stored;
  }

  httpStatus(): number | null {
    const given = this.read('httpStatus');
    if (given === undefined || given === null) return null;
    if (Number.isInteger(given) && Math.abs(given as number) < 2 ** 31) return given as number;
    this.notes['httpStatus'] = 'not_a_number';
    return null;
  }
}

/** Throws `TypeError` naming the option for an action, an actor type or a result that is none. */
export function checkAuditEntry(entry: AuditEntry): void {
  if (
    typeof entry.action !== 'string' ||
    !/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/.test(entry.action) ||
    entry.action.length > 512
  )
    throw new TypeError('audit entry: action must be verb and object in lower case, such as "admin.user.update"');
  checkOneOf('audit entry: actorType', entry.actorType, actorTypes);
  checkOneOf('audit entry: resultStatus', entry.resultStatus, ['success', 'failure', 'partial']);
}

/**
 * Makes the event of an entry: columns that every store holds as they are, a payload redacted and
 * truncated, and its hash. Throws what `checkAuditEntry` throws; whatever else is wrong is changed
 * until it can be stored, and noted in `_audit_meta` (AUD-3).
 */
export function toAuditEvent(entry: AuditEntry, redactor: PayloadRedactor, id: string): NewAuditEvent {
  checkAuditEntry(entry);
  const columns = new EntryColumns(entry);
  const sourceIp = readSourceIp(columns.read('sourceIp'));
  const given = columns.read('payload');
  const event = {
    id,
    occurredAt: null,
    actorType: entry.actorType,
    actorId: columns.text('actorId'),
    tenantId: columns.text('tenantId'),
    traceId: columns.text('traceId'),
    requestId: columns.text('requestId'),
    action: entry.action,
    targetType: columns.text('targetType'),
    targetId: columns.text('targetId'),
    resultStatus: entry.resultStatus,
    httpStatus: columns.httpStatus(),
    sourceIp: sourceIp.address,
    userAgent: columns.text('userAgent', MAX_USER_AGENT_BYTES),
  };
  const payload = preparePayload(redactor, given, {
    ...(sourceIp.received === null ? {} : { source_ip_received: sourceIp.received }),
    ...(Object.keys(columns.notes).length === 0 ? {} : { columns: columns.notes }),
  });
  const payloadSha256 = createHash('sha256').update(canonicalJson(payload)).digest('hex');
  return { ...event, payload, payloadSha256, schemaVersion: auditSchemaVersion };
}
