import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';
import { textFromSeed } from '../../testing/secret-generators.js';

const V = madeUp(16);

describe('values by where they stand', () => {
  it('RED-3: on the next line, in a block, before their name, encoded', () => {
    const places = [
      ['a.py', (v: string) => `password =\\\n    "${v}"`],
      ['a.yaml', (v: string) => `password: |\n  ${v}\nport: 1`],
      ['a.xml', (v: string) => `<password>\n    ${v}\n</password>`],
      ['Info.plist', (v: string) => `<key>password</key>\n<string>${v}</string>`],
      ['a.html', (v: string) => `<input type="password" name="pw" value="${v}">`],
      ['a.js', (v: string) => `if ("${v}" == password) return;`],
      ['a.java', (v: string) => `"${v}".equals(password)`],
      ['a.txt', (v: string) => `redirect=%3Fpassword%3D${v}%26x%3D1`],
      ['a.json', (v: string) => `{"q":"a\\u0026password\\u003d${v}\\u0026x"}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: without quotes in logs, lists, environments and files of logins', () => {
    const places = [
      ['a.csv', (v: string) => `smtpPassword,${v},`],
      ['a.log', (v: string) => `12:00 INFO connecting with db_password=${v} retries=3`],
      ['Dockerfile', (v: string) => `ENV DB_PASSWORD ${v}`],
      ['a.sh', (v: string) => `docker run -e DB_PASSWORD=${v} -d app`],
      ['a.txt', (v: string) => `machine api.example.com login ann password ${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: in notes, where nothing but chance makes such a word', () => {
    const places = [
      ['a.txt', (v: string) => `log in at 192.0.2.7 (password: ${v})`],
      ['a.txt', (v: string) => `password:${v} username:ann`],
      ['a.txt', (v: string) => `ssh ann@192.0.2.7, pwd: ${v}, port 22`],
      ['a.txt', (v: string) => `user ann password ${v} until May`],
      ['a.md', (v: string) => `Ensure the password for user 'postgres' is '${v}' or change .env`],
      ['a.md', (v: string) => `password for root:${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(
      notKept([
        ['a.md', 'a user enters password AuthenticationV2Provider twice'],
        ['a.md', 'password: OAuth2TokenRefreshHandler is used here'],
        ['a.txt', '(password: optional)'],
        ['a.txt', "the password for user 'ann' is 'required'"],
      ]),
    ).toEqual([]);
  });

  it('RED-3: notes in German, French and Spanish, and passwords that people make up', () => {
    const places = [
      ['mail.txt', (v: string) => `das Passwort für crm_app lautet ${v}`],
      ['mail.txt', (v: string) => `das Passwort ist ${v}`],
      ['LEEME.md', (v: string) => `- contraseña: ${v}`],
      ['LEEME.md', (v: string) => `La contraseña para ann es ${v}`],
      ['mail.txt', (v: string) => `le mot de passe est ${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden([['LIESMICH.md', (v) => `1. VPN (Kennwort: ${v})`]], 'meadowCobalt662-')).toEqual([]);
    expect(notHidden([['LIESMICH.md', (v) => `Benutzer ann und Passwort **${v}**`]], V)).toEqual([]);
    for (const value of ['c4ctus3600', '_MeadowCobalt83'])
      expect(notHidden([['log.txt', (v) => `remove password ${v} from config`]], value)).toEqual([]);
    for (const value of [V, madeUp(32, HEX)])
      expect(notHidden([['log.txt', (v) => `use shared secret ${v}`]], value)).toEqual([]);
    expect(
      notKept([
        ['a.md', '(password: AuthenticationProviderV2)'],
        ['a.md', 'das Passwort ist geheim'],
        ['a.md', 'The password field takes sha256 digests, and password v2 is in beta1.'],
        ['a.md', 'The client secret PKCS12KeyStoreLoader is loaded.'],
        ['a.md', 'La contraseña es obligatoria'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: the value of a pair behind comments, or before its name', () => {
    const places = [
      [
        'a.tf',
        (v: string) => `env {
  name  = "DB_PASSWORD"
  // set by hand
  # until the vault is there
  value = "${v}"
}`,
      ],
      [
        'a.tf',
        (v: string) => `env {
  value = "${v}"
  # a comment
  name  = "DB_PASSWORD"
}`,
      ],
      ['web.config', (v: string) => `<add connectionString="Server=a; User Id=ann; password= ${v}" />`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: entities of markup are characters of the value, in elements, in escaped ones and in connection strings', () => {
    const places = [
      ['web.config', (v: string) => `<password>${v}</password>`],
      ['a.xml', (v: string) => `&lt;password&gt;${v}&lt;/password&gt;`],
      ['web.config', (v: string) => `<add connectionString="Server=a;Uid=ann;Pwd=${v};Pooling=true" />`],
    ] as const;
    for (const entity of ['&amp;', '&#38;', '&apos;'])
      expect(notHidden(places, `${madeUp(6)}${entity}${madeUp(6)}`)).toEqual([]);
    expect(
      notHidden(
        [['appsettings.ini', (v) => `Db=Server=a;Uid=ann;Pwd=${v};Pooling=true`]],
        `${madeUp(6)},${madeUp(6)}&${madeUp(4)}`,
      ),
    ).toEqual([]);
    expect(notHidden([['a.txt', (v) => `callback?password=${v}&next=home`]], V)).toEqual([]);
    expect(
      notHidden(
        [['web.config', (v) => `<add value="connection string=&quot;Server=a;Uid=ann;Password=${v}&quot;" />`]],
        V,
      ),
    ).toEqual([]);
    expect(notKept([['a.html', '<password>&copy; see there</password>']])).toEqual([]);
  });

  it('RED-3: directives of several words, environments among other text', () => {
    const places = [
      ['remote.conf', (v: string) => `remote_password ${v}`],
      ['hostapd.conf', (v: string) => `wpa_psk ${v}`],
      ['notes.txt', (v: string) => `  envvars: FTP_PASS=${v}`],
      ['setup.txt', (v: string) => `SqlSetup.exe /User ann /Password ${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden([['remote.conf', (v) => `remote_password ${v}`]], 'meadow-lantern-cobalt')).toEqual([]);
    expect(
      notKept([
        ['remote.conf', 'remote_password required'],
        ['notes.txt', 'set FTP_PASS=optional there'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: in pieces, and on both sides of a change', () => {
    const { text } = redactLine(`const apiKey = "${V.slice(0, 8)}" +\n  "${V.slice(8)}";`, 'a.ts');
    expect(text).toBe('const apiKey = "[REDACTED:key:1]" +\n  "[REDACTED:key:1]";');
    const old = madeUp(16, undefined, 3);
    expect(redactLine(` password =\n-  "${old}"\n+  "${V}"`, 'a.py', true).text).toBe(
      ' password =\n-  "[REDACTED:password:1]"\n+  "[REDACTED:password:2]"',
    );
  });

  it('RED-8: prose, documentation, types and constants that name themselves stay', () => {
    expect(
      notKept([
        ['a.md', 'It is not wise to pass `common.mustCall()` to those functions.'],
        ['a.md', 'The password is required.'],
        ['a.py', 'error = "Could not change passphrase: cannot guess the type"'],
        ['a.py', '"os_compute_api:os-server-password:show": "",'],
        ['a.hrl', 'auditToken = asn1_NOVALUE,'],
        ['a.ts', ' * - `url-token`: `url("./icon.png")`'],
        ['a.h', '#define SSL_TXT_kPSK "kPSK"'],
        ['a.php', "'KEYPASSWD', 'KRB4LEVEL',"],
        ['a.py', 'private_key = make_key(\n    version=0\n)'],
        ['a.conf', 'passwd:         files'],
        ['a.ts', 'password?: string = undefined,'],
        ['a.py', 'password = password.encode("utf-8")'],
        ['a.py', "    'HTTPPasswordMgr', 'HTTPPasswordMgrWithPriorAuth', 'AbstractBasicAuthHandler',"],
        ['a.py', "'ftp_weird_pass_reply', 'ftp_weird_227_format',"],
        ['a.py', '# --username and --password options instead of'],
        ['a.py', "'user[:passwd]', 'host[:port]'"],
        ['a.ts', "report(program === 'p4' ? 'perforce-password' : 'command-line', start)"],
        ['a.md', 'Failed to set PSK identity hint.'],
        ['a.md', 'https://ci.example/badge.svg?token=aB3dE6gH9k'],
        ['a.config', `<assemblyIdentity name="X" publicKeyToken="${madeUp(16, '0123456789abcdef')}" />`],
      ]),
    ).toEqual([]);
  });

  it('RED-3: what a generator makes of the whole keyboard, to the end of its line of configuration', () => {
    const keyboard = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))
      .join('')
      .replace(/["'`\\]/g, '');
    const places = [
      ['.env', (v: string) => `DB_PASSWORD=${v}\nPORT=1\n`],
      ['a.ini', (v: string) => `password = ${v}\nport = 1\n`],
      ['a.properties', (v: string) => `db.password=${v}\ndb.port=1\n`],
      ['a.cfg', (v: string) => `api_key=${v}\nport=1\n`],
      ['a.yaml', (v: string) => `client_secret: ${v}\nport: 1\n`],
    ] as const;
    const values = Array.from({ length: 400 }, (_, seed) => textFromSeed(seed + 1, keyboard, 16));
    // YAML reads other things behind these.
    const isYaml = (value: string): boolean => !/^[[\]{}&*!|>%@#,?:-]|: | #|:$/.test(value);
    for (const [path, write] of places) {
      const asked = path === 'a.yaml' ? values.filter(isYaml) : values;
      const left = asked.filter((value) => redactLine(write(value), path).text.includes(value));
      expect(left.length, `${path}: ${left.slice(0, 5).join('   ')}`).toBeLessThanOrEqual(asked.length * 0.015);
    }
    expect(notHidden([['.env', (v: string) => `DB_PASSWORD=${v}`]], '~x9(K=q2<[Tz%4&r')).toEqual([]);
    expect(notHidden([['.env', (v: string) => `DB_PASSWORD=${v}`]], '=x9(K~q2<[Tz%4&r)')).toEqual([]);
  });

  it('RED-8: references, formats and calls stay under such a name', () => {
    expect(
      notKept([
        ['.env', 'DB_PASSWORD=${DB_PASSWORD:-$PG_PASS}'],
        ['a.sh', 'TOKEN=$(cat "$HOME/.token"|tr -d "\\n")'],
        ['a.sh', 'TOKEN=${1#--token=}'],
        ['a.yaml', 'password: {{vault:secret/data/app#password}}'],
        ['a.ini', 'password = %(DB_PASS)s'],
        ['a.properties', 'db.password=<your-password-here>'],
        ['a.cfg', 'api_key==1.2.3'],
        ['a.yaml', 'password: $__file{/etc/app/secret}'],
      ]),
    ).toEqual([]);
  });
});
