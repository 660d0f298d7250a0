import { checkOptions } from '../../foundation/check-options.js';
import { checkedElsewhere, checkName, optional } from '../../foundation/option-checks.js';
import { encodeFrozenPost, type FrozenPost } from '../../outbox/frozen/frozen-post.js';
import type { DeliveryCapabilities } from '../../outbox/senders/mailer.js';
import { memoryCapabilitiesShape, reportAbsent, toMemoryCapabilities } from '../../outbox/senders/memory-mailer.js';
import type { Channel } from './channel.js';

/** One post as the memory channel took it. */
export interface AcceptedPost {
  key: string;
  post: FrozenPost;
  /** The canonical bytes; two sends of one frozen post are equal here. */
  raw: Uint8Array;
}

/** A channel whose far end is this process. */
export interface MemoryChannel extends Channel {
  /** Everything taken so far; a second send of a key is a second entry, unless `idempotency` is `receiver`. */
  accepted(): readonly AcceptedPost[];
}

/** What `createMemoryChannel` takes. */
export interface MemoryChannelOptions {
  /** Default `memory-channel`. */
  id?: string | undefined;
  /** Default: no idempotency, look-up by key at once and for ever. */
  capabilities?: Partial<DeliveryCapabilities> | undefined;
  /** Default true. */
  required?: boolean | undefined;
}

/**
 * The reference channel: one post a review with its counts and, where its level allows, its findings'
 * titles. Takes every post, finds it again by key. For tests and first steps; sends nothing.
 */
export function createMemoryChannel(options: MemoryChannelOptions = {}): MemoryChannel {
  checkOptions<MemoryChannelOptions>('createMemoryChannel', options, {
    id: optional(checkName),
    required: checkedElsewhere,
    capabilities: memoryCapabilitiesShape,
  });
  const { id = 'memory-channel', required = true } = options;
  const taken: AcceptedPost[] = [];
  const capabilities = toMemoryCapabilities(options.capabilities);
  return {
    contract: 1,
    id,
    destination: { kind: 'chat', id },
    host: 'memory',
    capabilities,
    accepted: () => [...taken],
    async plan({ changelistId, content, counts, reviewVersion }) {
      const titles = content?.result.findings.map(({ title }) => title);
      const body = { changelistId, reviewVersion, counts: { ...counts.findings }, ...(titles && { titles }) };
      return [{ target: 'room', body, content: titles === undefined ? 'counts' : 'findings', required }];
    },
    async send(post, { key, signal, onPhase }) {
      const { bytes } = encodeFrozenPost(post);
      signal.throwIfAborted();
      await onPhase('envelope');
      await onPhase('data', { host: 'memory', bytes });
      signal.throwIfAborted();
      const isRepeated = capabilities.idempotency !== 'none' && taken.some((entry) => entry.key === key);
      if (!isRepeated) taken.push({ key, post, raw: bytes });
      return { kind: 'accepted', id: `memory:${key}` };
    },
    async lookup(query) {
      if (taken.some((entry) => entry.key === query.key)) return { kind: 'found', id: `memory:${query.key}` };
      return reportAbsent(capabilities, query);
    },
    async close() {},
  };
}
