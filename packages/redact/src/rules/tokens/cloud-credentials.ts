import { startsToken } from '../../grammar/boundary.js';
import { reachOf } from '../../grammar/reach.js';
import type { Rule } from '../../grammar/rule.js';
import { isStandIn } from '../../lexicon/benign-values.js';
import { ALNUM, BASE64, BASE64URL, isAlnum, isIn, TOKEN68, WORD } from '../../lexicon/charset.js';
import { entropyOf } from '../../lexicon/entropy.js';
import { makeUpOf } from '../../lexicon/randomness.js';
import { awsSecret } from './aws-secrets.js';

/** Cloud credentials without a head of their own, and webhook URLs that are credentials by themselves (RED-2). */
export function cloudCredentialRules(): Rule[] {
  return [awsSecret, azureClientSecret, azureKey, signedQuery, webhookUrl, incomingHook, terraformToken];
}

/** Azure AD: three characters, a digit, `Q~`, then 31 to 34. */
const azureClientSecret: Rule = {
  triggers: ['q~'],
  confirm(scan, start, end) {
    const { text } = scan;
    const digit = text.charCodeAt(start - 1);
    if (!text.startsWith('Q~', start) || digit < 48 || digit > 57) return;
    const from = start - 4;
    const stop = scan.runEnd(TOKEN68, end);
    if (
      from >= 0 &&
      startsToken(text, from) &&
      stop - end >= 30 &&
      stop - end <= 36 &&
      isIn(WORD, text.charCodeAt(from))
    )
      scan.report('azure-secret', from, stop, 'high');
  },
};

/** Storage, Service Bus, Event Hub, Cosmos and IoT connection strings. */
const azureKey: Rule = {
  triggers: ['accountkey=', 'sharedaccesskey=', 'sharedsecretissuer=', 'accesskey=', 'secretkey='],
  confirm(scan, _start, end) {
    const stop = scan.runEnd(BASE64, end);
    if (stop - end < 40 || stop - end > 128) return;
    const value = scan.text.slice(end, stop);
    if (!isStandIn(value) && entropyOf(value) > 3.5) scan.report('azure-key', end, stop, 'high');
  },
};

/** Signatures in pre-signed URLs of Azure, AWS and Google. */
const signedQuery: Rule = {
  triggers: [
    '?sig=',
    '&sig=',
    '&amp;sig=',
    '\\u0026sig=',
    'sharedaccesssignature=',
    'x-amz-signature=',
    'x-goog-signature=',
    'x-amz-security-token=',
    '&signature=',
    ', signature=',
    ',signature=',
  ],
  confirm(scan, start, end) {
    const { text } = scan;
    const reach = reachOf(scan, signedQuery);
    if (start < reach.end) return;
    let stop = end;
    while (
      stop < text.length &&
      stop - end < 2048 &&
      (isIn(TOKEN68, text.charCodeAt(stop)) || text.charCodeAt(stop) === 37)
    )
      stop += 1;
    reach.end = stop;
    const value = text.slice(end, Math.min(stop, end + 256));
    if (stop - end >= 24 && !isStandIn(value) && /\d/.test(value)) scan.report('signed-url', end, stop, 'low');
  },
};

/** Hosts whose URL path is the credential, and how long that path must be. */
const WEBHOOK_HOSTS: readonly (readonly [trigger: string, shortest: number])[] = [
  ['hooks.slack.com/services/', 30],
  ['hooks.slack.com/workflows/', 30],
  ['hooks.slack.com/triggers/', 30],
  ['webhook.office.com/webhookb2/', 60],
  ['outlook.office.com/webhook/', 60],
  ['discord.com/api/webhooks/', 60],
  ['discord.com/api/v6/webhooks/', 60],
  ['discord.com/api/v7/webhooks/', 60],
  ['discord.com/api/v8/webhooks/', 60],
  ['discord.com/api/v9/webhooks/', 60],
  ['discord.com/api/v10/webhooks/', 60],
  ['discordapp.com/api/webhooks/', 60],
  ['hooks.zapier.com/hooks/catch/', 12],
  ['chat.googleapis.com/v1/spaces/', 40],
  ['hook.us1.make.com/', 20],
  ['hook.eu1.make.com/', 20],
  ['maker.ifttt.com/trigger/', 30],
  ['events.pagerduty.com/integration/', 30],
  ['open.feishu.cn/open-apis/bot/v2/hook/', 30],
  ['open.larksuite.com/open-apis/bot/v2/hook/', 30],
  ['qyapi.weixin.qq.com/cgi-bin/webhook/send?key=', 30],
  ['oapi.dingtalk.com/robot/send?access_token=', 40],
  ['.tines.com/webhook/', 40],
  ['.tines.io/webhook/', 40],
  ['submit.backtrace.io/', 60],
  ['.g.alchemy.com/v2/', 30],
  ['.alchemyapi.io/v2/', 30],
];

const webhookUrl: Rule = {
  triggers: WEBHOOK_HOSTS.map(([trigger]) => trigger),
  confirm(scan, start, end, trigger) {
    const reach = reachOf(scan, webhookUrl);
    if (start < reach.end) return;
    const shortest = WEBHOOK_HOSTS.find(([host]) => host === trigger)?.[1] ?? 30;
    const { text } = scan;
    let stop = end;
    while (stop < text.length && stop - end < 512 && isUrlPath(text.charCodeAt(stop))) stop += 1;
    reach.end = stop;
    const path = text.slice(end, stop);
    const sample = /x{4}|0{8}|\/T0+\/|your|<|\{/i.test(path);
    if (stop - end >= shortest && !sample && /\d|[a-z][A-Z]/.test(path)) scan.report('webhook-url', end, stop, 'high');
  },
};

/** Chat servers of one's own: `/hooks/` and 24 or more random characters. */
const incomingHook: Rule = {
  triggers: ['/hooks/'],
  confirm(scan, _start, end) {
    const stop = scan.runEnd(ALNUM, end);
    const made = makeUpOf(scan.text, end, stop);
    if (stop - end >= 24 && stop - end <= 64 && !made.hex && made.digits >= 2 && made.changes >= made.length * 0.15)
      scan.report('webhook-url', end, stop, 'high');
  },
};

function isUrlPath(code: number): boolean {
  return isIn(TOKEN68, code) || code === 64 || code === 63 || code === 38 || code === 37;
}

/** Terraform Cloud: 14 characters, `.atlasv1.`, 60 or more. */
const terraformToken: Rule = {
  triggers: ['.atlasv1.'],
  confirm(scan, start, end) {
    const from = scan.runStart(WORD, start, 20);
    const stop = scan.runEnd(BASE64URL, end);
    if (start - from >= 12 && stop - end >= 56 && !isAlnum(scan.text.charCodeAt(from - 1)))
      scan.report('terraform-token', from, stop, 'high');
  },
};
