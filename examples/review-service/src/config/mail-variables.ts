// Whom the service mails, by which server, and whether anything leaves: the variables, and what they say.
import { parseRecipient } from '@criticizer/core/ports';
import { z } from 'zod';
import { applyRules, type Rule } from './read-environment.js';
import { absolutePath, address, domain, list } from './values.js';

const smtpUrl = z.string().superRefine((text, context) => {
  const url = /^smtps?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : null;
  const hasMore = url !== null && (!['', '/'].includes(url.pathname) || url.search + url.hash !== '');
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
  if (url === null || url.hostname === '' || hasMore)
    refuse('expected an address such as smtp://user@mail.example.com:587 or smtps://user@mail.example.com');
  else if (url.password !== '') refuse('expected no password in the address: put it into the file SMTP_PASSWORD_FILE');
});
const delivery = z
  .string()
  .regex(/^(?:shadow|live|redirect:\S+)$/, 'expected shadow, redirect:ADDRESS or live')
  .superRefine((text, context) => {
    const target = text.startsWith('redirect:') ? address.safeParse(text.slice('redirect:'.length)) : null;
    if (target?.success === false)
      context.addIssue({ code: 'custom', message: 'expected one address behind redirect:' });
  });

/** Where the address of a Perforce user comes from. */
const recipientVariables = {
  RECIPIENT_ADDRESS: z
    .string()
    .refine((text) => text.split('{user}').length === 2, 'expected {user} once, such as {user}@studio.example')
    .optional()
    .describe('In place of the Email of the Perforce user.'),
  RECIPIENT_MAP_FILE: absolutePath.optional().describe('JSON object of Perforce user to address.'),
  MAIL_RULES_FILE: absolutePath.optional().describe('JSON: owners by path and fixed lists that are mailed, too.'),
} as const;

export const mailVariables = {
  MAIL: z
    .enum(['on', 'off'])
    .optional()
    .describe('Whether reviews are mailed. Default on; off where CODE_REVIEW_URL is set.'),
  SMTP_URL: smtpUrl.optional().describe('smtp:// is STARTTLS, smtps:// TLS from the first byte.'),
  SMTP_PASSWORD_FILE: absolutePath.optional().describe('The password of the user in SMTP_URL.'),
  SMTP_HELLO_NAME: z.string().min(1).optional().describe('Name of this host in EHLO.'),
  MAIL_FROM: address.optional().describe('The sender.'),
  MAIL_DOMAINS: list
    .pipe(z.array(domain).min(1))
    .optional()
    .describe('Domains that may be mailed, with commas between.'),
  MAIL_REVIEWERS: z
    .enum(['yes', 'no'])
    .default('no')
    .describe('Whether reviewers are mailed too, not the author alone.'),
  MAIL_UNSUBSCRIBE: z
    .string()
    .regex(
      /^(?:https:\/\/|mailto:)(?:[!#-;=?-z|~]|\{recipient\}){1,350}$/,
      'expected an https or mailto URL, in which {recipient} may stand',
    )
    .optional()
    .describe('Where a reader stops the mails: https://…/{recipient} or mailto:…'),
  ...recipientVariables,
  DELIVERY: delivery.default('shadow').describe('shadow, redirect:ADDRESS or live; channels post only when live.'),
} as const;

/** True where a mail may go to the address. */
export function isInDomains(mail: string, domains: readonly string[]): boolean {
  return domains.includes(parseRecipient(mail).recipientKey.split('@').at(-1) ?? '');
}

/** What names the addresses. */
type RecipientEnvironment = z.output<z.ZodObject<typeof recipientVariables>>;
const recipientRules: readonly Rule<RecipientEnvironment>[] = [
  [
    'RECIPIENT_MAP_FILE',
    (env) => env.RECIPIENT_MAP_FILE === undefined || env.RECIPIENT_ADDRESS === undefined,
    'is set beside RECIPIENT_ADDRESS: unset one of them',
  ],
];
type Given = z.output<z.ZodObject<typeof mailVariables>>;

export const mailRules: readonly Rule<Given>[] = [
  [
    'SMTP_PASSWORD_FILE',
    ({ SMTP_URL: url, SMTP_PASSWORD_FILE: file }) =>
      url === undefined || (new URL(url).username === '') === (file === undefined),
    'and a user in SMTP_URL belong together: set both or neither',
  ],
  ...recipientRules,
  [
    'DELIVERY',
    ({ DELIVERY: mode, MAIL_DOMAINS: domains }) =>
      mode === undefined ||
      domains === undefined ||
      !mode.startsWith('redirect:') ||
      isInDomains(mode.slice('redirect:'.length), domains),
    'redirects to an address outside MAIL_DOMAINS',
  ],
];

/** The part of the environment that names the addresses. */
export const recipientSchema = applyRules(z.object(recipientVariables), recipientRules);
