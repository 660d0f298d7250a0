// Where reviews are posted besides mail: the channels of the configuration.
import { createHttpClient } from '@criticizer/core/http';
import { type Channel, encodeFrozenPost } from '@criticizer/core/ports';
import { createWebhookChannel } from '@criticizer/notify/webhook';
import type { P4ChangeFetcher } from '@criticizer/p4';
import type { WebhookConfiguration } from '../config/channel-variables.js';
import type { Configuration } from '../config/configuration.js';
import { secretIn } from '../config/files.js';
import { chatDestinations, createChatChannels } from './chat-channels.js';
import { createCodeReview } from './code-review-channel.js';

/** What the kill switch can stop alone of them, by its names. */
export const channelDestinations = ['webhook:webhook', ...chatDestinations] as const;

/** A client of one channel for the address that the operator named, which may be private; closes with the channel. */
function reach(url: string) {
  const http = createHttpClient({ allowPrivateOrigins: [new URL(url).origin] });
  return { http, closing: (channel: Channel): Channel => ({ ...channel, close: () => http.close() }) };
}

function createWebhook({ url, secretFile, idsKeptMs }: WebhookConfiguration, changeUrl: string | undefined): Channel {
  const { http, closing } = reach(url);
  return closing(createWebhookChannel({ url, secret: secretIn(secretFile), http, idsKeptMs, changeUrl }));
}

/**
 * Plans what the channel would, accepts every post and sends none. Its rows name it, so a post that was accepted
 * in the shadow is not sent when the service goes live.
 */
export function createShadowChannel(channel: Channel): Channel {
  const { id, destination, plansOnline } = channel;
  return {
    contract: 1,
    id: `shadow-${id}`,
    ...{ destination, plansOnline },
    plan: (review, context) => channel.plan(review, context),
    close: async () => channel.close?.(),
    capabilities: { idempotency: 'receiver', lookup: 'none', settleMs: 0, retentionMs: 0 },
    async send(post, { key, signal, onPhase }) {
      signal.throwIfAborted();
      await onPhase('envelope');
      // Its egress record names no host: the bytes go nowhere.
      await onPhase('data', { host: 'shadow', bytes: encodeFrozenPost(post).bytes });
      return { kind: 'accepted', id: key };
    },
  };
}

/** The channel for a mode: it posts only when the service is live. */
export function deliverByMode(channel: Channel, mode: Configuration['delivery']['mode']): Channel {
  return mode === 'live' ? channel : createShadowChannel(channel);
}

/**
 * The channels of the configuration, for its `DELIVERY`; none where reviews go by mail alone. `fetchers` tell which
 * version of a review was judged.
 */
export function createChannels(
  configuration: Pick<Configuration, 'changeUrl' | 'channels' | 'delivery' | 'secretPolicy' | 'servers'>,
  fetchers: readonly P4ChangeFetcher[] = [],
): readonly Channel[] {
  const { changeUrl, delivery } = configuration;
  const { codeReview, slack, teams, webhook } = configuration.channels;
  const channels = [
    ...(codeReview === null ? [] : [createCodeReview(codeReview, configuration, fetchers)]),
    ...(webhook === null ? [] : [createWebhook(webhook, changeUrl)]),
    ...createChatChannels({ slack, teams }, changeUrl),
  ];
  return channels.map((channel) => deliverByMode(channel, delivery.mode));
}
