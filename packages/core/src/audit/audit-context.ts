import { AsyncLocalStorage } from 'node:async_hooks';
import { checkFields, type OptionShape } from '../foundation/check-options.js';
import { checkedElsewhere } from '../foundation/option-checks.js';
import type { AuditEntry } from './audit-entry.js';

/** What a request says of itself: who asks, for whom, from where. */
export type AuditRequest = Partial<
  Pick<AuditEntry, 'actorType' | 'actorId' | 'tenantId' | 'traceId' | 'requestId' | 'sourceIp' | 'userAgent'>
>;

/** An entry whose other members come from the request under way. */
export type AuditEntryInRequest = Pick<AuditEntry, 'action' | 'resultStatus'> & Partial<AuditEntry>;

/** Keeps what is known of a request while it is handled, in whatever it awaits. */
export interface AuditContext {
  /** Runs `work` with `request` as its context; gives what `work` gives. */
  run<T>(request: AuditRequest, work: () => T): T;
  /** Adds to the context under way what is known only later, such as the actor. Throws `TypeError` outside of `run`. */
  add(request: AuditRequest): void;
  /** The entry with what it leaves out taken from the context. Outside of `run` nothing is added. */
  fill(entry: AuditEntryInRequest): AuditEntry;
}

const requestShape: OptionShape<AuditRequest> = {
  actorType: checkedElsewhere,
  actorId: checkedElsewhere,
  tenantId: checkedElsewhere,
  traceId: checkedElsewhere,
  requestId: checkedElsewhere,
  sourceIp: checkedElsewhere,
  userAgent: checkedElsewhere,
};

/** Members that hold something: what is undefined must not hide what was known before. */
function known<Members extends object>(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Members;
}

/**
 * Makes a context for the requests of one process. Requests that run at the same time never see each
 * other's. The values are not checked here: `record` stores whatever it can and notes the rest.
 */
export function createAuditContext(): AuditContext {
  const requests = new AsyncLocalStorage<AuditRequest>();
  return {
    run(request, work) {
      checkFields<AuditRequest>('AuditContext.run: request', request, requestShape);
      return requests.run({ ...known(request) }, work);
    },
    add(request) {
      checkFields<AuditRequest>('AuditContext.add: request', request, requestShape);
      const current = requests.getStore();
      if (current === undefined) throw new TypeError('AuditContext.add: no request is under way; call it inside run');
      Object.assign(current, known(request));
    },
    fill: (entry) => ({ ...requests.getStore(), ...known(entry) }) as AuditEntry,
  };
}
