import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';
import { textFromSeed } from '../../testing/secret-generators.js';

const V = madeUp(16);

describe('assignments', () => {
  it('RED-3: values go, names, quotes and syntax stay, in every language', () => {
    const places: readonly (readonly [path: string, write: (value: string) => string])[] = [
      ['a.ts', (v) => `const dbPassword: string = '${v}';`],
      ['a.js', (v) => `config['api_key'] = "${v}";`],
      ['a.go', (v) => `password := "${v}"`],
      ['a.c', (v) => `#define DB_PASSWORD "${v}"`],
      ['a.c', (v) => `char password[32] = "${v}";`],
      ['a.cs', (v) => `"Server=db;User Id=sa;Password=${v};Encrypt=true"`],
      ['a.php', (v) => `'password' => '${v}',`],
      ['a.java', (v) => `client.setPassword("${v}");`],
      ['a.py', (v) => `if password == "${v}":`],
      ['a.sql', (v) => `CREATE USER app IDENTIFIED BY '${v}';`],
      ['a.yaml', (v) => `- name: DB_PASSWORD\n  value: ${v}`],
      ['a.env', (v) => `export DB_PASSWORD=${v}`],
      ['a.env', (v) => `DB_PASSWORD=${v}&,;|x`.replace('&,;|x', `&,;|${v}`)],
      ['a.ini', (v) => `password = ${v} ; note`],
      ['a.xml', (v) => `<password>${v}</password>`],
      ['a.config', (v) => `<add key="password" value="${v}" />`],
      ['a.json', (v) => `{"password": "${v}", "port": 1}`],
      ['a.sh', (v) => `tool --password ${v} --verbose`],
      ['a.sh', (v) => `curl 'https://x.example/?access_token=${v}&y=1'`],
      ['a.txt', (v) => `P4PASSWD=${v}`],
    ];
    for (const [path, write] of places) {
      const { text } = redactLine(write(V), path);
      expect(text).not.toContain(V.slice(0, 8));
      expect(text).toMatch(/\[REDACTED:(?:password|key|secret):1\]/);
    }
    expect(redactLine(`const dbPassword: string = '${V}';`, 'a.ts').text).toBe(
      "const dbPassword: string = '[REDACTED:password:1]';",
    );
    expect(redactLine(`password = ${V} ; note`, 'a.ini').text).toBe('password = [REDACTED:password:1] ; note');
  });

  it('RED-3: hexadecimal digits, and small letters and digits as only chance mixes them, that are called a token; a key, a page and what is read of a stream by that name stay', () => {
    const places = [
      ['a.ini', (v: string) => `token = ${v}`],
      ['a.json', (v: string) => `{"token": "${v}"}`],
      ['a.sh', (v: string) => `tool deploy --token ${v} --env prod`],
      ['a.ts', (v: string) => `const token = '${v}';`],
    ] as const;
    for (const length of [32, 40, 64]) expect(notHidden(places, madeUp(length, HEX))).toEqual([]);
    expect(notHidden(places, madeUp(16, 'bcdfghjkmnpqrstvwxz23456789'))).toEqual([]);
    const digest = madeUp(40, HEX);
    expect(
      notKept([
        ['a.ts', `const key = '${digest}';`],
        ['a.ts', `nextToken: '${digest}',`],
        ['a.ts', `lexer.token('${digest}')`],
        ['a.ts', `const token = ${madeUp(8, HEX)}.length;`],
      ]),
    ).toEqual([]);
  });

  it('RED-8: what follows the name of a secret in a list, on a page and in a report stays', () => {
    expect(
      notKept([
        ['a.py', "data = {'password': params.get('password'), 'firstname': params.get('first_name')}"],
        ['a.php', "'privacy_password' => $p['password'], 'snmpv3_name' => $p['name'],"],
        ['a.go', "// 'AzureSkuNameStandardDS13V21TBPS', 'AzureSkuNameStandardDS13V22TBPS'"],
        ['a.ts', '{ type: "azure-native:aad/v20250601preview:DomainService" }'],
        ['a.md', 'the `@aws-cdk/aws-batch:defaultToAL2023` feature flag'],
        ['a.js', `uri: 'spotify:track:${madeUp(22)}'`],
        ['a.js', `exports.hashMap.set('bitrise', '${madeUp(64, HEX)}');`],
        ['a.html', '<td><label for="new_password">{t}New password{/t}</label></td>'],
        ['a.html', '<a href="mailto:x?subject=Documentation__get_in_tkt_with_password">feedback</a>'],
        ['a.txt', '--- PASS: TestVetDirs (0.01s)'],
        ['a.min.txt', `x(a);this.masterKey=attrs.keyArn?Key.from(this,"K"):void 0;b()`],
      ]),
    ).toEqual([]);
    const pair = ['a.xml', (v: string) => `<entry key="password">${v}</entry>`] as const;
    const row = ['a.py', (v: string) => `options.set('password', '${v}')`] as const;
    expect(notHidden([pair, row], V)).toEqual([]);
  });

  it('RED-3: the next cell of a page, what a list of it defines; prose and types there stay', () => {
    const places = [
      ['a.html', (v: string) => `<tr><th>Password</th><td>${v}</td></tr>`],
      ['a.html', (v: string) => `<tr><td>API key:</td>\n  <td class="mono">${v}</td></tr>`],
      ['a.html', (v: string) => `<p><b>Password:</b> <code>${v}</code></p>`],
      ['a.html', (v: string) => `<dt>Token</dt><dd>${v}</dd>`],
      ['a.html', (v: string) => `<li>Password: <code>${v}</code></li>`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(
      notKept([
        ['a.html', '<tr><td>Password</td>\n<td>The password of the user</td></tr>'],
        ['a.html', '<tr><td>password</td><td>string</td><td>token</td><td>a11y-html5</td></tr>'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: a literal that COBOL moves, an arrow, a bar, a part of a connection string among words; types behind an arrow or a bar stay', () => {
    const places = [
      ['a.cbl', (v: string) => `           MOVE "${v}" TO WS-DB-PASSWORD.`],
      ['notes', (v: string) => `client_secret -> ${v}`],
      ['notes', (v: string) => `webhook_secret|${v}\n`],
      ['a.md', (v: string) => `mdp: ${v}`],
      ['a.md', (v: string) => `pw is ${v}`],
      ['a.md', (v: string) => `Your password has been reset to: ${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden([['notes', (v) => `User Id=ann;Password=${v};Data Source=db`]], 'meadowcobalt')).toEqual([]);
    expect(
      notHidden(
        [['hosts', (v) => `web1 ansible_user=ann ansible_password=${v}`]],
        textFromSeed(5, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 14),
      ),
    ).toEqual([]);
    expect(
      notKept([
        ['a.hs', 'token -> Either Error5xx Token2'],
        ['a.py', ':param Ed25519PrivateKey|Ed448PrivateKey key: the key'],
        ['a.cbl', '           MOVE "Enter the password" TO PASSWORD-PROMPT.'],
        ['a.md', 'The password has been changed to something else.'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: keys in two words with digits of a digest, salts of such digits, the id of a reporter that is a key', () => {
    const places = [
      ['a.md', (v: string) => `API key: ${v}`],
      ['a.md', (v: string) => `api key — ${v}`],
      ['a.py', (v: string) => `password_salt = "${v}"`],
      ['.env', (v: string) => `CC_TEST_REPORTER_ID=${v}`],
    ] as const;
    for (const length of [32, 64]) expect(notHidden(places, madeUp(length, HEX))).toEqual([]);
    expect(
      notKept([
        ['a.md', `primary key: ${madeUp(32, HEX)}`],
        ['a.env', `REPORTER_ID=${madeUp(64, HEX)}`],
      ]),
    ).toEqual([]);
  });

  it('RED-3: salts and nonces that chance made; small ones and the nonce of a request stay', () => {
    const places = [
      ['a.py', (v: string) => `SALT = "${v}"`],
      ['a.go', (v: string) => `aesNonce := "${v}"`],
      ['a.exs', (v: string) => `  signing_salt: "${v}",`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(
      notKept([
        ['a.py', 'seed = "abc123"'],
        ['a.c', 'seed = 20240501;'],
        ['a.txt', `oauth_nonce="${V}"`],
        ['a.txt', `NONCE = ${madeUp(24, HEX)}`],
        ['a.txt', 'Key = 000102030405060708090A0B0C0D0E0F10111213'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: comparisons by a method, parts of a control, words that people take for a password', () => {
    const places = [
      ['a.vb', (v: string) => `If txtPassword.Text = "${v}" Then`],
      ['a.cpp', (v: string) => `if (pw == "${v}")`],
      ['a.php', (v: string) => `if ($_POST['pass'] === '${v}') {`],
    ] as const;
    for (const value of [V, 'butterfly', 'cactus36']) expect(notHidden(places, value)).toEqual([]);
    expect(notHidden([['a.java', (v) => `if (pass.equals("${v}")) {`]], 'cactus36')).toEqual([]);
    const decoded = Buffer.from(`${V}\n`).toString('base64');
    const wrapped = [
      ['a.java', (v: string) => `String pw = new String(Base64.getDecoder().decode("${v}"));`],
      ['a.js', (v: string) => `const password = atob('${v}');`],
      ['a.xml', (v: string) => `<w:Password Type="http://docs.example.org/${'x'.repeat(90)}">${v}</w:Password>`],
      ['a.yaml', (v: string) => `    client-key-data: ${v}`],
    ] as const;
    expect(notHidden(wrapped, decoded)).toEqual([]);
    const told = [
      ['a.md', (v: string) => `- **Password:** ${v}`],
      ['a.txt', (v: string) => `Password \u2192 ${v}`],
      ['a.txt', (v: string) => `the password is ${v}.`],
    ] as const;
    for (const value of [V, 'cactus36', 'meadow_Cobalt75']) expect(notHidden(told, value)).toEqual([]);
    const kept = [
      ['a.js', `if (type === 'password') {}`],
      ['a.cs', 'passwordLabel.Text = "Password";'],
      ['a.php', "'api_key' => 'nullable|string|max:64',"],
      ['a.html', '<input type="password" #pwd="ngModel">'],
      ['a.md', '**Password:** required'],
    ] as const;
    expect(notKept(kept)).toEqual([]);
  });

  it('RED-3: letters that no language puts side by side, digits in turn, a token of twenty in prose', () => {
    const letters = madeUp(16, 'bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ');
    const places = [
      ['a.yml', (v: string) => `acme_key: ${v}`],
      ['a.ts', (v: string) => `const apiKey = "${v}";`],
      ['a.py', (v: string) => `password = "${v}"`],
    ] as const;
    expect(notHidden(places, letters)).toEqual([]);
    expect(notHidden([['a.yml', (v) => `password: '${v}'`]], '131313')).toEqual([]);
    const inProse = [
      ['a.txt', (v: string) => `use token ${v} to log in`],
      ['a.log', (v: string) => `Using API key ${v} of the shop`],
    ] as const;
    expect(notHidden(inProse, madeUp(24))).toEqual([]);
    const tagged = [
      ['a.yml', (v: string) => `PASSWORD: !unsafe '${v}'`],
      ['a.rb', (v: string) => `node.set['postgresql']['password']['ann'] = '${v}'`],
    ] as const;
    expect(notHidden(tagged, V)).toEqual([]);
    expect(
      notHidden(
        [
          ['a.cs', (v) => `string Token = @"${v}";`],
          ['a.cfg', (v) => `credential = ${v}`],
        ],
        madeUp(32, HEX),
      ),
    ).toEqual([]);
    expect(
      notKept([
        ['a.yml', 'filter_key: InvokedAfterUpdate'],
        ['a.py', `s3.get(Key='up/2024-05-01/report-${madeUp(16)}.pdf')`],
      ]),
    ).toEqual([]);
  });

  it('RED-3: types and clauses between name and value, in the languages that put them there', () => {
    const places = [
      ['a.zig', (v: string) => `const password: []const u8 = "${v}";`],
      ['a.sql', (v: string) => `  v_password VARCHAR2(30) := '${v}';`],
      ['a.sql', (v: string) => `  c_password CONSTANT VARCHAR2(30 CHAR) := '${v}';`],
      ['a.abap', (v: string) => `DATA lv_password TYPE string VALUE '${v}'.`],
      ['a.cbl', (v: string) => `01  WS-PASSWORD   PIC X(20) VALUE '${v}'.`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: values a level below their name, beside it in attributes, and in sections of their own', () => {
    const places = [
      ['a.json', (v: string) => `"adminPassword": {\n  "value": "${v}"\n}`],
      ['a.yml', (v: string) => `DBPassword:\n  NoEcho: true\n  Type: String\n  Default: ${v}\n`],
      ['a.json', (v: string) => `{"ParameterKey": "DBPassword", "ParameterValue": "${v}"}`],
      ['Jenkinsfile', (v: string) => `password(name: 'DEPLOY_PASSWORD', defaultValue: '${v}')`],
      ['a.xml', (v: string) => `<password><![CDATA[${v}]]></password>`],
      ['a.xml', (v: string) => `<wsse:Password Type="#PasswordText">${v}</wsse:Password>`],
      ['a.yml', (v: string) => `password: &shared "${v}"`],
      ['a.yml', (v: string) => `password: !!str ${v}`],
      ['a.yml', (v: string) => `password: <%= ENV['DB_PW'] || '${v}' %>`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: what tests type into a field, expect of it and let a getter give', () => {
    const places = [
      ['a.js', (v: string) => `cy.get('#password').type('${v}');`],
      ['a.ts', (v: string) => `await page.getByLabel('Password').fill('${v}');`],
      ['a.py', (v: string) => `driver.find_element(By.ID, "password").send_keys("${v}")`],
      ['a.rb', (v: string) => `fill_in 'Password', with: '${v}'`],
      ['a.ts', (v: string) => `expect(config.password).toBe('${v}');`],
      ['a.go', (v: string) => `assert.Equal(t, "${v}", cfg.Password)`],
      ['a.java', (v: string) => `assertEquals("${v}", config.getPassword());`],
      ['a.java', (v: string) => `when(config.getPassword()).thenReturn("${v}");`],
      ['a.java', (v: string) => `String getPassword() {\n    return "${v}";\n}`],
      ['a.c', (v: string) => `if (strcmp(password, "${v}") == 0)`],
      ['a.cpp', (v: string) => `if ("${v}" == this->password)`],
      ['a.php', (v: string) => `if ('${v}' !== Config::PASSWORD) {`],
      ['a.java', (v: string) => `if ("${v}".equals(user.password))`],
      ['a.erl', (v: string) => `{password, "${v}"},`],
      ['a.config', (v: string) => `<add value="${v}" key="SmtpPassword" />`],
      ['a.json', (v: string) => `{ "value": "${v}", "name": "DB_PASSWORD" }`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: prose that says whose password it is or what it is set to; LDIF; literals of reStructuredText', () => {
    const places = [
      ['a.md', (v: string) => `The root password for db.example is ${v}`],
      ['a.md', (v: string) => 'Password for ann: `$`'.replace('$', v)],
      ['a.txt', (v: string) => `Set the admin password to ${v}`],
      ['a.ldif', (v: string) => `userPassword:: ${v}`],
      ['a.rst', (v: string) => ':Password: ``$``'.replace('$', v)],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: comments on code hold bare values, too', () => {
    const places = [
      ['a.py', (v: string) => `# login: ann password: ${v}`],
      ['a.js', (v: string) => `  // api_key = ${v}`],
      ['a.java', (v: string) => `   * password: ${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(
      notKept([
        ['a.py', '# password: the password to check'],
        ['a.js', '// token: string, 32 characters'],
        ['a.js', '// secret = options.secret'],
        ['a.c', `*password: ${V}`],
      ]),
    ).toEqual([]);
  });

  it('RED-3: phrases that chance puts together, what a program falls back on, a dash or a verb before the value', () => {
    const words = ['ribbon', 'cactus', 'harbor', 'violin', 'copper'];
    const places = [
      ['a.yaml', (v: string) => `password: "${v}"`],
      ['a.ts', (v: string) => `connect({ password: '${v}' });`],
    ] as const;
    for (const separator of ['.', ' ']) expect(notHidden(places, words.join(separator))).toEqual([]);
    expect(
      notHidden(
        [
          ['a.js', (v) => `const password = process.env.PW || '${v}';`],
          ['a.py', (v) => `password = os.getenv("PW") or "${v}"`],
          ['a.md', (v) => `The Wifi password - ${v}`],
          ['a.md', (v) => `The root password was changed to ${v} today.`],
          ['a.html', (v) => `<p>The root password is <b>${v}</b>.</p>`],
          ['a.org', (v) => `- password :: ${v}`],
          ['a.md', (v) => `Log in, user ann, password ${v}.`],
          ['a.md', (v) => `VPN pre-shared key: ${v}`],
          ['a.config', (v) => `remotepass = ${v}\nwep_key0=${v}`],
        ],
        V,
      ),
    ).toEqual([]);
    const opened = `${madeUp(6)}(${madeUp(8)}`;
    expect(
      notHidden([['web.config', (v) => `<add connectionString="Server=db;Password=${v};Encrypt=True" />`]], opened),
    ).toEqual([]);
    expect(
      notKept([
        ['a.ts', "password: 'pages.profile.modal.caption',"],
        ['a.ts', "password: 'wachtwoord moet minstens acht tekens zijn',"],
        ['a.ts', "password: 'your login should have more than eight'"],
        ['a.js', 'const password = options.password || defaults.password;'],
        ['a.js', "const token = options.token || 'none';"],
        ['CHANGES.md', ' * invalid credentials of the old password - acme/login#944 (Ann)'],
        ['a.md', '- Added `--password-stdin`, deprecated `--password` (#9592)'],
        ['sums.txt', `MD5(secrets.md)= ${madeUp(32, HEX)}`],
        ['a.yaml', 'user:\n  update_password: on_create\n'],
        ['a.properties', 'spring.datasource.password=@db.password@'],
        ['a.yaml', 'password: "<password>"\n"name-of-1": x'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: digits of a digest and a UUID under a name of several words that ends in key; two words and a number', () => {
    const names = [
      ['.env', (v: string) => `TRANSLATOR_KEY=${v}`],
      ['web.config', (v: string) => `<add key="TranslatorKey" value="${v}" />`],
      ['Build.cs', (v: string) => `PrivateDefinitions.Add("SAVE_ENCRYPTION_KEY=TEXT(\\"${v}\\")");`],
      ['DefaultEngine.ini', (v: string) => `PublisherWebKey=${v}`],
      ['DefaultGame.ini', (v: string) => `AppCertificate=${v}`],
      ['Settings.asset', (v: string) => `  secretKey:\n  - ${v}\n  Build:\n  - 1.7`],
      ['AndroidManifest.xml', (v: string) => `<meta-data android:name="com.example.API_KEY" android:value="${v}"/>`],
      ['a.yaml', (v: string) => `proxy_auth: ${v}`],
    ] as const;
    expect(notHidden(names, madeUp(40, HEX))).toEqual([]);
    const letters = madeUp(24, 'bcdfghjklmnpqrstvwxz');
    expect(notHidden([['shotgun.yml', (v) => `api_key: ${v}`]], letters)).toEqual([]);
    expect(
      notHidden([['a.ldif', (v) => `userPassword: ${v}`]], ['onyx', `Maple${madeUp(2, '0123456789')}`].join('_')),
    ).toEqual([]);
    expect(
      notKept([
        ['a.yaml', `key: ${madeUp(40, HEX)}`],
        ['a.yaml', `cache_key: ${madeUp(40, HEX)}`],
        ['a.yaml', 'api_key: authenticationservice'],
        ['a.yaml', 'api_key:\n  - required\n  - string'],
        ['a.ts', `const publicKey = '${madeUp(64, HEX)}';`],
      ]),
    ).toEqual([]);
  });

  it('RED-8: labels, words and calls in the same places stay', () => {
    expect(
      notKept([
        ['a.js', "cy.get('#password').type(user.password);"],
        ['a.js', "cy.get('#password').type('{enter}');"],
        ['a.ts', "expect(config.password).toBe('required');"],
        ['a.go', 'assert.Equal(t, "password", field.Token)'],
        ['a.go', 'assert.Equal(t, "too short", err.Password)'],
        ['a.java', 'String getPassword() {\n    return "password";\n}'],
        ['a.ts', "getPasswordLabel() { return 'Type it again'; }"],
        ['a.c', 'if (strcmp(password, "none") == 0)'],
        ['a.c', '{ password, "Password" },'],
        ['a.hs', 'password :: String'],
        ['a.py', 'ask("password for %s on %s: " % (user, host or "localhost"))'],
        ['a.py', ':type crypto_key: ``acme.x509.Certificate``'],
        ['a.json', '{ "value": "Enter it twice", "name": "password" }'],
        ['a.md', 'Change the password for the root account: see below.'],
        ['a.md', 'Reset the password of the user to something that is strong.'],
        ['a.md', 'Set the password to a random string.'],
      ]),
    ).toEqual([]);
  });

  it('RED-8: references, rules for forms and sections without a value stay', () => {
    expect(
      notKept([
        ['a.yml', `password: &shared $${'{DB_PASSWORD}'}`],
        ['a.yml', 'password: !Ref DbPassword'],
        ['a.yml', 'DBPassword:\n  NoEcho: true\n  Type: String\n'],
        ['a.json', '"password": { "type": "string", "value": "" }'],
        ['a.xml', `<password><![CDATA[$${'{db.password}'}]]></password>`],
        ['a.php', "'password' => 'required|string|min:8|confirmed',"],
        ['a.php', "'passwords' => 'users',"],
        ['a.ts', "passwordConfirmation: 'The passwords differ',"],
      ]),
    ).toEqual([]);
  });

  it('RED-3: one value is judged anew under each name and in each place: a password is short, a key is not, and a word is a label in a call', () => {
    const short = madeUp(6);
    const lines = [
      `auth_key = "${short}"`,
      `password = "${short}"`,
      `auth_key = "${short}"`,
      `password = "${short}"`,
    ].join('\n');
    expect(redactLine(lines, 'a.py').text).toBe(
      [
        `auth_key = "${short}"`,
        'password = "[REDACTED:password:1]"',
        `auth_key = "${short}"`,
        'password = "[REDACTED:password:1]"',
      ].join('\n'),
    );
    expect(redactLine('ask(password, "swordfish")\npassword = "swordfish"', 'a.py').text).toBe(
      'ask(password, "swordfish")\npassword = "[REDACTED:password:1]"',
    );
  });

  it('RED-3: a dump of PHP, an element with attributes behind its name, a pepper, a key in base64', () => {
    const places = [
      ['dump.txt', (v: string) => `  ["password"]=>\n  string(16) "${v}"\n`],
      ['keys.xml', (v: string) => `<string name="app_secret" translatable="false">${v}</string>`],
      ['devise.rb', (v: string) => `config.pepper = "${v}"`],
      ['a.java', (v: string) => `static final String KEY_B64 = "${v}";`],
      ['lora.py', (v: string) => `app_key = ubinascii.unhexlify('${v}')`],
      ['setup.rsc', (v: string) => `set wpa2-pre-shared-key=${v}`],
      ['lora.py', (v: string) => `nwk_swkey = unhexlify('${v}')`],
      ['kaggle.md', (v: string) => `{\n  "username": "ann",\n  "key": "${v}"\n}`],
    ] as const;
    expect(notHidden(places, madeUp(32, HEX))).toEqual([]);
    const four = [1, 2, 3, 4].map((seed) => `1${madeUp(8, '0123456789', seed)}`).join(', ');
    expect(notHidden([['App.cs', (v) => `string AppSecret = "${v}";`]], four)).toEqual([]);
  });

  it('RED-3: the operators, wrappers and marks of literals that languages have of their own', () => {
    const places: readonly (readonly [path: string, write: (value: string) => string])[] = [
      ['a.R', (v) => `db_password <- "${v}"`],
      ['a.scala', (v) => `Map("db_password" -> "${v}")`],
      ['a.kt', (v) => `mapOf("dbPassword" to "${v}")`],
      ['a.pl', (v) => `$cfg{'password'} = '${v}';`],
      ['a.pl', (v) => `my $password = q(${v});`],
      ['a.vb', (v) => `Dim password As String = "${v}"`],
      ['a.lua', (v) => `local password = [[${v}]]`],
      ['a.py', (v) => `PASSWORD = """${v}"""`.replaceAll('\\', '')],
      ['a.py', (v) => `parser.add_argument("--db-password", type=str, help="of the database", default="${v}")`],
      ['a.cpp', (v) => `const auto password = R"(${v})";`],
      ['a.cpp', (v) => `auto password = std::string{"${v}"};`],
      ['a.cpp', (v) => `settings.setValue(QStringLiteral("password"), QStringLiteral("${v}"));`],
      ['a.c', (v) => `strcpy(config->password, "${v}");`],
      ['a.tsx', (v) => `<Client password={'${v}'} />`],
      ['a.erl', (v) => `Password = <<"${v}">>,`],
      ['a.tf', (v) => `variable "db_password" {\n  type    = string\n  default = "${v}"\n}`],
      ['a.rb', (v) => `set :password, '${v}'`],
      ['a.csh', (v) => `setenv DB_PASSWORD ${v}`],
      ['a.fish', (v) => `set -gx DB_PASSWORD ${v}`],
      ['a.xml', (v) => `<Password scope="all">${v}</Password>`],
    ];
    for (const [path, write] of places) expect(redactLine(write(V), path).text).toBe(write('[REDACTED:password:1]'));
  });

  it('RED-3: a plain word is a password where something sets it, and a label where nothing does', () => {
    const word = madeUp(4, 'lnrst') + madeUp(5, 'aeiou', 3);
    const set: readonly ((value: string) => string)[] = [
      (v) => `#define DB_PASSWORD "${v}"`,
      (v) => `props.setProperty("db.password", "${v}");`,
      (v) => `define('DB_PASSWORD', '${v}');`,
      (v) => `os.getenv('DB_PASSWORD', '${v}')`,
      (v) => `const x = env.DB_PASSWORD ?? '${v}';`,
      (v) => `set(DB_PASSWORD "${v}")`,
      (v) => `  password '${v}'\n`,
      (v) => `config->SetPassword("${v}");`,
    ];
    for (const write of set) expect(redactLine(write(word), 'a.ts').text).toBe(write('[REDACTED:password:1]'));
    for (const text of [
      `fields: ["password", "${word}"]`,
      `if (type === password("${word}")) {`,
      `the password "${word}" of it`,
    ])
      expect(redactLine(text, 'a.ts').text).toBe(text);
  });

  it('RED-3: an escaped quote inside a value does not end it, nor does one in an escaped body', () => {
    expect(redactLine(`"password": "${V}\\"${V}", "x": 1`, 'a.json').text).toBe(
      '"password": "[REDACTED:password:1]", "x": 1',
    );
    expect(redactLine(`{\\"password\\": \\"${V}\\", \\"x\\": 1}`).text).toBe(
      '{\\"password\\": \\"[REDACTED:password:1]\\", \\"x\\": 1}',
    );
  });

  it('RED-2: opaque tokens count under names that say so, hex included', () => {
    expect(redactLine(`clientSecret: "${madeUp(40, HEX)}"`, 'a.ts').rules).toEqual(['secret:low']);
    expect(redactLine(`ACCESS_KEY=${madeUp(24)}`, '.env').rules).toEqual(['key:low']);
  });

  it('RED-8: references, calls, types, labels, names about secrets and lock files stay', () => {
    const innocent: readonly (readonly [path: string, text: string])[] = [
      ['a.ts', 'const token = process.env.GITHUB_TOKEN;'],
      ['a.ts', 'const password = await readPassword("Enter the password");'],
      ['a.ts', 'password: z.string().min(8),'],
      ['a.ts', 'const passwordInput = "#password-field-1";'],
      ['a.ts', "const TOKEN_URL = 'https://login.example/oauth2/v2.0/token';"],
      ['a.ts', 'this.token = that.token1;'],
      ['a.ts', `const sha1Key = cacheKey("${madeUp(40, HEX)}");`],
      ['a.py', 'password = kwargs["password"]'],
      ['a.yaml', `password: \${DB_PASSWORD}`],
      ['a.yaml', 'passwordPolicy: strict-2024'],
      ['a.json', '{"password": "Passwort", "passwordHint": "at least 8 characters"}'],
      ['a.json', '{"token": null, "password": ""}'],
      ['package-lock.json', `"token": "${madeUp(40)}"`],
      ['a.svg', `<path key="${madeUp(30)}"/>`],
    ];
    for (const [path, text] of innocent) expect(redactLine(text, path).text).toBe(text);
  });

  it('RED-8: resource names, types, options, formats and expressions stay', () => {
    const innocent: readonly (readonly [path: string, text: string])[] = [
      ['a.json', '{"note": "such as <code>arn:aws:health:us-east-1::event/EC2/EC2_RETIREMENT_SCHEDULED/EC2_1</code>"}'],
      ['a.yaml', 'id: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-Ab12Cd'],
      ['a.json', '{"pattern": "arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]+:secret:[a-zA-Z0-9_.-]+"}'],
      ['a.sh', 'tool --crypto-key=projects/PROJECT_ID/locations/eu1/keyRings/RING/cryptoKeys/KEY'],
      ['a.sh', "tool --sasl-password='projects/123/secrets/my-secret/versions/1'"],
      ['a.md', 'A secret: `projects/*/secrets/*/versions/*`.'],
      ['a.py', "'secret': 'V1SecretVolumeSource',"],
      ['a.py', "'image_pull_secrets': 'list[V1LocalObjectReference]',"],
      ['a.py', "SECRET = 'composer_v1_messages.UserWorkloadsSecret'"],
      ['a.py', "['-p', '--password', '--use-random-password']"],
      ['a.py', "LOG.debug('InMemoryTokenCache.PutToken: key=%s', key)"],
      ['a.py', "_core_token = r'(?:(?:\\^[%s]?)?[^\"%s]+)'"],
      ['a.py', "PASSWORD_ERROR_MSG = 'Cannot give --password 2 times or with --no-auth'"],
      ['a.txt', 'PASSWORD\t\t*netrw-passwd*'],
      ['a.json', '"dataStorePassword": "dataStoreTestQuery",'],
    ];
    for (const [path, text] of innocent) expect(redactLine(text, path).text).toBe(text);
  });

  it('RED-8: paths into an object that stand in a list behind the name stay', () => {
    for (const text of [
      `paths: ['$.user.password', '$.user["e-mail"]', '$.items[0].note'],`,
      '- `\'user["password"]\'`, `\'headers["X-Forwarded-For"]\'`',
      "- `'users[0].password'`, `'items[1].key'`",
    ])
      expect(redactLine(text, 'a.ts').text).toBe(text);
  });

  it('RED-8: what stands for a password, joins literals or names a thing beside one stays', () => {
    expect(
      notKept([
        ['a.yaml', "password: '{$VMWARE.PASSWORD}'"],
        ['a.yaml', '"proxy_password": hosts[name]["proxy_password"] | default(omit),'],
        ['a.yaml', 'update_password: always'],
        ['a.yaml', '"admin-password": "rule:owner_or_admin"'],
        ['a.yaml', 'sign_key: E709712C'],
        ['a.ini', 'TLS_PRIVATEKEY = CONFDIR/mail.key'],
        ['a.inc', '$lines[] = "Passwd: " . $profile->getPasswd() . "\\n";'],
        [
          'a.php',
          "'app\\\\http\\\\passwordtoken' => '/Http/PasswordToken.php',\n'app\\\\http\\\\events' => '/Http/Events.php',",
        ],
        ['a.php', "array('user', 'pass', 'Basic|Digest|Any')"],
        ['a.php', "if (!method_exists($c['password'], '__toString')) return;"],
        ['a.json', '"pbkdf2-password": "1.2.1",'],
        ['a.json', '{"credentials": ["dist/credentials/SomeOAuth2Api.credentials.js"]}'],
        ['a.js', "await this.getCredentials('trelloOAuth1Api')"],
        ['a.sql', '`g_change_passwords`, `g_ban_users`'],
        ['a.3', '.BR CURLOPT_USERPWD "(3), " CURLOPT_PASSWORD "(3), "'],
        ['a.sh', '  --volume `pwd`:/checkout:ro \\\n  --volume "$(pwd)":/checkout:ro'],
        ['a.po', 'msgid "The password is invalid! Please try again."'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: passwords of any punctuation: brackets that do not pair are no template', () => {
    const odd = `m{{${madeUp(6)}}o)p$\{${madeUp(5, undefined, 3)}]n(${madeUp(8, undefined, 5)}}}`;
    const places = [
      ['a.py', (v: string) => `password = "${v}"`],
      ['a.conf', (v: string) => `password = ${v}`],
      ['a.java', (v: string) => `String apiKey = "${v}";`],
    ] as const;
    expect(notHidden(places, odd)).toEqual([]);
  });

  it('RED-3: keys and salts of WordPress, which have spaces among them', () => {
    const noise = `${madeUp(12)} ${madeUp(10, undefined, 3)}|2$cB+K|.G~4@]:(5;oVUl<<W3^e_R-${madeUp(8, undefined, 5)}`;
    const names = ['AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'];
    for (const name of names)
      expect(notHidden([['wp-config.php', (v) => `define('${name}',  '${v}');`]], noise)).toEqual([]);
    expect(
      notKept([
        ['a.yaml', `key: 'array.5300.v5[hwInfoStoragePoolSubscribedCapacity, "{#NAME}:{#ID}"]'`],
        ['a.yaml', `key: 'array.5300.v5[hwPerfLunTotalIOPS, "{#NAME}"]'`],
        ['a.php', `define('PASSWORD_SALT_ROUNDS', 'twelve');`],
      ]),
    ).toEqual([]);
  });

  it('RED-3: pw alone, numbers without quotes, a fallback behind `or`, the arrow of a getter, what nginx sets', () => {
    const places = [
      ['a.txt', (v: string) => `host db1 user ann pw:${v}`],
      ['a.js', (v: string) => `const login = { user: 'ann', pw: '${v}' };`],
      ['a.py', (v: string) => `PASSWORD = os.environ.get("PASSWORD") or "${v}"`],
      ['a.py', (v: string) => `secret = config["secret"] or "${v}"`],
      ['a.js', (v: string) => `getSecret: () => '${v}',`],
      ['nginx.conf', (v: string) => `fastcgi_param DB_PASSWORD ${v};`],
      ['nginx.conf', (v: string) => `  set $apikey ${v};`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden([['a.yaml', (v) => `NUMERIC_APIKEY: ${v}`]], '90417352680174935286')).toEqual([]);
    expect(
      notKept([
        ['a.md', 'either "password" or "fingerprint"'],
        ['a.yaml', 'secret_number: 1732058694'],
        ['a.js', "const pw = await import('playwright');"],
        ['nginx.conf', 'proxy_set_header x-apikey $apikey;'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: words under the name of a passphrase; what is put under a constant; pw joined to a name', () => {
    const words = ['amber', 'otter', 'under', 'seven', 'bridges'].join(' ');
    expect(notHidden([['a.java', (v) => `String sshPassphrase = "${v}";`]], words)).toEqual([]);
    expect(
      notHidden(
        [
          ['a.java', (v) => `env.put(Context.SECURITY_CREDENTIALS, "${v}");`],
          ['a.java', (v) => `props.setProperty(SaslConfigs.PASSWORD, "${v}");`],
          ['a.ts', (v) => `const dbPw = '${v}';`],
          ['a.txt', (v) => `pw:${v} user:ann`],
        ],
        V,
      ),
    ).toEqual([]);
    expect(
      notKept([
        ['a.js', "passphrase: 'enter your passphrase here',"],
        ['a.json', '{"passphrase": "used to unlock the key"}'],
        ['a.js', `password: '${words}',`],
        ['a.java', 'props.put(PASSWORD_KEY, "password");'],
        ['a.yaml', `columnkey: ${madeUp(15)}\ncolKey: ${madeUp(15)}`],
      ]),
    ).toEqual([]);
  });

  it('RED-8: a format, a route, what stands between literals and a name of names stay beside a password', () => {
    expect(
      notKept([
        ['a.py', 'password = "prefix_{}".format(name)'],
        ['a.rb', `put '/forgot-password' => "cms/sites/passwords#update", as: 'update_password'`],
        ['a.php', `echo 'password = '.$p['config']['daemon_password']."\\n";`],
        ['a.js', 'labels = {usernameLabel:"User:",passwordLabel:"Password:",rememberMeLabel:"Remember me:"}'],
        ['a.yaml', `- echo 'export DATABASE_PASSWORD="'$PRECOMPILE_PASSWORD'"' >> .env`],
        ['a.json', '"password": "&lt;YOURPASSWORT&gt;"'],
        ['a.scala', 'val PASSWORD = "__globPaths__"'],
      ]),
    ).toEqual([]);
  });

  it('RED-2: passwords that come near those shapes', () => {
    for (const value of [`!${madeUp(9)}`, `{${madeUp(9)}`, `1.2.1${madeUp(9)}`, `rule:${madeUp(9)}`, `${madeUp(9)}!`])
      expect(notHidden([['a.yaml', (v) => `password: '${v}'`]], value)).toEqual([]);
  });

  it('RED-8: what a chained builder appends stays, and so does the code between two literals', () => {
    expect(
      notKept([
        ['a.java', 'sb.append("    accessToken: ").append(toIndentedString(accessToken)).append("\\n");'],
        ['a.cs', 'sb.Append("  Password: ").Append(Password).Append("\\n");'],
        ['a.kt', 'append("clientSecret: ").append(clientSecret?.take(2)).append("...")'],
        ['a.kt', 'text("secret: ")?.append(secret)?.append("\\n")'],
        ['a.cpp', 'stream.append("token=").append(quoted(token)).append(",");'],
      ]),
    ).toEqual([]);
  });

  it('RED-8: passes of a renderer, schemes of passwords, names that stand behind a colon', () => {
    expect(
      notKept([
        ['a.cpp', 'graph.AddPass("Bloom_Pass_4");'],
        ['a.cpp', 'desc.pass = "Shadow_Pass_3";'],
        ['a.env', 'PASSWORD_SCHEME=SSHA512'],
        ['a.py', 'run("desc:passwd", "localhost:1666")'],
      ]),
    ).toEqual([]);
    expect(redactLine('{ "pass": "Admin_Pass_2" }', 'a.json').rules).toEqual(['password:low']);
  });

  it('RED-8: revisions, files and pages that have the name of a vendor', () => {
    const digest = madeUp(40, HEX);
    expect(
      notKept([
        ['a.sh', `hg checkout ${digest}`],
        ['a.txt', `checkout ${digest}`],
        ['a.txt', `README.TXT: ${digest}`],
        ['a.ts', `endCursor: '${madeUp(32)}'`],
        ['a.env', `BITBUCKET_COMMIT=${digest}`],
        ['a.nix', 'url = "github:NixOS4/nixpkgs9Unstable";'],
      ]),
    ).toEqual([]);
    expect(redactLine(`BITBUCKET_TOKEN=${digest}`, 'a.env').rules).toEqual(['secret:low']);
  });
});
