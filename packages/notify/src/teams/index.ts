// Public entry `@criticizer/notify/teams`: reviews as cards of Microsoft Teams.
export type { ChatChannel } from '../chat/chat-channel.js';
export type { ChatFrame } from '../chat/chat-frame.js';
export type { ChatFrameOptions } from '../chat/chat-options.js';
export type { ChatSecret } from '../chat/post-answer.js';
export { composeTeamsCard, type TeamsCard } from './compose-teams-card.js';
export { createTeamsChannel, type TeamsChannelOptions, teamsHosts } from './teams-channel.js';
