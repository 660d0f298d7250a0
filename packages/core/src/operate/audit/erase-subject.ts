import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import type { JsonObject } from '../../foundation/json.js';
import { checkArray, optional } from '../../foundation/option-checks.js';
import { checkText, checkWhole } from '../../foundation/store-input.js';
import type { AuditErasure, ErasedAuditEvents } from '../../stores/audit-store.js';
import { erasureMember } from '../../stores/input/audit-keeping.js';
import {
  checkRequest,
  type Operated,
  type Operation,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';
import { digestAuditSubject } from './subject-digest.js';

/** Whom to erase from the audit trail. */
export interface EraseSubject extends OperatorRequest {
  /** The person's id, as `actorId` or `targetId` of events hold it. The reason must not name it. */
  id: string;
  /**
   * The `targetType`s whose targets are persons. Left out, every target of that id is blanked: name
   * them where ids are numbers that other things bear, too.
   */
  targetTypes?: readonly string[] | undefined;
  /** Most events to blank. Default: 10,000. */
  limit?: number | undefined;
}

/** What an erasure blanked, and what is left to do elsewhere. */
export interface SubjectErased {
  /** `nothing`: no event names the person, or none does any more. */
  outcome: 'erased' | 'nothing';
  events: number;
  /** Dead letters of audit deliveries that this person had ended. */
  deadLetters: number;
  /** By destination, the idempotency keys of what its sink may hold: erase it there. */
  sent: Readonly<Record<string, readonly string[]>>;
  /** True: `limit` was reached; a further call goes on. */
  hasMore: boolean;
}

/** Events that one transaction blanks; their ids stand in its audit event. */
const PAGE_EVENTS = 500;

/** Throws `TypeError` where the event of the erasure would itself name the person. */
function refuseNamed({ id, actor, reason }: EraseSubject): void {
  if (actor.id === id)
    throw new TypeError('eraseSubject: actor: expected another person: the event of the erasure names its actor');
  const escaped = id.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  if (new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'iu').test(reason))
    throw new TypeError('eraseSubject: reason: expected not to name the person: the event of the erasure holds it');
}

function createOperation<Tx>(
  { stores }: OperatorParts<Tx>,
  { id, actor, reason }: EraseSubject,
  erasure: AuditErasure,
): Operation<Tx, ErasedAuditEvents> {
  return {
    action: 'audit.subject.erase',
    targetType: 'audit_subject',
    targetId: digestAuditSubject(id),
    actor,
    reason,
    mustRecord: true,
    change: (tx) => stores.audit.eraseSubject(erasure, { tx }),
    hasChanged: ({ eventIds, deadLetters }) => eventIds.length + deadLetters > 0,
    describe: ({ eventIds, deadLetters }) => ({
      events: eventIds.length,
      // With dashes a few in 100,000 look like the number of a card, which redaction masks.
      eventIds: eventIds.map((eventId) => eventId.replaceAll('-', '')),
      deadLetters,
    }),
  };
}

/**
 * Blanks a person in the audit trail, page by page; each page is one transaction with its own event,
 * and is undone where that event cannot be stored. A second call goes on where the first ended, and
 * changes nothing once all is blank. Throws `TypeError` where actor or reason name the person.
 * Rejects with `AUDIT_NOT_STORED`, with `AUDIT_TRAIL_APART` where the trail lies on another database
 * than the stores, and with the store's error; the pages before stay blank.
 */
export async function eraseSubject<Tx>(
  parts: OperatorParts<Tx>,
  request: EraseSubject,
): Promise<Operated<SubjectErased['outcome']> & SubjectErased> {
  checkRequest<EraseSubject>('eraseSubject', request, {
    id: (option, value) => checkText(option, value, 2048),
    targetTypes: optional(checkArray),
    limit: optional((option, value) => checkWhole(option, value, 1)),
  });
  refuseNamed(request);
  const { id, targetTypes = null, limit = 10_000 } = request;
  const payload: JsonObject = { [erasureMember]: { erased_at_utc: (await parts.stores.now()).toISOString() } };
  const payloadSha256 = createHash('sha256').update(canonicalJson(payload)).digest('hex');
  const sent = new Map<string, string[]>();
  let [events, deadLetters, hasMore] = [0, 0, true];
  while (hasMore && events < limit) {
    const page = { subjectId: id, targetTypes, payload, payloadSha256, limit: Math.min(PAGE_EVENTS, limit - events) };
    const { outcome: erased } = await performOperation(parts, createOperation(parts, request, page));
    events += erased.eventIds.length;
    deadLetters += erased.deadLetters;
    for (const { destination, idempotencyKey } of erased.sent) {
      const keys = sent.get(destination) ?? [];
      sent.set(destination, keys);
      keys.push(idempotencyKey);
    }
    hasMore = erased.hasMore;
  }
  const hasErased = events + deadLetters > 0;
  return {
    outcome: hasErased ? 'erased' : 'nothing',
    audit: hasErased ? 'recorded' : 'none',
    ...{ events, deadLetters, sent: Object.fromEntries(sent), hasMore },
  };
}
