import {
  checkArray,
  checkOptions,
  nested,
  type OptionCheck,
  type OptionShape,
  optional,
} from '@criticizer/core/internal';
import { type ChannelReview, type PlannedPost, systemClock } from '@criticizer/core/ports';
import type { ChatChannel } from '../chat/chat-channel.js';
import { type ChatFrameOptions, chatFrameShape, checkSecret, ms } from '../chat/chat-options.js';
import type { ChatSecret } from '../chat/post-answer.js';
import { isSafeScheme } from '../loopback.js';
import { type ChangeLinkOwner, createChangeLink } from '../rendering/change-link.js';
import { composeSlackMessage } from './compose-slack-message.js';
import { callSlack, type SlackAccess } from './slack-api.js';
import { checkSlack } from './slack-check.js';
import { findSlackMessage, type SlackLookupLimits, slackEventType } from './slack-lookup.js';

/** Which app posts, and where. */
export interface SlackChannelOptions extends ChatFrameOptions {
  /** The bot token of the app, `xoxb-…`, with `chat:write`, and a history scope for the look-up. */
  token: ChatSecret;
  /** Ids of the conversations, `C…`, `G…` or `D…`: each gets every review. 1 to 100. */
  conversations: readonly string[];
  /**
   * How lost answers are cleared up. False: the app has no history scope, or Slack allows it one page a minute;
   * then the policy for messages without a look-up decides. Defaults: settles in 10 s, sees 7 days, clocks differ
   * by at most 5 minutes.
   */
  lookup?: Partial<SlackLookupLimits> | false | undefined;
  /** Default `https://slack.com/api`; GovSlack: `https://slack-gov.com/api`. */
  url?: string | undefined;
}

const conversationForm = /^[CDG][A-Z0-9]{1,40}$/;

const checkConversations: OptionCheck = (option, value) => {
  checkArray(option, value);
  const ids = value as readonly unknown[];
  const fits = ids.every((one) => typeof one === 'string' && conversationForm.test(one));
  if (!fits || ids.length < 1 || ids.length > 100 || new Set(ids).size !== ids.length)
    throw new TypeError(`${option}: expected 1 to 100 different ids of conversations, such as C0123456789`);
};

const checkApiUrl: OptionCheck = (option, value) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  if (url === null || !isSafeScheme(url) || url.username + url.password + url.search + url.hash !== '')
    throw new TypeError(
      `${option}: expected an https address without user, password, query and fragment; http for this machine alone`,
    );
};

const checkLimits = nested<SlackLookupLimits>({
  settleMs: optional(ms(0, 3_600_000)),
  retentionMs: optional(ms(0, 2_147_483_647)),
  clockSkewMs: optional(ms(0, 86_400_000)),
});

const optionShape: OptionShape<SlackChannelOptions> = {
  ...chatFrameShape,
  token: checkSecret,
  conversations: checkConversations,
  url: optional(checkApiUrl),
  lookup: (option, value) => {
    if (value !== undefined && value !== false) checkLimits(option, value);
  },
};

const usualLimits: SlackLookupLimits = { settleMs: 10_000, retentionMs: 604_800_000, clockSkewMs: 300_000 };

/** The same posts for both ways to Slack. */
export function planSlackPosts(
  targets: readonly string[],
  { labels, changeUrl, logger, required = true }: ChatFrameOptions,
  owner: Omit<ChangeLinkOwner, 'logger'>,
): (review: ChannelReview) => Promise<readonly PlannedPost[]> {
  const linkTo = createChangeLink(changeUrl, { ...owner, logger });
  return async (review) =>
    targets.map((target) => {
      const { content, text, blocks } = composeSlackMessage(review, { target, labels, changeUrl: linkTo });
      const body = { text, blocks, unfurl_links: false, unfurl_media: false };
      return { target, content, required, body };
    });
}

// long: one channel, each verb short
/**
 * A channel that posts reviews into conversations of Slack by `chat.postMessage`. Each message carries the
 * row's key, a hash, in its metadata: a lost answer is cleared up by a search of the conversation, so a
 * review is there once while scope and rate allow the search (NOT-7). A later version of a change is a
 * message of its own that says what became of the findings. Tokens are read before every call. Throws
 * `TypeError` for wrong options; `send` throws `AUTH_DENIED` (parks) for a token or scope that Slack refuses.
 */
export function createSlackChannel(options: SlackChannelOptions): ChatChannel {
  checkOptions('createSlackChannel', options, optionShape);
  const { id = 'slack', token, conversations, http, requestTimeoutMs = 30_000, clock = systemClock } = options;
  const url = (options.url ?? 'https://slack.com/api').replace(/\/+$/, '');
  const access: SlackAccess = { channelId: id, url, token, http, requestTimeoutMs, clock };
  const { host } = new URL(url);
  const limits = options.lookup === false ? undefined : { ...usualLimits, ...options.lookup };
  const plan = planSlackPosts(conversations, options, { maker: 'createSlackChannel', channel: id });
  return {
    contract: 1,
    id,
    destination: { kind: 'chat', id },
    host,
    capabilities: {
      idempotency: 'none',
      lookup: limits === undefined ? 'none' : 'key',
      settleMs: limits?.settleMs ?? 0,
      retentionMs: limits?.retentionMs ?? 0,
    },
    plan,
    async send({ target, body }, { key, signal, onPhase }) {
      const metadata = { event_type: slackEventType, event_payload: { ref: key } };
      const bytes = Buffer.from(JSON.stringify({ channel: target, ...body, metadata }));
      await onPhase('envelope');
      signal.throwIfAborted();
      await onPhase('data', { host, bytes });
      signal.throwIfAborted();
      const answer = await callSlack(access, 'chat.postMessage', { bytes }, signal);
      if (answer.kind === 'refused') {
        if (answer.login !== undefined) throw answer.login;
        return answer.outcome;
      }
      const { ts } = answer.data;
      return { kind: 'accepted', id: typeof ts === 'string' && ts !== '' ? ts.slice(0, 40) : key };
    },
    async check({ signal }) {
      await checkSlack(access, limits === undefined ? [] : conversations, signal);
    },
    ...(limits !== undefined && { lookup: (query) => findSlackMessage(access, limits, query) }),
  };
}
