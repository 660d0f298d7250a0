import { describe, expect, it } from 'vitest';
import { BASE64, HEX, madeUp, redactLine } from '../testing/redact-line.js';

const V = madeUp(16);

/** Every text must lose the value and nothing else; the mark stands where it stood. */
function expectHidden(texts: readonly (readonly [path: string, write: (value: string) => string])[], value = V): void {
  for (const [path, write] of texts) {
    const { text } = redactLine(write(value), path);
    expect(text.replace(/\[REDACTED:[a-z-]+:1\]/, value)).toBe(write(value));
    expect(text).not.toContain(value.slice(0, 8));
  }
}

const expectKept = (texts: readonly (readonly [path: string, text: string])[]): void => {
  for (const [path, text] of texts) expect(redactLine(text, path).text).toBe(text);
};

describe('calls, pipes and files that say which word is the secret', () => {
  it('RED-3: the second argument of a login is a password', () => {
    expectHidden([
      ['a.py', (v) => `server.login("ann@example.com", "${v}")`],
      ['a.cs', (v) => `new NetworkCredential("svc", "${v}")`],
      ['a.java', (v) => `DriverManager.getConnection("jdbc:db:x", "sa", "${v}");`],
    ]);
    expectKept([
      ['a.py', 'server.login(user, password)'],
      ['a.py', 'self.client.login("ann", "<password>")'],
      ['a.ts', "page.login('/login', 'Please log in first');"],
    ]);
  });

  it('RED-3: what is piped into a program that reads a password is one', () => {
    expectHidden([
      ['a.sh', (v) => `echo ${v} | p4 -u ann login`],
      ['a.sh', (v) => `echo "${v}" | sudo -S make install`],
      ['a.sh', (v) => `echo "root:${v}" | chpasswd`],
      ['a.sh', (v) => `printf '${v}' | docker login -u ann --password-stdin`],
    ]);
    expectKept([
      ['a.sh', 'echo $PASS | p4 login'],
      ['a.sh', 'echo done | sudo tee /etc/motd'],
    ]);
  });

  it('RED-3: columns of .pgpass, relays of Postfix, hashes of passwords', () => {
    expectHidden([
      ['.pgpass', (v) => `db.internal:5432:main:app:${v}`],
      ['sasl_passwd', (v) => `[smtp.example.com]:587 ann@example.com:${v}`],
    ]);
    expectHidden([['shadow', (v) => `root:${v}:19000:0:99999:7:::`]], `$6$${madeUp(8)}$${madeUp(86)}`);
    expectKept([
      ['a.sh', 'host:5432:main'],
      ['a.sh', 'echo "$1$2$3"'],
    ]);
  });

  it('RED-3: every value of a Kubernetes Secret, whatever its key, and nothing of another manifest', () => {
    const manifest = (kind: string, value: string): string =>
      `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: web\ndata:\n  extra: ${value}\n---\nkind: ConfigMap\ndata:\n  mode: standalone\n`;
    expectHidden([['a.yaml', (v) => manifest('Secret', v)]], Buffer.from('hunter and more').toString('base64'));
    expectHidden([['a.yaml', (v) => `data:\n  extra: ${v}\nkind: Secret\nmetadata:\n  name: x\n`]]);
    expectKept([['a.yaml', manifest('ConfigMap', 'c3RhbmRhbG9uZQ==')]]);
  });

  it('RED-2: text in base64 that holds a secret goes as a whole; other base64 stays', () => {
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    expectHidden([['ci.yml', (v) => `  run: echo ${v} | base64 -d`]], encode(`PORT=80\nAPP_PASSWORD=${V}\n`));
    expectHidden([['a.yaml', (v) => `uri: ${v}`]], encode(`postgres://svc:${V}@db.internal/main`));
    expectKept([['a.yaml', `note: ${encode('the password policy asks for a token of the secret kind')}`]]);
  });
});

describe('values by where they stand', () => {
  it('RED-3: on the next line, in a block, in pieces, before their name, encoded', () => {
    expectHidden([
      ['a.py', (v) => `password =\\\n    "${v}"`],
      ['a.yaml', (v) => `password: |\n  ${v}\nport: 1`],
      ['a.xml', (v) => `<password>\n    ${v}\n</password>`],
      ['Info.plist', (v) => `<key>password</key>\n<string>${v}</string>`],
      ['a.html', (v) => `<input type="password" name="pw" value="${v}">`],
      ['a.js', (v) => `if ("${v}" == password) return;`],
      ['a.java', (v) => `"${v}".equals(password)`],
      ['a.txt', (v) => `redirect=%3Fpassword%3D${v}%26x%3D1`],
      ['a.json', (v) => `{"q":"a\\u0026password\\u003d${v}\\u0026x"}`],
      ['a.csv', (v) => `smtpPassword,${v},`],
      ['a.log', (v) => `12:00 INFO connecting with db_password=${v} retries=3`],
      ['Dockerfile', (v) => `ENV DB_PASSWORD ${v}`],
      ['a.sh', (v) => `docker run -e DB_PASSWORD=${v} -d app`],
      ['a.txt', (v) => `machine api.example.com login ann password ${v}`],
    ]);
    const { text } = redactLine(`const apiKey = "${V.slice(0, 8)}" +\n  "${V.slice(8)}";`, 'a.ts');
    expect(text).toBe('const apiKey = "[REDACTED:key:1]" +\n  "[REDACTED:key:1]";');
  });

  it('RED-4: a value replaced in a diff goes on both sides', () => {
    const old = madeUp(16, undefined, 3);
    const { text } = redactLine(` password =\n-  "${old}"\n+  "${V}"`, 'a.py', true);
    expect(text).toBe(' password =\n-  "[REDACTED:password:1]"\n+  "[REDACTED:password:2]"');
  });

  it('RED-8: prose, documentation, types and constants that name themselves stay', () => {
    expectKept([
      ['a.md', 'It is not wise to pass `common.mustCall()` to those functions.'],
      ['a.md', 'The password is required.'],
      ['a.ts', ' * - `url-token`: `url("./icon.png")`'],
      ['a.h', '#define SSL_TXT_kPSK "kPSK"'],
      ['a.h', '** all columns identified by "aOrderBy".'],
      ['a.php', "'KEYPASSWD', 'KRB4LEVEL',"],
      ['a.py', 'private_key = make_key(\n    version=0\n)'],
      ['a.conf', 'passwd:         files'],
      ['a.ts', 'password?: string = undefined,'],
    ]);
  });
});

describe('tokens known by a vendor beside them, or by nothing but their look', () => {
  it('RED-2: a long mixed value under or near a vendor name', () => {
    expectHidden(
      [
        ['a.ts', (v) => `datadog: '${v}',`],
        ['a.env', (v) => `MAILGUN=${v}`],
        ['a.txt', (v) => `the deepgram one is ${v}`],
      ],
      madeUp(32),
    );
    expectKept([
      ['a.md', `See https://github.com/acme/app/commit/${madeUp(40, HEX)}.`],
      ['a.yml', `uses: codecov/codecov-action@${madeUp(40, HEX)}`],
      ['a.ts', "sentry: '8.14.0-beta.1',"],
    ]);
  });

  it('RED-2: a random token alone, a prefix of words before one; digests, identifiers and data stay', () => {
    expectHidden([['a.txt', (v) => `see ${v} there`]], madeUp(36));
    expectHidden([['a.txt', (v) => `see ${v} there`]], `acme_pat_${madeUp(30)}`);
    expectHidden([['a.json', (v) => `{"text": "first\\n${v}\\n"}`]], madeUp(36));
    expectKept([
      ['a.txt', `sha256-${madeUp(43, BASE64)}=`],
      ['a.txt', `https://docs.example/d/${madeUp(44)}/edit`],
      ['a.ts', 'createAuthenticationProviderFactoryBean2ForTests()'],
      ['a.txt', `${madeUp(64, BASE64)}\n${madeUp(64, BASE64, 8)}\n${madeUp(40, undefined, 9)}\n`],
      ['a.lock', madeUp(36)],
    ]);
  });

  it('RED-2: tokens whose heads are too short for a literal', () => {
    expect(redactLine(`id ${'S'}K${madeUp(32, HEX)}`).rules).toEqual(['twilio-key:low']);
    expect(redactLine(`x pat${madeUp(14)}.${madeUp(64, HEX)}`).rules).toEqual(['airtable-token:high']);
    expect(redactLine(`seed SU${madeUp(54, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`).rules).toEqual(['nats-seed:high']);
    expect(redactLine(`bot M${madeUp(23)}.${madeUp(6)}.${madeUp(30)}`).rules).toEqual(['discord-token:high']);
  });
});
