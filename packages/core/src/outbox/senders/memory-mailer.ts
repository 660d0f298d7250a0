import { checkOptions } from '../../foundation/check-options.js';
import { checkedElsewhere, checkName, nested, optional } from '../../foundation/option-checks.js';
import { encodeFrozenMail } from '../frozen/frozen-mail.js';
import type { DeliveryCapabilities, FrozenMail, LookupOutcome, Mailer } from './mailer.js';

/** One mail as the memory mailer took it. */
export interface AcceptedMail {
  key: string;
  mail: FrozenMail;
  /** The canonical bytes; two sends of one frozen mail are equal here. */
  raw: Uint8Array;
}

/** A mailer whose far end is this process. */
export interface MemoryMailer extends Mailer {
  /**
   * Everything taken so far, in order; a second send of a key is a second entry, unless
   * `idempotency` is `receiver`.
   */
  accepted(): readonly AcceptedMail[];
}

/** The option `capabilities` of a part whose far end is this process. */
export const memoryCapabilitiesShape = optional(
  nested<DeliveryCapabilities>({
    idempotency: checkedElsewhere,
    lookup: checkedElsewhere,
    settleMs: checkedElsewhere,
    retentionMs: checkedElsewhere,
  }),
);

/** No idempotency and a look-up by key, at once and for ever, but for what is given. */
export function toMemoryCapabilities(given: Partial<DeliveryCapabilities> | undefined): DeliveryCapabilities {
  return { idempotency: 'none', lookup: 'key', settleMs: 0, retentionMs: Number.MAX_SAFE_INTEGER, ...given };
}

/** Absent, for certain only between the settle time and the end of retention. */
export function reportAbsent(
  { settleMs, retentionMs }: DeliveryCapabilities,
  { sinceDataMs }: { sinceDataMs: number },
): LookupOutcome {
  return { kind: 'absent', conclusive: sinceDataMs >= settleMs && sinceDataMs <= retentionMs };
}

/**
 * The reference mailer: takes every mail, keeps it under its key, finds it again by key. For tests
 * and first steps; keeps everything in memory and sends nothing.
 */
export function createMemoryMailer(
  options: { id?: string | undefined; capabilities?: Partial<DeliveryCapabilities> | undefined } = {},
): MemoryMailer {
  checkOptions<typeof options>('createMemoryMailer', options, {
    id: optional(checkName),
    capabilities: memoryCapabilitiesShape,
  });
  const taken: AcceptedMail[] = [];
  const capabilities = toMemoryCapabilities(options.capabilities);
  return {
    contract: 1,
    id: options.id ?? 'memory',
    capabilities,
    accepted: () => [...taken],
    async send(mail, context) {
      const { bytes } = encodeFrozenMail(mail);
      context.signal.throwIfAborted();
      await context.onPhase('envelope');
      await context.onPhase('data', { host: 'memory', bytes });
      context.signal.throwIfAborted();
      const repeated = capabilities.idempotency !== 'none' && taken.some((entry) => entry.key === context.key);
      if (!repeated) taken.push({ key: context.key, mail, raw: bytes });
      return { kind: 'accepted', id: mail.messageId };
    },
    async lookup(query) {
      const found = taken.find((entry) => entry.key === query.key && entry.mail.messageId === query.messageId);
      if (found !== undefined) return { kind: 'found', id: found.mail.messageId };
      return reportAbsent(capabilities, query);
    },
    async close() {},
  };
}
