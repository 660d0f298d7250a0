import { readFileSync } from 'node:fs';
import { assignmentsTo, BARE } from './contexts.ts';
import { type LabelledText, labelled } from './labelled-text.ts';
import type { Random } from './random.ts';

/**
 * Public token formats, one a line: heads, length with the head, alphabet of the rest, and the
 * names a token without a head stands beside.
 */
const SHAPES = readFileSync(new URL('token-shapes.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [rule = '', heads = '', length = '', alphabet = '', names = ''] = line.split('\t');
    const [min = 0, max = 0] = length.split('-').map(Number);
    return {
      rule,
      heads: heads.split(' ').filter(Boolean),
      min,
      max,
      alphabet,
      names: names.split(' ').filter((name) => /^[a-z]/i.test(name)),
    };
  });

/** Formats of several parts: `<alphabet:length>` stands for made-up text. */
const COMPOSED: readonly (readonly [rule: string, names: string, form: string])[] = [
  ['1password-secret-key', '', 'A3-<A-Z0-9:6>-<A-Z0-9:6>-<A-Z0-9:5>-<A-Z0-9:5>-<A-Z0-9:5>'],
  ['airtable-token', 'airtable', 'pat<alnum:14>.<hex:64>'],
  ['authress-key', '', 'sc_<a-z0-9:9>.<a-z0-9:5>.acc_<a-z0-9:10>.<base64url:60>'],
  ['azure-client-secret', 'azure client', '<alnum:3>8Q~<base64url:34>'],
  ['brave-key', 'brave', 'BSA<base64url:25>'],
  ['dropbox-token', 'dropbox', 'sl.<base64url:135>'],
  ['dynatrace-token', '', 'dt0c01.<base32:24>.<base32:64>'],
  ['etsy-key', 'etsy', '<a-z0-9:24>'],
  ['exoscale-key', '', 'EXO<a-z0-9:26>'],
  ['facebook-token', 'facebook', '<digits:16>|<base64url:27>'],
  ['flyio-token', '', 'FlyV1 fm2_<base64:160>'],
  ['freemius-key', 'secret key', 'sk_<password:29>'],
  ['gitlab-routable', '', 'glpat-<base64url:27>.01.<a-z0-9:9>'],
  ['harness-key', '', 'pat.<alnum:22>.<alnum:24>.<alnum:20>'],
  ['terraform-token', '', '<alnum:14>.atlasv1.<base64url:67>'],
  ['vault-token', 'vault', 'hvs.<base64url:90>'],
  ['vault-legacy-token', 'vault', 's.<alnum:24>'],
  ['huggingface-token', '', 'hf_<alnum:34>'],
  ['influxdb-token', 'influx', '<base64:86>=='],
  ['kagi-key', 'kagi', '<base64url:11>.<base64url:43>'],
  ['mapbox-token', 'mapbox', 'sk.eyJ1<alnum:56>.<base64url:22>'],
  ['maxmind-key', '', '<alnum:6>_<alnum:29>_mmk'],
  ['ollama-key', 'ollama', '<hex:32>.<base64url:24>'],
  ['openai-key', '', 'sk-<alnum:20>T3BlbkFJ<alnum:20>'],
  ['openai-project-key', '', 'sk-proj-<base64url:74>T3BlbkFJ<base64url:74>'],
  ['replicate-token', '', 'r8_<alnum:37>'],
  ['salesforce-token', 'salesforce', '00D<alnum:12>!AQEAQ<base64url:88>'],
  ['sendgrid-key', '', 'SG.<base64url:22>.<base64url:43>'],
  ['slack-config-token', '', 'xoxe.xoxp-1-<alnum:163>'],
  ['slack-session-cookie', '', 'xoxd-<alnum:60>%2B<alnum:60>%3D'],
  ['slack-bot-token', '', 'xoxb-<digits:12>-<digits:12>-<alnum:24>'],
  ['slack-app-token', '', 'xapp-1-A<A-Z0-9:10>-<digits:13>-<hex:64>'],
  ['telegram-token', 'telegram', '<digits:9>:AA<base64url:33>'],
  ['twilio-key', '', 'SK<hex:32>'],
  ['twitter-bearer-token', 'twitter', 'AAAAAAAAAAAAAAAAAAAAAA<alnum:84>'],
  ['typeform-token', 'typeform', 'tfp_<base64url:44>_<base64url:14>'],
  ['workato-token', '', 'wrkaus-<base64url:100>'],
  ['yandex-token', 'yandex', 't1.<alnum:60>.<base64url:86>'],
  ['zai-key', 'zai', '<hex:32>.<alnum:16>'],
  ['discord-token', 'discord', 'M<alnum:23>.<alnum:6>.<base64url:38>'],
  ['mailchimp-key', '', '<hex:32>-us12'],
  ['mailgun-new-key', 'mailgun', '<hex:32>-<hex:8>-<hex:8>'],
  ['nats-seed', 'nats', 'SUA<base32:55>'],
  ['google-oauth-secret', '', 'GOCSPX-<base64url:28>'],
  ['google-oauth-token', '', 'ya29.<base64url:120>'],
  ['google-refresh-token', 'google', '1//0<base64url:60>'],
  ['aws-secret-access-key', 'aws secret', '<base64:40>'],
  ['aws-session-token', 'aws session', 'IQoJb3JpZ2luX2Vj<base64:300>'],
  ['nuget-key', '', 'oy2<a-z0-9:43>'],
  ['github-app-token', '', 'ghs_<digits:8>_eyJhbGciOiJSUzI1NiJ9.<base64url:120>.<base64url:180>'],
  ['stripe-webhook-secret', '', 'whsec_<alnum:32>'],
  ['shodan-key', 'shodan', '<alnum:32>'],
  ['razorpay-key', '', 'rzp_live_<alnum:14>'],
  ['paystack-key', '', 'sk_live_<hex:40>'],
  ['braintree-token', '', 'access_token$production$<a-z0-9:16>$<hex:32>'],
  ['zapier-key', 'zapier', '<base64:22>'],
  ['shopify-token', '', 'shpat_<hex:32>'],
  ['newrelic-key', '', 'NRAK-<A-Z0-9:27>'],
  ['datadog-app-key', 'datadog app', '<hex:40>'],
  ['linode-token', 'linode', '<hex:64>'],
  ['hetzner-token', 'hetzner', '<alnum:64>'],
  ['ngrok-token', 'ngrok', '2<alnum:26>_<alnum:21>'],
  ['pagerduty-key', 'pagerduty', 'u+<alnum:18>'],
  ['opsgenie-key', 'opsgenie', '<uuid>'],
  ['rollbar-token', 'rollbar', '<hex:32>'],
  ['bugsnag-key', 'bugsnag', '<hex:32>'],
  ['ipinfo-token', 'ipinfo', '<hex:14>'],
  ['mandrill-key', 'mandrill', '<base64url:22>'],
  ['postmark-token', 'postmark', '<uuid>'],
  ['pubnub-key', '', 'sub-c-<uuid>'],
  ['pusher-secret', 'pusher', '<hex:20>'],
  ['resend-key', '', 're_<alnum:8>_<alnum:24>'],
  ['tavily-key', '', 'tvly-<alnum:32>'],
  ['langfuse-key', '', 'sk-lf-<uuid>'],
  ['fireworks-key', '', 'fw_<alnum:24>'],
  ['clerk-key', '', 'sk_test_<alnum:42>'],
  ['doppler-token', '', 'dp.st.dev.<alnum:43>'],
  ['pulumi-token', '', 'pul-<hex:40>'],
  ['buildkite-token', '', 'bkua_<hex:40>'],
  ['confluent-secret', 'confluent', '<base64:64>'],
  ['atlassian-token', '', 'ATATT3xFfGF0<base64url:171>=<HEX:8>'],
  ['bitbucket-app-password', '', 'ATBB<alnum:32>'],
  ['jfrog-key', '', 'AKCp8<alnum:68>'],
  ['age-key', '', 'AGE-SECRET-KEY-1<A-Z0-9:58>'],
  ['acme-style-token', '', 'acme_live_<alnum:40>'],
  ['snake-prefix-token', '', 'zlt_pat_<alnum:43>'],
];

const WORDS_AFTER_NAME = ['token', 'api token', 'api key', 'key', 'secret', 'access token', ''];

function bodyOf(alphabet: string, length: number, random: Random): string {
  if (alphabet !== 'hex-') return random.text(alphabet, length);
  return length === 36 ? uuid(random) : random.text('hex', length);
}

function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => random.text('hex', length)).join('-');
}

function compose(form: string, random: Random): string {
  return form
    .replaceAll('<uuid>', () => uuid(random))
    .replace(/<([^:<>]+):(\d+)>/g, (_, alphabet: string, length: string) => random.text(alphabet, Number(length)));
}

/**
 * Tokens of every known format, with a head (`vendor-prefix`) or known only by a name beside them
 * (`keyed-assign`), in `each` contexts.
 */
export function vendorTokens(random: Random, each: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (const { rule, heads, min, max, alphabet, names } of SHAPES) {
    for (let i = 0; i < each; i += 1) {
      const head = heads.length > 0 ? random.pick(heads) : '';
      const length = min + random.below(Math.min(max, min + 80) - min + 1) - head.length;
      place(
        texts,
        rule,
        head + bodyOf(alphabet, Math.max(length, 8), random),
        heads.length > 0 && names.length === 0,
        names,
        random,
      );
    }
  }
  for (const [rule, names, form] of COMPOSED)
    for (let i = 0; i < each; i += 1)
      place(texts, rule, compose(form, random), names === '', names === '' ? [] : [names], random);
  return texts;
}

function place(
  texts: LabelledText[],
  rule: string,
  value: string,
  hasHead: boolean,
  names: readonly string[],
  random: Random,
): void {
  const name = `${names.length > 0 ? random.pick(names) : (rule.split('-')[0] as string)} ${random.pick(WORDS_AFTER_NAME)}`;
  const contexts = hasHead && random.below(4) === 0 ? BARE : assignmentsTo(name);
  texts.push(labelled(hasHead ? 'vendor-prefix' : 'keyed-assign', rule, value, random.pick(contexts), random));
}

/** A vendor's name somewhere before its token, as in logs, notes and credential stores. */
export function nearKeywords(random: Random, each: number): LabelledText[] {
  const texts: LabelledText[] = [];
  const forms: readonly ((vendor: string, value: string) => string)[] = [
    (n, v) => `${n} ${v}`,
    (n, v) => `${n} token ${v}`,
    (n, v) => `# ${n}\n${v}\n`,
    (n, v) => `<id>{${n}}</id>\n  <secret>{${n} AQAAABAAA ${v}}</secret>`,
    (n, v) => `the ${n} one is ${v}, do not lose it`,
    (n, v) => `${n}:\n  - ${v}`,
    (n, v) => `client = ${n}.connect("${v}")`,
    (n, v) => `new ${n.charAt(0).toUpperCase() + n.slice(1)}Client('${v}')`,
    (n, v) => `https://api.${n}.example/v1/${v}/items`,
  ];
  for (const { rule, heads, min, alphabet, names } of SHAPES) {
    if (heads.length > 0 || names.length === 0 || min < 20 || alphabet === 'digits') continue;
    for (let i = 0; i < each; i += 1) {
      const value = bodyOf(alphabet, min, random);
      const write = random.pick(forms);
      const name = (random.pick(names) as string).toLowerCase();
      texts.push(labelled('near-keyword', rule, value, { name: 'near', write: (v) => write(name, v) }, random));
    }
  }
  return texts;
}
