import { describe, expect, it } from 'vitest';
import { BASE64, HEX, madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';

const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';

describe('random tokens', () => {
  it('RED-2: a random token alone, a prefix of words before one', () => {
    expect(notHidden([['a.txt', (v) => `see ${v} there`]], madeUp(36))).toEqual([]);
    expect(notHidden([['a.txt', (v) => `see ${v} there`]], `acme_pat_${madeUp(30)}`)).toEqual([]);
    expect(notHidden([['a.json', (v) => `{"text": "first\\n${v}\\n"}`]], madeUp(36))).toEqual([]);
  });

  it('RED-2: shorter ones, and those of one case, behind an operator', () => {
    const places = [
      ['a.ts', (v: string) => `const hub = '${v}';`],
      ['a.yaml', (v: string) => `hub: ${v}`],
      ['a.rb', (v: string) => `  :hub => "${v}",`],
    ] as const;
    expect(notHidden(places, madeUp(24))).toEqual([]);
    expect(notHidden(places, madeUp(36, LOWER))).toEqual([]);
  });

  it('RED-2: the same in quotes wherever they stand, escaped ones too, and as a word of its own in a file of values', () => {
    const places = [
      ['a.js', (v: string) => `storage.setItem('hub', '${v}');`],
      ['a.php', (v: string) => `define('HUB', '${v}');`],
      ['a.json', (v: string) => `{"body": "{\\"hub\\":\\"${v}\\"}"}`],
      ['a.conf', (v: string) => `SetEnv HUB ${v}`],
      ['a.yaml', (v: string) => `hub: >-\n  ${v}\nnext: 1`],
      ['a.xml', (v: string) => `<hub>\n    ${v}\n</hub>`],
    ] as const;
    for (const seed of [1, 3, 4, 5, 6]) {
      expect(notHidden(places, madeUp(24, undefined, seed))).toEqual([]);
      expect(notHidden(places, madeUp(32, LOWER, seed))).toEqual([]);
    }
  });

  it('RED-8: digests, identifiers, alphabets and data stay', () => {
    expect(
      notKept([
        ['a.txt', `sha256-${madeUp(43, BASE64)}=`],
        ['nginx.conf', `add_header Content-Security-Policy "script-src 'sha256-${madeUp(43)}='";`],
        ['a.txt', `https://docs.example/d/${madeUp(44)}/edit`],
        ['a.ts', 'createAuthenticationProviderFactoryBean2ForTests()'],
        ['a.txt', `${madeUp(64, BASE64)}\n${madeUp(64, BASE64, 8)}\n${madeUp(40, undefined, 9)}\n`],
        ['a.lock', madeUp(36)],
        ['a.h', '#define TransformId              xmlSecGCryptTransformAes128CbcId'],
        ['a.ts', `const id = '${madeUp(40, HEX)}';`],
        ['a.py', "config = messages.MessageField('GoogleIamV1AuditLogConfig', 1)"],
        ['a.py', "jobs = messages.MessageField('GooglePrivacyDlpV2DlpJob', 1)"],
        ['a.txt', `&code_challenge=${madeUp(43)}&code_challenge_method=S256`],
        ['a.sh', `tool --ssh-public-keys="${madeUp(36)}"`],
        ['a.txt', `ni:///sha-256;${madeUp(43)}`],
        ['a.xml', `<CipherValue>${madeUp(32)}</CipherValue>`],
        ['a.txt', `call(${madeUp(24)})`],
        ['a.ts', `const alphabet = '${[...LOWER].reverse().join('')}';`],
      ]),
    ).toEqual([]);
  });

  it('RED-8: public keys and certificates stay, escaped on one line or in XML, to their last line', () => {
    const armor = (label: string, lines: readonly string[], end: string): string =>
      [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join(end);
    for (let seed = 1; seed <= 60; seed += 1) {
      const lines = [
        `MII${madeUp(61, BASE64, seed)}`,
        madeUp(64, BASE64, seed + 99),
        `${madeUp(24 + (seed % 39), BASE64, seed + 999)}=`,
      ];
      expect(
        notKept([
          ['a.xml', `<cert>${armor('CERTIFICATE', lines, '\n')}</cert>`],
          ['a.xml', `<X509Certificate>${lines.join('\n')}</X509Certificate>`],
          ['a.xml', `<X509Certificate>\n  ${lines.join('\n  ')}\n</X509Certificate>`],
          ['a.json', `{"cert": "${armor('CERTIFICATE', lines, '\\n')}\\n"}`],
          ['a.json', `{"key": "${armor(`${'PUBLIC'} KEY`, lines, '\\n')}\\n"}`],
        ]),
      ).toEqual([]);
    }
  });

  it('RED-2: tokens whose heads are too short for a literal', () => {
    expect(redactLine(`id ${'S'}K${madeUp(32, HEX)}`).rules).toEqual(['twilio-key:low']);
    expect(redactLine(`x pat${madeUp(14)}.${madeUp(64, HEX)}`).rules).toEqual(['airtable-token:high']);
    expect(redactLine(`seed SU${madeUp(54, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`).rules).toEqual(['nats-seed:high']);
    expect(redactLine(`bot M${madeUp(23)}.${madeUp(6)}.${madeUp(30)}`).rules).toEqual(['discord-token:high']);
  });

  it('RED-8: digests and addresses with a mark before them, folders of generated pages and drawings stay', () => {
    expect(
      notKept([
        ['a.html', `<tr class="memitem:ga${madeUp(32, HEX)}"><td id="exec_8h_html_a${madeUp(32, HEX)}">`],
        ['a.js', `var dir_${madeUp(32, HEX)} =`],
        ['a.sh', `# See I${madeUp(40, HEX)}`],
        ['a.ts', `params: ["0x${madeUp(40, HEX)}"]`],
        ['a.ts', `C2.SetString("0x${madeUp(64, HEX)}", 0)`],
        ['a.html', `id="gga${madeUp(32, HEX)}a${madeUp(32, HEX)}"`],
        ['a.wxs', `<ComponentRef Id="cmp${madeUp(32, HEX).toUpperCase()}" />`],
        ['a.txt', `Content-Type|multipart/form-data; boundary=${madeUp(30)}`],
        ['a.pm', `'%s IN DNSKEY 256 3 13 ${madeUp(64)}'`],
        ['a.html', `href="data:image/png;base64,${madeUp(60, BASE64)} ${madeUp(32)} ${madeUp(60, BASE64)}"`],
        ['a.json', '{"icon": "<path d=\\"M17 20v-8h1V0H2v12h1v8zM9 10V7H6V5h3V2h2v3h3v2h-3v3zm-4 4v-2h10v2z\\"/>"}'],
      ]),
    ).toEqual([]);
  });

  it('RED-8: ids under their name, pages, data in an address and digests with a word beside them stay; what opens something goes', () => {
    const id = madeUp(40);
    expect(
      notKept([
        ['a.json', `{"uploadId": "${id}", "ID": "${id}", "versionId": "${id}"}`],
        ['a.go', `JobId:     aws.String("${id}"),`],
        ['a.json', `{"nextToken": "${id}"}`],
        ['a.js', `x = 'data:image/png;base64,iVBORw0KGgo${madeUp(30)}%2B${madeUp(33)}%2Fa';`],
        ['a.xml', `<hash_${madeUp(38, HEX)}>`],
        ['a.py', `images = ['${madeUp(40, HEX)}_sm']`],
        ['a.json', `{"paymentIds": ["${id}"]}`],
        ['a.ts', `// issuer: 'G${madeUp(55, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}'`],
        ['a.ts', ` * @example ${id}`],
        ['a.ts', `placeholder: 'e.g. ${id}',`],
        ['a.yml', `sample: ${id}`],
        ['a.json', `{"kty": "EC", "x": "${madeUp(43)}", "y": "${madeUp(43)}"}`],
        ['a.js', `Gx: BigInt('0x${madeUp(64, HEX)}'), n: BigInt('0x${madeUp(96, HEX)}')`],
        ['a.json', `{"key": "${madeUp(20)}EXAMPLE${madeUp(12)}"}`],
      ]),
    ).toEqual([]);
    for (const name of ['client_id', 'sessionId', 'app_id'])
      expect(redactLine(`${name} = "${id}"`, 'a.py').text).toContain('[REDACTED:');
  });

  it('RED-1: every member of a list goes at once, and of a block of base64 none, nor beside a mark', () => {
    const tokens = Array.from({ length: 12 }, (_, at) => madeUp(64, undefined, at + 1));
    const list = redactLine(`const KEYS = [\n${tokens.map((token) => `  "${token}",\n`).join('')}];`, 'a.ts');
    expect(list.text.match(/\[REDACTED:random-token:\d+\]/g)).toHaveLength(tokens.length);
    const mark = '[REDACTED:password:1]';
    for (const joint of ['\n', '"\n  "', '" +\n    "', "' .\n  '", '\\\n'])
      expect(
        notKept([
          ['a.py', `data = (\n  "${tokens.join(joint)}")\n`],
          ['a.py', `x = "${[mark, ...tokens.slice(1)].join(joint)}"\n`],
        ]),
      ).toEqual([]);
  });

  it('RED-8: fields of SOPS, ids of answers and ULIDs stay', () => {
    const field = (head: string): string =>
      `${head}ENC[AES256_GCM,data:${madeUp(60)},iv:${madeUp(43)}=,tag:${madeUp(22)}==,type:str]`;
    expect(
      notKept([
        ['a.yaml', field('password: ')],
        ['a.ini', field('note = ')],
        ['a.py', `assert answer.id == "chatcmpl-${madeUp(29)}"`],
        ['a.ts', `const key = '01${madeUp(24, '0123456789ABCDEFGHJKMNPQRSTVWXYZ')}';`],
      ]),
    ).toEqual([]);
  });
});
