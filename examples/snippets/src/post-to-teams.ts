// #region teams
import { createHttpClient } from '@criticizer/core/http';
import type { Channel, SecretSource } from '@criticizer/core/ports';
import { createTeamsChannel } from '@criticizer/notify/teams';

/** Then: `createCriticizer({ channels: [openTeams(secrets)], settings, … })`. */
export function openTeams(secrets: SecretSource): Channel {
  return createTeamsChannel({
    url: { source: secrets, name: 'TEAMS_WORKFLOW_URL' },
    http: createHttpClient(),
    changeUrl: 'https://swarm.example.com/changes/{change}',
  });
}

/** Without the grant a chat gets counts and the link alone. */
export const settings = { egress: { content: [{ destination: 'chat:teams', highest: 'findings' }] } };
// #endregion
