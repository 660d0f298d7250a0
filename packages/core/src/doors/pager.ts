// Public entry `@criticizer/core/pager`: who is paged, and what for.

export type { AlertCondition } from '../alerts/alert-condition.js';
export type { AlertSource } from '../alerts/alert-source.js';
export type { RaiseOptions } from '../alerts/alerter.js';
export { type AlertReports, watchAuditTrail, watchSecurityEvents } from '../alerts/watch-parts.js';
export type { Alert, AlertSeverity } from '../pager/alert.js';
export type { PagerAction } from '../pager/call-pager.js';
export { createJiraPager, type JiraPagerOptions } from '../pager/jira-pager.js';
export { createMailPager, type MailPagerOptions } from '../pager/mail-pager.js';
export type { Pager, PagerAnswer, PagerContext, PagerFailure } from '../pager/pager.js';
export type { HttpPagerOptions, PagerSecret } from '../pager/pager-options.js';
export { createPagerDutyPager, type PagerDutyPagerOptions } from '../pager/pagerduty-pager.js';
export { type PagerTest, type PagerTestOptions, testPager } from '../pager/test-pager.js';
export { createWebhookPager, type WebhookPagerOptions } from '../pager/webhook-pager.js';
