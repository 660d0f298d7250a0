import { checkContract } from '../../foundation/contract.js';
import { destinationKinds, nameDestination } from '../../foundation/outbound.js';
import { channelIdForm } from '../frozen/frozen-post.js';
import type { PostSender } from './post-sender.js';
import { postSender, type Sender } from './sender.js';

/** The mailers and channels of one process. */
export interface Senders {
  /** Ids in the order given: what the process claims rows for. */
  readonly ids: readonly string[];
  /** Throws `TypeError` for an id that the process lacks: a claim never gives a row that goes by one. */
  get(id: string): Sender;
  /** Closes every one; idempotent as each `close` is. */
  close(): Promise<void>;
}

/** Senders by their ids, which differ. */
export function createSenders(list: readonly Sender[]): Senders {
  const byId = new Map(list.map((sender) => [sender.id, sender]));
  const ids = [...byId.keys()];
  return {
    ids,
    get(id) {
      const sender = byId.get(id);
      if (sender === undefined) throw new TypeError(`senders: none has the id "${id}"; there are ${ids.join(', ')}`);
      return sender;
    },
    async close() {
      await Promise.all(list.map((sender) => sender.close()));
    },
  };
}

const maxChannels = 100;

function checkChannel(name: string, channel: PostSender): void {
  checkContract(`${name}: "${channel.id}"`, channel);
  if (!channelIdForm.test(channel.id))
    throw new TypeError(`${name}: expected ids of 1 to 64 letters, digits, dots, dashes and underscores`);
  const { destination, capabilities } = channel;
  if (!destinationKinds.includes(destination?.kind) || typeof destination.id !== 'string' || destination.id === '')
    throw new TypeError(`${name}: "${channel.id}": destination: expected a kind and an id`);
  if (capabilities.lookup !== 'none' && channel.lookup === undefined)
    throw new TypeError(`${name}: "${channel.id}" declares a look-up and has none`);
}

/**
 * Mailers and channels as one list: they share the outbox, so their ids differ. Throws `TypeError`
 * naming `name` and what was expected.
 */
export function joinSenders(name: string, mailers: Senders, channels: readonly PostSender[]): Senders {
  if (!Array.isArray(channels) || channels.length > maxChannels)
    throw new TypeError(`${name}: expected at most ${maxChannels} channels`);
  const ids = new Set(mailers.ids);
  const destinations = new Set<string>();
  for (const channel of channels as readonly PostSender[]) {
    if (typeof channel?.send !== 'function') throw new TypeError(`${name}: expected channels with the method send`);
    checkChannel(name, channel);
    if (ids.has(channel.id)) throw new TypeError(`${name}: two mailers or channels have the id "${channel.id}"`);
    ids.add(channel.id);
    const to = nameDestination(channel.destination);
    if (destinations.has(to)) throw new TypeError(`${name}: two channels have the destination "${to}"`);
    destinations.add(to);
  }
  return createSenders([...mailers.ids.map((id) => mailers.get(id)), ...channels.map(postSender)]);
}
