// Who is paged: the variables, and what they say.
import { z } from 'zod';
import { applyRules, parseEnvironment, type Rule } from './read-environment.js';
import { absolutePath, address, endpoint } from './values.js';

export const pagerVariables = {
  PAGER_SOURCE: z.string().min(1).max(64).default('criticizer').describe('Names this installation to whom is paged.'),
  PAGER_WEBHOOK_URL: endpoint.optional().describe('Gets every alert, signed by Standard Webhooks.'),
  PAGER_WEBHOOK_SECRET_FILE: absolutePath
    .optional()
    .describe('Its signing secret: whsec_ and Base64 of 24 to 64 bytes.'),
  PAGER_PAGERDUTY_KEY_FILE: absolutePath.optional().describe('Integration key of PagerDuty, Events API v2.'),
  PAGER_PAGERDUTY_URL: endpoint.optional().describe('Default https://events.pagerduty.com/v2/enqueue.'),
  PAGER_JIRA_KEY_FILE: absolutePath.optional().describe('API key of Jira Service Management, or of Opsgenie.'),
  PAGER_JIRA_URL: endpoint.optional().describe('Default https://api.atlassian.com/jsm/ops/integration/v2/alerts.'),
  PAGER_MAIL: address.optional().describe('Gets a mail for every alert, by SMTP_URL, whatever DELIVERY says.'),
} as const;

type Given = z.output<z.ZodObject<typeof pagerVariables>>;

const rules: readonly Rule<Given>[] = [
  [
    'PAGER_WEBHOOK_SECRET_FILE',
    (env) => (env.PAGER_WEBHOOK_URL === undefined) === (env.PAGER_WEBHOOK_SECRET_FILE === undefined),
    'and PAGER_WEBHOOK_URL belong together: set both or neither',
  ],
  [
    'PAGER_PAGERDUTY_URL',
    (env) => env.PAGER_PAGERDUTY_URL === undefined || env.PAGER_PAGERDUTY_KEY_FILE !== undefined,
    'is set without PAGER_PAGERDUTY_KEY_FILE',
  ],
  [
    'PAGER_JIRA_URL',
    (env) => env.PAGER_JIRA_URL === undefined || env.PAGER_JIRA_KEY_FILE !== undefined,
    'is set without PAGER_JIRA_KEY_FILE',
  ],
];

const schema = applyRules(z.object(pagerVariables), rules);

/** Who is paged; null: nobody by that way. */
export interface PagerConfiguration {
  source: string;
  webhook: { url: string; secretFile: string } | null;
  pagerDuty: { keyFile: string; url: string | undefined } | null;
  jira: { keyFile: string; url: string | undefined } | null;
  mail: string | null;
}

/** Who is paged, and nothing else. Throws `UsageError` for these variables. */
export function readPagers(env: NodeJS.ProcessEnv): PagerConfiguration {
  const read = parseEnvironment(schema, env);
  const { PAGER_WEBHOOK_URL: url, PAGER_WEBHOOK_SECRET_FILE: secretFile } = read;
  const { PAGER_PAGERDUTY_KEY_FILE: pagerDutyKey, PAGER_JIRA_KEY_FILE: jiraKey } = read;
  return {
    source: read.PAGER_SOURCE,
    webhook: url === undefined || secretFile === undefined ? null : { url, secretFile },
    pagerDuty: pagerDutyKey === undefined ? null : { keyFile: pagerDutyKey, url: read.PAGER_PAGERDUTY_URL },
    jira: jiraKey === undefined ? null : { keyFile: jiraKey, url: read.PAGER_JIRA_URL },
    mail: read.PAGER_MAIL ?? null,
  };
}

/** The files of secrets that pagers need, by the variable that names each. */
export function listPagerSecrets({ webhook, pagerDuty, jira }: PagerConfiguration) {
  return [
    ['PAGER_WEBHOOK_SECRET_FILE', webhook?.secretFile],
    ['PAGER_PAGERDUTY_KEY_FILE', pagerDuty?.keyFile],
    ['PAGER_JIRA_KEY_FILE', jira?.keyFile],
  ] as const;
}

/** Name and meaning of every variable of pagers, for `--help`. */
export function describePagerVariables(): { name: string; text: string }[] {
  return Object.entries(pagerVariables).map(([name, { description }]) => ({ name, text: description ?? '' }));
}
