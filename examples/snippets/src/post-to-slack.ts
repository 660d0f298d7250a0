// #region slack
import { createHttpClient } from '@criticizer/core/http';
import type { Channel, SecretSource } from '@criticizer/core/ports';
import { createSlackChannel } from '@criticizer/notify/slack';

/** Then: `createCriticizer({ channels: [openSlack(secrets)], settings, … })`. */
export function openSlack(secrets: SecretSource): Channel {
  return createSlackChannel({
    token: { source: secrets, name: 'SLACK_TOKEN' },
    conversations: ['C0123456789'], // ids, not names: at the bottom of the channel's details
    http: createHttpClient(),
    changeUrl: 'https://swarm.example.com/changes/{change}',
  });
}

/** Without the grant a chat gets counts and the link alone. */
export const settings = { egress: { content: [{ destination: 'chat:slack', highest: 'findings' }] } };
// #endregion
