// Public entry `@criticizer/notify/slack`: reviews as messages of Slack.
export type { ChatChannel } from '../chat/chat-channel.js';
export type { ChatFrame } from '../chat/chat-frame.js';
export type { ChatFrameOptions } from '../chat/chat-options.js';
export type { ChatSecret } from '../chat/post-answer.js';
export { composeSlackMessage, escapeSlackText, type SlackMessage, slackLimits } from './compose-slack-message.js';
export { createSlackChannel, type SlackChannelOptions } from './slack-channel.js';
export type { SlackLookupLimits } from './slack-lookup.js';
export { createSlackWebhookChannel, type SlackWebhookChannelOptions } from './slack-webhook-channel.js';
