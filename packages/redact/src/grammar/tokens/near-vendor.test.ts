import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';

const UUID_VALUE = [8, 4, 4, 4, 12].map((length, seed) => madeUp(length, HEX, seed)).join('-');
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';

describe('tokens beside their vendor', () => {
  it('RED-2: a long mixed value under or near a vendor name', () => {
    const places = [
      ['a.ts', (v: string) => `datadog: '${v}',`],
      ['a.env', (v: string) => `MAILGUN=${v}`],
      ['a.txt', (v: string) => `the deepgram one is ${v}`],
      ['a.js', (v: string) => `const keys = ['jira', '${v}'];`],
      ['a.txt', (v: string) => `https://api.infura.io/v3/${v}`],
      ['a.txt', (v: string) => `https://api.clickup.info/v2/${v}/items`],
      ['a.txt', (v: string) => `gitea token ${v}`],
    ] as const;
    for (const seed of [1, 2, 3]) {
      expect(notHidden(places, madeUp(32, undefined, seed))).toEqual([]);
      expect(notHidden(places, madeUp(40, LOWER, seed))).toEqual([]);
    }
  });

  it('RED-2: hexadecimal digits where a name, a section or a comment says what they are', () => {
    const places = [
      ['a.ini', (v: string) => `[datadog]\nvalue = ${v}`],
      ['a.yaml', (v: string) => `circleci:\n  value: ${v}`],
      ['a.sh', (v: string) => `sentry login ${v}`],
      ['a.sh', (v: string) => `circleci deploy --with ${v}`],
      ['a.py', (v: string) => `x = "${v}"  # twilio token`],
      ['a.txt', (v: string) => `the deepgram one is ${v}, do not lose it`],
      ['a.txt', (v: string) => `bitbucket secret ${v}`],
    ] as const;
    expect(notHidden(places, madeUp(32, HEX))).toEqual([]);
  });

  it('RED-2: the value of what is called a key, in one run with its name', () => {
    const places = [
      ['a.log', (v: string) => `[DEBUG] Using amplitude KEY=${v}`],
      ['a.txt', (v: string) => `datadog app_key=${v} here`],
      ['a.log', (v: string) => `sentry login auth=${v} done`],
    ] as const;
    expect(notHidden(places, madeUp(40, HEX))).toEqual([]);
  });

  it('RED-2: beside a host of code what is called a key or a token', () => {
    const places = [
      ['a.json', (v: string) => `{"gitea": {"key": "${v}"}}`],
      ['a.sh', (v: string) => `gitea deploy --token ${v}`],
      ['a.env', (v: string) => `# gitlab\nTOKEN=${v}`],
    ] as const;
    expect(notHidden(places, madeUp(40, HEX))).toEqual([]);
  });

  it('RED-2: twenty hexadecimal digits where something says that they are secret', () => {
    const places = [
      ['a.ini', (v: string) => `[pusher]\ntoken = ${v}`],
      ['a.log', (v: string) => `using customerio KEY=${v}`],
      ['a.txt', (v: string) => `the uploadcare secret ${v}`],
    ] as const;
    expect(notHidden(places, madeUp(20, HEX))).toEqual([]);
  });

  it('RED-8: what a vendor lets everybody see, and the ids of its objects stay', () => {
    expect(
      notKept([
        ['a.ts', `recaptcha.render({ siteKey: '6L${madeUp(38)}' });`],
        ['a.ts', `const stripePublicKey = '${'pk'}_live_${madeUp(24)}';`],
        ['a.php', `'braintree' => ['publicKey' => '${madeUp(16, LOWER)}'],`],
        ['a.env', `NEXT_PUBLIC_CLERK_PUBLISHABLE_KEY=${'pk'}_test_${madeUp(40)}`],
        ['a.ts', `const key = 'sb_publishable_${madeUp(22)}_${madeUp(8)}';`],
        ['a.ts', `const stripeKey = '${'pk'}_live_${madeUp(24)}';`],
        ['a.ts', `it('stripe returns a token', () => expect(cus('cus_${madeUp(14)}')));`],
        ['a.ts', `const stripePrice = 'price_${madeUp(24)}';`],
        ['a.html', `<script src="https://cdn.mapbox.com/app.js?v=${madeUp(32, HEX)}">`],
        ['a.ini', `[pusher]\napp = ${madeUp(20, HEX)}`],
        ['a.txt', `https://api.infura.io/v3/${madeUp(20, HEX)}`],
      ]),
    ).toEqual([]);
  });

  it('RED-8: revisions, versions, accounts and addresses beside a vendor stay', () => {
    const digest = madeUp(40, HEX);
    expect(
      notKept([
        ['a.md', `See https://github.com/acme/app/commit/${digest}.`],
        ['a.yml', `uses: codecov/codecov-action@${digest}`],
        ['a.ts', "sentry: '8.14.0-beta.1',"],
        ['a.md', `the sentry release is ${digest}`],
        ['a.md', `see gitea ${digest}`],
        ['a.md', `* Ann of heroku\n  \`${madeUp(40, '0123456789ABCDEF')}\``],
        ['a.txt', `# Serial of twilio: ${madeUp(39, '0123456789')}`],
        ['a.vim', 'an 50.140.140 &Syntax.Slack.Snobol4.Fvwm2 :cal SetSyn("snobol4")'],
        ['a.ini', `[sentry]\nrelease = ${digest}`],
        ['a.tf', `cloudflare_zone_id = "${digest}"`],
        ['a.md', `heroku: the build at ${digest}`],
        ['a.js', `fetch('https://cdn.shopify.com/s/files/1/0001/${digest}.js')`],
        ['a.js', `x = "${digest}"  // twilio sends this`],
        ['a.sh', `git checkout ${digest}`],
        ['a.md', `* badges for readme ([${digest}](https://host.test/${digest}))`],
        ['a.md', `pulumi import aws:waf/ruleGroup:RuleGroup some ${UUID_VALUE}`],
        ['a.md', `pulumi import aws:amp/scraper:Scraper some s-${UUID_VALUE}`],
        ['a.go', `Id: aws.String("${UUID_VALUE}"),`],
        ['a.yml', `aws_image: ami-${madeUp(17, HEX)}`],
        [
          'a.go',
          `EndpointArn: aws.String("arn:aws:dms:us-east-1:123456789012:endpoint:${madeUp(26, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}"),`,
        ],
        ['a.go', 'ServerName: aws.String("mydb.cx1llnox7iyx.us-west-2.rds.test"),'],
        ['a.ts', `'a' | 'AwsS3V1FileCopyParams': config<AwsS3V1FileCopyParams>`],
        ['a.ts', `/** gitlab */ '${digest}'?: string;`],
        [
          'a.go',
          `${['// DigiCert, of github', '-----BEGIN CERTIFICATE-----', madeUp(64), madeUp(64, undefined, 9)].join('\n')}\n-----END CERTIFICATE-----`,
        ],
        ['a.yml', `deploy to heroku: "AAAA${'B3NzaC1yc2E'}AAAABJQAAAIEA${madeUp(60)}"`],
        ['a.rst', 'twilio formats: V4L2_PIX_FMT_NV12_16L16'],
        ['a.go', `workflow, err := workflows.Get(mistralClient, "${UUID_VALUE}").Extract()`],
        ['a.py', `versions = {'NetworkSegment': '1.0-${madeUp(32, HEX)}'}`],
      ]),
    ).toEqual([]);
  });

  it('RED-3: a personal access token of a code host by its full name; a version with a point in an address', () => {
    const token = madeUp(40, HEX);
    expect(redactLine(`# GitHub personal access token\nX = '${token}'`, 'a.py').text).toContain('[REDACTED:');
    expect(redactLine(`http://api.softlayer.com/soap/v3.1/${madeUp(64, HEX)}`, 'a.txt').text).toContain('[REDACTED:');
    const text = `See the GitHub personal access guide at https://github.com/x/y/commit/${token}`;
    expect(redactLine(text, 'a.md').text).toBe(text);
  });
});
