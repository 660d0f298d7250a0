// Public entry `@criticizer/notify/webhook`: reviews to an endpoint of the host's, signed by Standard Webhooks.
export { composeReviewWebhook } from './compose-review-webhook.js';
export { type ReviewWebhook, reviewWebhookSchema } from './review-webhook.js';
export { createWebhookChannel, type WebhookChannelOptions } from './webhook-channel.js';
