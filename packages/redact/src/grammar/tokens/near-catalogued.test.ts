import { describe, expect, it } from 'vitest';
import { ALNUM, HEX, madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';

describe('tokens beside a catalogued vendor', () => {
  it('RED-2: a run that chance made, beside a name in one word or in several', () => {
    const places = [
      ['a.py', (v: string) => `calendarific = "${v}"`],
      ['a.yml', (v: string) => `open_weather_map: ${v}`],
      ['a.txt', (v: string) => `the visualCrossing one is ${v}.`],
      ['a.json', (v: string) => `[{"name": "News Api", "display": true, "value": "${v}"}]`],
      ['a.md', (v: string) => `| PIPEDREAM_TOKEN | ${v} | prod |`],
      ['a.txt', (v: string) => `https://api.scraperbox.com/v1/${v}/forecast`],
      ['a.env', (v: string) => `GYAZO_PAT=${v}`],
      ['a.yaml', (v: string) => `integrations:\n  docparser:\n    key: ${v}`],
    ] as const;
    for (const alphabet of [ALNUM, LOWER, HEX]) expect(notHidden(places, madeUp(32, alphabet))).toEqual([]);
  });

  it('RED-2: a client made of its key', () => {
    const places = [
      ['a.ts', (v: string) => `const client = new Coinlayer("${v}");`],
      ['a.go', (v: string) => `\tapi, err := pdfshift.New("${v}")`],
      ['a.rb', (v: string) => `client = Codacy::Client.new('${v}')`],
      ['a.php', (v: string) => `$c = new \\Ipdata\\Client('${v}');`],
      ['a.java', (v: string) => `ParseurClient c = new ParseurClient("prod", "${v}");`],
    ] as const;
    expect(notHidden(places, madeUp(40, HEX))).toEqual([]);
  });

  it('RED-2: a comment behind a key says whose it is', () => {
    const places = [
      ['a.kt', (v: string) => `private const val KEY = "${v}" // qase\n`],
      ['a.py', (v: string) => `TOKEN = '${v}'  # Circle CI token\n`],
      ['a.ts', (v: string) => `  apiKey: '${v}', /* open weather map */\n`],
    ] as const;
    expect(notHidden(places, madeUp(40, HEX))).toEqual([]);
  });

  it('RED-2: a weak name counts beside a catalogued vendor', () => {
    const places = [
      ['a.ts', (v: string) => `const stormboardKey = '${v}';`],
      ['a.yml', (v: string) => `cloudmersive:\n  cloudmersive-credentials: ${v}`],
    ] as const;
    expect(notHidden(places, madeUp(40, HEX))).toEqual([]);
  });

  it('RED-2: a vendor whose name is a word counts right beside its token, and nowhere else', () => {
    const places = [
      ['a.java', (v: string) => `RavenApi api = new RavenApi("${v}", 30);`],
      ['a.txt', (v: string) => `the canny key is ${v}`],
      ['a.py', (v: string) => `hive = ${v}`],
    ] as const;
    expect(notHidden(places, madeUp(28, 'abcdefghijklmnopqrstuvwxyz0123456789'))).toEqual([]);
    expect(notKept([['a.txt', `the hive holds pages by digest: ${madeUp(40, HEX)}`]])).toEqual([]);
  });

  it('RED-8: digests, revisions, requests, assets and things asked for by id stay', () => {
    const digest = madeUp(40, HEX);
    expect(
      notKept([
        ['SHA256SUMS', `clockify-1.4.0.tar.gz  sha256:${madeUp(64, HEX)}`],
        ['SHA256SUMS', `twilio-1.4.0.tar.gz  sha256:${madeUp(64, HEX)}`],
        ['a.txt', `# pinned uploadcare at commit ${digest}`],
        ['a.yml', `uses: nightfall/setup-action@${digest}`],
        ['a.log', `clearbit request ${digest} finished in 31 ms`],
        ['a.ts', `await shotstack.getEdit("${digest}")`],
        ['a.html', `<img src="https://cdn.unsplash.com/assets/${digest}.png">`],
        ['a.tf', `pingdom_project_id = "${digest}"`],
        ['a.kt', `private const val HEAD = "${digest}" // qase\n`],
        ['a.kt', `private const val KEY = "${digest}" // qase sends this\n`],
        ['a.ts', `docs: clockify\n\n\n\n${digest}`],
        ['a.ts', `import { ClockifyTimeEntry2Serializer } from './clockify/ClockifyTimeEntry2Serializer';`],
      ]),
    ).toEqual([]);
  });
});
