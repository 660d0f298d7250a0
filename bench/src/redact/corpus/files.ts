import { type LabelledText, labelledText } from './labelled-text.ts';
import { passwordOf } from './passwords.ts';
import type { Random } from './random.ts';

type Form = readonly [family: string, rule: string, write: (v: string) => string, path?: string];

/** Files and dialogues whose layout says which word is the secret. */
const FORMS: readonly Form[] = [
  ['perforce', 'variable', (v) => `P4PASSWD=${v}`],
  ['perforce', 'config file', (v) => `P4PORT=ssl:p4:1666\nP4USER=ann\nP4PASSWD=${v}\n`, '.p4config'],
  ['perforce', 'set', (v) => `p4 set P4PASSWD=${v}`],
  ['perforce', 'option', (v) => `p4 -u ann -P ${v} sync //depot/...`],
  ['perforce', 'option, port first', (v) => `p4 -p ssl:p4:1666 -u ann -P ${v} info`, 'run.sh'],
  ['perforce', 'piped', (v) => `echo ${v} | p4 -u ann login`],
  ['perforce', 'piped quoted', (v) => `echo '${v}' | p4 login -a`],
  ['perforce', 'python api', (v) => `p4.password = "${v}"`, 'a.py'],
  ['perforce', 'spec', (v) => `User:\tann\n\nPassword:\t${v}\n`],
  ['perforce', 'ldap spec', (v) => `SearchBindDN:\tcn=a\n\nSearchPasswd:\t${v}\n`],
  ['smtp', 'password', (v) => `smtp_host=mail\nsmtp_pass=${v}\n`, 'mail.ini'],
  ['smtp', 'nodemailer', (v) => `auth: { user: 'a@b.example', pass: '${v}' }`, 'a.js'],
  ['smtp', 'python', (v) => `server.login("a@b.example", "${v}")`, 'a.py'],
  ['smtp', 'spring', (v) => `spring.mail.password=${v}`, 'application.properties'],
  ['smtp', 'rails', (v) => `  password:             '${v}',`, 'a.rb'],
  ['smtp', 'wordpress', (v) => `define( 'SMTP_PASS', '${v}' );`, 'wp-config.php'],
  ['smtp', 'postfix', (v) => `[smtp.example.com]:587 a@b.example:${v}`, 'sasl_passwd'],
  ['smtp', 'dotenv', (v) => `MAIL_USERNAME=a\nMAIL_PASSWORD="${v}"\n`, '.env'],
  ['credential-file', 'netrc', (v) => `machine api.example.com login ann password ${v}`],
  ['credential-file', 'netrc lines', (v) => `machine api.example.com\n  login ann\n  password ${v}\n`, '.netrc'],
  ['credential-file', 'pgpass', (v) => `db.internal:5432:main:app:${v}`, '.pgpass'],
  ['credential-file', 'npmrc', (v) => `//npm.example.com/:_authToken=${v}`],
  ['credential-file', 'npmrc password', (v) => `//r.example/:_password="${v}"`, '.npmrc'],
  ['credential-file', 'pypirc', (v) => `[pypi]\nusername = __token__\npassword = ${v}\n`, '.pypirc'],
  ['credential-file', 'git-credentials', (v) => `https://ann:${v}@git.example.com`, '.git-credentials'],
  ['credential-file', 'my.cnf', (v) => `[client]\nuser=a\npassword=${v}\n`, '.my.cnf'],
  ['credential-file', 'aws', (v) => `[default]\naws_access_key_id = x\naws_secret_access_key = ${v}\n`, 'credentials'],
  [
    'credential-file',
    'maven',
    (v) => `<server><id>x</id><username>a</username><password>${v}</password></server>`,
    'settings.xml',
  ],
  ['credential-file', 'gradle', (v) => `signing.keyPassword=${v}`, 'gradle.properties'],
  ['credential-file', 'tomcat', (v) => `<user username="admin" password="${v}" roles="manager"/>`, 'tomcat-users.xml'],
  ['credential-file', 'nuget', (v) => `<add key="ClearTextPassword" value="${v}" />`, 'nuget.config'],
  ['credential-file', 'esmtprc', (v) => `hostname = m:587\nusername = a\npassword = "${v}"`, '.esmtprc'],
  ['credential-file', 's3cfg', (v) => `access_key = x\nsecret_key = ${v}\n`, '.s3cfg'],
  ['credential-file', 'rclone', (v) => `[r]\ntype = s3\npass = ${v}\n`, 'rclone.conf'],
  ['credential-file', 'wpa', (v) => `network={\n  ssid="x"\n  psk="${v}"\n}`, 'wpa_supplicant.conf'],
  ['credential-file', 'filezilla', (v) => `<Pass>${v}</Pass>`, 'sitemanager.xml'],
  [
    'credential-file',
    'composer auth',
    (v) => `{"http-basic":{"r.example":{"username":"a","password":"${v}"}}}`,
    'auth.json',
  ],
  ['credential-file', 'bundler', (v) => `BUNDLE_GEMS__CONTRIBSYS__COM: "${v}"`, 'config'],
  ['credential-file', 'terraform', (v) => `administrator_login_password = "${v}"`, 'main.tf'],
  ['credential-file', 'ansible', (v) => `ansible_ssh_pass=${v}`, 'hosts.ini'],
  ['credential-file', 'compose', (v) => `    environment:\n      MYSQL_ROOT_PASSWORD: ${v}\n`, 'docker-compose.yml'],
  [
    'credential-file',
    'spring',
    (v) => `spring:\n  datasource:\n    username: a\n    password: ${v}\n`,
    'application.yml',
  ],
  [
    'credential-file',
    'unattend',
    (v) => `<AdministratorPassword>\n  <Value>${v}</Value>\n</AdministratorPassword>`,
    'unattend.xml',
  ],
];

/** Credential files, SMTP settings and Perforce. */
export function credentialFiles(random: Random, each: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (const [family, rule, write, path] of FORMS) {
    for (let i = 0; i < each; i += 1) {
      const given = passwordOf(random).value;
      const value = (given.length < 8 ? `${given}2k9x` : given)
        .replace(/[^A-Za-z0-9!@*_+.-]/g, 'x')
        .replace(/^[^A-Za-z]/, 'q');
      texts.push(labelledText(family, rule, write(value), [value], path));
    }
  }
  for (let i = 0; i < each * 3; i += 1) {
    const ticket = random.text('HEX', 32);
    texts.push(labelledText('perforce', 'ticket file', `ssl:p4.example:1666=ann:${ticket}`, [ticket]));
    texts.push(labelledText('perforce', 'login output', `$ p4 login -p\nEnter password: \n${ticket}\n`, [ticket]));
    const hash = `$2y$10$${random.text('alnum', 53)}`;
    texts.push(labelledText('credential-file', 'htpasswd', `admin:${hash}`, [hash], '.htpasswd'));
    const shadow = `$6$${random.text('alnum', 8)}$${random.text('alnum', 86)}`;
    texts.push(labelledText('credential-file', 'shadow', `root:${shadow}:19000:0:99999:7:::`, [shadow], 'shadow'));
    const auth = Buffer.from(`ann:${passwordOf(random).value}`).toString('base64');
    texts.push(
      labelledText(
        'credential-file',
        'docker config',
        `{"auths":{"r.example":{"auth":"${auth}"}}}`,
        [auth],
        'config.json',
      ),
    );
    texts.push(labelledText('credential-file', 'npmrc auth', `_auth=${auth}\nemail=a@b.example`, [auth], '.npmrc'));
  }
  return texts;
}

// long: a corpus, sample by sample
/** Kubernetes Secrets, percent and \u escapes, and values once more in base64. */
export function encodedSecrets(random: Random, count: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (let i = 0; i < count; i += 1) {
    const data = Buffer.from(passwordOf(random).value + random.text('alnum', 6)).toString('base64');
    texts.push(
      labelledText(
        'encoded',
        'kubernetes secret',
        `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ntype: Opaque\ndata:\n  db-password: ${data}\n`,
        [data],
        'secret.yaml',
      ),
    );
    texts.push(
      labelledText(
        'encoded',
        'kubernetes secret, any key',
        `apiVersion: v1\ndata:\n  extra: ${data}\nkind: Secret\nmetadata:\n  name: x\n`,
        [data],
        'secret.yaml',
      ),
    );
    const token = `ghp_${random.text('alnum', 36)}`;
    const env = Buffer.from(`PORT=80\nGITHUB_TOKEN=${token}\nDEBUG=1\n`).toString('base64');
    texts.push(labelledText('encoded', 'env file in base64', `echo ${env} | base64 -d > .env`, [env]));
    const uri = Buffer.from(`postgres://svc:${random.text('alnum', 16)}@db.internal:5432/main`).toString('base64');
    texts.push(labelledText('encoded', 'uri in base64', `DATABASE: ${uri}`, [uri], 'a.yaml'));
    const password = random.text('alnum', 14);
    texts.push(labelledText('encoded', 'percent', `redirect=%3Fpassword%3D${password}%26x%3D1`, [password]));
    texts.push(
      labelledText(
        'encoded',
        'unicode escapes',
        `{"q":"a\\u0026password\\u003d${password}\\u0026x"}`,
        [password],
        'a.json',
      ),
    );
    texts.push(
      labelledText('encoded', 'html entities', `&lt;password&gt;${password}&lt;/password&gt;`, [password], 'a.xml'),
    );
    texts.push(
      labelledText(
        'encoded',
        'html quotes',
        `data-x="{&quot;password&quot;:&quot;${password}&quot;}"`,
        [password],
        'a.html',
      ),
    );
  }
  return texts;
}

/** One value of a diff that stands on the next line, over several lines or beside the marks. */
export function inDiffs(random: Random, count: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (let i = 0; i < count; i += 1) {
    const value = random.text('alnum', 20);
    const forms: readonly (readonly [rule: string, text: string, values: readonly string[]])[] = [
      ['added line', `+DB_PASSWORD=${value}\n PORT=1`, [value]],
      ['removed line', `-  password: "${value}",`, [value]],
      ['next line, added', `+  password:\n+    "${value}"`, [value]],
      ['next line, mixed', ` password =\n-  "${value}"\n+  "${value}Z"`, [value, `${value}Z`]],
      ['name and value', `+  - name: DB_PASSWORD\n+    value: ${value}`, [value]],
      [
        'concatenated over lines',
        `+const apiKey = "${value.slice(0, 10)}" +\n+  "${value.slice(10)}";`,
        [value.slice(0, 10), value.slice(10)],
      ],
    ];
    for (const [rule, text, values] of forms)
      texts.push({ ...labelledText('diff', rule, text, values, 'deploy.yaml'), diff: true });
  }
  return texts;
}
