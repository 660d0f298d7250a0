// Reviews where the team chats: Slack and Teams of the configuration, and whether they would take a post.
import { createHttpClient } from '@criticizer/core/http';
import { type ChatChannel, createSlackChannel, createSlackWebhookChannel } from '@criticizer/notify/slack';
import { createTeamsChannel } from '@criticizer/notify/teams';
import type { ChannelConfiguration } from '../config/channel-variables.js';
import type { SlackConfiguration } from '../config/chat-variables.js';
import { secretIn } from '../config/files.js';
import type { Checks } from '../http/readiness.js';
import { checkChannel } from './check-channel.js';

/** What the kill switch can stop alone of them, by its names. */
export const chatDestinations = ['chat:slack', 'chat:teams'] as const;

/** The channel with the connections of its own, which close with it. */
function withHttp(privateUrl: string | undefined, open: (http: ReturnType<typeof createHttpClient>) => ChatChannel) {
  const allowPrivateOrigins = privateUrl === undefined ? [] : [new URL(privateUrl).origin];
  const http = createHttpClient({ allowPrivateOrigins });
  return { ...open(http), close: () => http.close() };
}

function openSlack(slack: SlackConfiguration, changeUrl: string | undefined): ChatChannel {
  if (slack.kind === 'webhook')
    return withHttp(undefined, (http) =>
      createSlackWebhookChannel({ url: secretIn(slack.addressFile), http, changeUrl }),
    );
  const { tokenFile, conversations, hasLookup, url } = slack;
  const lookup = hasLookup ? {} : { lookup: false as const };
  return withHttp(url, (http) =>
    createSlackChannel({ token: secretIn(tokenFile), conversations, http, url, changeUrl, ...lookup }),
  );
}

/** The chats of the configuration. */
export function createChatChannels(
  { slack, teams }: Pick<ChannelConfiguration, 'slack' | 'teams'>,
  changeUrl: string | undefined,
): readonly ChatChannel[] {
  return [
    ...(slack === null ? [] : [openSlack(slack, changeUrl)]),
    ...(teams === null
      ? []
      : [
          withHttp(undefined, (http) =>
            createTeamsChannel({ url: secretIn(teams.addressFile), allowedHosts: teams.hosts, http, changeUrl }),
          ),
        ]),
  ];
}

/** For the doctor: each chat by its id, asked without posting anything. */
export function checkChats(channels: Pick<ChannelConfiguration, 'slack' | 'teams'>, signal: AbortSignal): Checks {
  const chats = createChatChannels(channels, undefined);
  const toCheck = (chat: ChatChannel) =>
    checkChannel({
      async ask(limit) {
        await chat.check({ signal: AbortSignal.any([signal, limit]) });
        return {};
      },
      close: async () => chat.close?.(),
    });
  return Object.fromEntries(chats.map((chat) => [chat.id, toCheck(chat)]));
}
