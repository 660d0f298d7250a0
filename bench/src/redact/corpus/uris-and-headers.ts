import { assignmentsTo, BARE } from './contexts.ts';
import { type LabelledText, labelled, labelledText } from './labelled-text.ts';
import { passwordOf } from './passwords.ts';
import type { Random } from './random.ts';

type Form = readonly [rule: string, write: (v: string) => string, path?: string];

const SCHEMES = [
  'postgres',
  'postgresql',
  'mysql',
  'mongodb',
  'mongodb+srv',
  'redis',
  'rediss',
  'amqp',
  'amqps',
  'smtp',
  'smtps',
  'ftp',
  'sftp',
  'ftps',
  'http',
  'https',
  'ssh',
  'ldap',
  'ldaps',
  'nats',
  'mqtt',
  'jdbc:mysql',
  'jdbc:postgresql',
  'mssql+pyodbc',
  'postgresql+psycopg2',
  'clickhouse',
  'couchbase',
  'neo4j',
  'bolt',
  'kafka',
  'rtsp',
  'socks5',
  'svn+ssh',
  'git+https',
  'imap',
  'imaps',
  'telnet',
  'vnc',
  'rdp',
  'snmp',
  'rsync',
  'oracle',
  'cockroachdb',
  'etcd',
  'influxdb',
  'memcached',
  'scp',
  'docker',
  'gitea',
  'sentry',
];

const URI_PLACES: readonly Form[] = [
  ['alone', (v) => v],
  ['variable', (v) => `DATABASE_URL=${v}`, '.env'],
  ['quoted', (v) => `connect("${v}")`, 'a.ts'],
  ['yaml', (v) => `url: ${v}`, 'a.yaml'],
  ['json', (v) => `{"url":"${v}","pool":5}`, 'a.json'],
  ['escaped', (v) => `"{\\"url\\":\\"${v}\\"}"`],
  ['command', (v) => `git clone ${v} && cd x`],
  ['markdown', (v) => `see <${v}> or [link](${v})`, 'a.md'],
  ['log', (v) => `2024-01-01 ERROR cannot reach ${v}: timeout`],
];

// long: a corpus, sample by sample
/** Credentials in the user info of URIs, in data source names and in connection strings. */
export function connectionUris(random: Random, each: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (const scheme of SCHEMES) {
    for (let i = 0; i < each; i += 1) {
      const { value } = passwordOf(random);
      const password =
        i % 4 === 3
          ? random.pick(['alnum', 'base64url'].map((a) => random.text(a, 20)))
          : encodeURIComponent(value).replace(/[()]/g, 'x');
      const user =
        scheme.startsWith('redis') && i % 2 === 0 ? '' : random.pick(['svc', 'app_user', 'admin', 'john.doe%40corp']);
      const uri = `${scheme}://${user}:${password}@${random.pick(['db.internal:5432', 'localhost', '10.1.2.3', 'a.b.example.com', '[::1]:99'])}${random.pick(['/main?ssl=true', '/', '', '/0'])}`;
      const [rule, write, path] = random.pick(URI_PLACES);
      texts.push(labelledText('url-auth', `${scheme.split(':')[0]}, ${rule}`, write(uri), [password], path));
    }
  }
  const other: readonly (readonly [rule: string, write: (v: string) => string])[] = [
    ['token user', (v) => `https://${v}@github.com/acme/app.git`],
    ['token user, x-oauth', (v) => `https://x-access-token:${v}@github.com/acme/app.git`],
    ['oauth2', (v) => `https://oauth2:${v}@gitlab.example.com/a/b.git`],
    ['raw at sign', (v) => `postgres://svc:${v}@q@db.internal/main`],
    ['raw slash', (v) => `postgres://svc:${v}/q@db.internal/main`],
    ['go dsn', (v) => `root:${v}@tcp(127.0.0.1:3306)/main`],
    ['oracle', (v) => `sqlplus scott/${v}@orcl`],
    ['jdbc query', (v) => `jdbc:postgresql://db/main?user=a&password=${v}&ssl=true`],
    ['jdbc sqlserver', (v) => `jdbc:sqlserver://db:1433;databaseName=m;user=sa;password=${v};`],
    ['jdbc oracle', (v) => `jdbc:oracle:thin:scott/${v}@//db:1521/x`],
    ['basic auth query', (v) => `http://x.example/login?user=a&password=${v}`],
    ['access token query', (v) => `https://x.example/?access_token=${v}&y=1`],
    ['key query', (v) => `https://maps.example/api?key=${v}&q=1`],
    [
      'account key',
      (v) =>
        `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${v.padEnd(86, v)}==;EndpointSuffix=core.windows.net`,
    ],
    [
      'service bus',
      (v) => `Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${v.padEnd(43, v)}=`,
    ],
    ['sas', (v) => `https://acme.blob.core.windows.net/c?sv=2022-11-02&se=2025&sr=b&sig=${v.padEnd(43, v)}%3D`],
    ['s3 presigned', (v) => `https://b.s3.amazonaws.com/k?X-Amz-Algorithm=A&X-Amz-Signature=${v.padEnd(64, v)}`],
    ['sentry dsn', (v) => `https://${v}@o1.ingest.sentry.io/2`],
  ];
  for (const [rule, write] of other) {
    for (let i = 0; i < each; i += 1) {
      const value = random.text('alnum', 20 + random.below(12));
      texts.push(labelledText('url-auth', rule, write(value), [value]));
    }
  }
  return texts;
}

const HEADERS: readonly Form[] = [
  ['bearer', (v) => `Authorization: Bearer ${v}`],
  ['bearer, curl', (v) => `curl -H "Authorization: Bearer ${v}" https://api.internal/v1`],
  ['bearer, js', (v) => `headers: { Authorization: 'Bearer ${v}' },`, 'a.js'],
  ['bearer, python', (v) => `headers = {"Authorization": "Bearer ${v}"}`, 'a.py'],
  ['bearer, go', (v) => `req.Header.Set("Authorization", "Bearer ${v}")`, 'a.go'],
  ['bearer, java', (v) => `request.addHeader("Authorization", "Bearer ${v}");`, 'A.java'],
  ['bearer, variable', (v) => `AUTH="Bearer ${v}"`],
  ['token', (v) => `Authorization: token ${v}`],
  ['apikey', (v) => `Authorization: ApiKey ${v}`],
  ['key equals', (v) => `Authorization: key=${v}`],
  ['raw', (v) => `Authorization: ${v}`],
  ['proxy', (v) => `Proxy-Authorization: Bearer ${v}`],
  [
    'digest',
    (v) =>
      `Authorization: Digest username="a", realm="r", nonce="n", uri="/", response="${Buffer.from(v).toString('hex').slice(0, 32).padEnd(32, '7')}"`,
  ],
  ['x-api-key', (v) => `X-Api-Key: ${v}`],
  ['x-api-key, js', (v) => `'x-api-key': '${v}',`, 'a.ts'],
  ['x-auth-token', (v) => `-H 'X-Auth-Token: ${v}'`],
  ['private-token', (v) => `PRIVATE-TOKEN: ${v}`],
  ['api-key', (v) => `api-key: ${v}`],
  ['header set', (v) => `req.Header.Set("X-API-KEY", "${v}")`, 'a.go'],
  ['set request header', (v) => `xhr.setRequestHeader('X-Access-Token', '${v}');`, 'a.js'],
  ['ocp key', (v) => `Ocp-Apim-Subscription-Key: ${v}`],
  ['cookie', (v) => `Cookie: sessionid=${v}; theme=dark`],
  ['cookie, curl', (v) => `curl -b 'session=${v}' https://x.example`],
  ['set-cookie', (v) => `Set-Cookie: JSESSIONID=${v}; Path=/; HttpOnly`],
  ['csrf', (v) => `X-CSRF-Token: ${v}`],
  [
    'aws4',
    (v) =>
      `Authorization: AWS4-HMAC-SHA256 Credential=x/20240101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${Buffer.from(v).toString('hex').slice(0, 64)}`,
  ],
];

const COMMANDS: readonly Form[] = [
  ['curl -u', (v) => `curl -u admin:${v} https://x.example/`],
  ['curl -u quoted', (v) => `curl -s -u "admin:${v}" https://x.example/`],
  ['curl --user', (v) => `curl --user 'admin:${v}' https://x.example/`],
  ['curl --user equals', (v) => `curl --user=admin:${v} https://x.example/`],
  ['curl -u joined', (v) => `curl -uadmin:${v} https://x.example/`],
  ['curl proxy', (v) => `curl -x http://p:1 --proxy-user a:${v} https://x.example/`],
  ['wget', (v) => `wget --http-user=a --http-password=${v} https://x.example/`],
  ['mysql', (v) => `mysql -h db -u root -p${v} main`],
  ['mysql quoted', (v) => `mysql -uroot -p'${v}' main`],
  ['mysqldump', (v) => `mysqldump --password=${v} main > a.sql`],
  ['sshpass', (v) => `sshpass -p ${v} ssh root@h`],
  ['sshpass joined', (v) => `sshpass -p${v} scp a b`],
  ['pgpassword', (v) => `PGPASSWORD=${v} psql -h db`],
  ['docker login', (v) => `docker login -u a -p ${v} r.example`],
  ['docker env', (v) => `docker run -e POSTGRES_PASSWORD=${v} -d postgres`],
  ['helm', (v) => `helm install x --set auth.password=${v}`],
  ['kubectl', (v) => `kubectl create secret generic x --from-literal=password=${v}`],
  ['openssl', (v) => `openssl rsa -in a -passin pass:${v}`],
  ['openssl quoted', (v) => `openssl enc -aes-256-cbc -k '${v}' -in a`],
  ['keytool', (v) => `keytool -import -storepass ${v} -file a`],
  ['zip', (v) => `zip -P ${v} a.zip b`],
  ['7z', (v) => `7z a -p${v} a.7z b`],
  ['net use', (v) => `net use Z: \\\\srv\\share ${v} /user:dom\\a`],
  ['redis-cli', (v) => `redis-cli -h r -a ${v} ping`],
  ['mongo', (v) => `mongo -u a -p ${v} --authenticationDatabase admin`],
  ['ldapsearch', (v) => `ldapsearch -x -D cn=a -w ${v} -b dc=x`],
  ['az', (v) => `az login --service-principal -u a -p ${v} --tenant t`],
  ['sqlcmd', (v) => `sqlcmd -S db -U sa -P ${v} -Q "select 1"`],
  ['chpasswd', (v) => `echo "root:${v}" | chpasswd`],
  ['passwd stdin', (v) => `echo ${v} | passwd --stdin root`],
  ['htpasswd', (v) => `htpasswd -b -c .htpasswd admin ${v}`],
  ['vault', (v) => `vault login ${v}`],
  ['svn', (v) => `svn co --username a --password ${v} https://x`],
  ['aws configure', (v) => `aws configure set aws_secret_access_key ${v.padEnd(40, v)}`],
  ['powershell secure', (v) => `$p = ConvertTo-SecureString "${v}" -AsPlainText -Force`],
  ['rsync', (v) => `RSYNC_PASSWORD=${v} rsync a b`],
  ['mysql env', (v) => `export MYSQL_PWD=${v}`],
  ['npm', (v) => `npm config set //r.example/:_authToken ${v}`],
  ['gh', (v) => `echo ${v} | gh auth login --with-token`],
  ['docker stdin', (v) => `echo "${v}" | docker login -u a --password-stdin`],
];

/** Credentials in headers and on command lines. */
export function headersAndCommands(random: Random, each: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (const [forms, family] of [
    [HEADERS, 'auth-header'],
    [COMMANDS, 'command-line'],
  ] as const) {
    for (const [rule, write, path] of forms) {
      for (let i = 0; i < each; i += 1) {
        const given =
          family === 'auth-header'
            ? random.text(random.pick(['alnum', 'base64url', 'hex']), 24 + random.below(30))
            : shellSafe(passwordOf(random).value);
        const text = write(given);
        const value = text.includes(given)
          ? given
          : (/response="(\w+)"|Signature=(\w+)/.exec(text)?.slice(1).find(Boolean) as string);
        texts.push(labelledText(family, rule, text, [value], path));
      }
    }
  }
  for (let i = 0; i < each * 4; i += 1) {
    const value = Buffer.from(`admin:${passwordOf(random).value}`).toString('base64');
    for (const write of [
      (v: string) => `Authorization: Basic ${v}`,
      (v: string) => `"Authorization": "Basic ${v}",`,
      (v: string) => `AUTH PLAIN ${v}`,
    ])
      texts.push(labelledText('auth-header', 'basic', write(value), [value]));
  }
  return texts;
}

const shellSafe = (value: string): string =>
  `${value.replace(/[^A-Za-z0-9_.+=@-]/g, 'x').replace(/^[^A-Za-z]/, 'q')}${value.length < 6 ? '7xyz' : ''}`;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signed, unsigned and encrypted web tokens, escaped and wrapped. */
export function webTokens(random: Random, count: number): LabelledText[] {
  const places = [...BARE, ...assignmentsTo('access token'), ...assignmentsTo('jwt')];
  const texts: LabelledText[] = [];
  for (let i = 0; i < count; i += 1) {
    const header = encode({
      alg: random.pick(['HS256', 'RS256', 'ES512', 'none']),
      ...(i % 3 === 0 ? { kid: random.text('hex', 8) } : {}),
      ...(i % 2 === 0 ? { typ: 'JWT' } : {}),
    });
    const claims = encode({ sub: random.text('alnum', 12), iat: 1_700_000_000 + i, aud: 'x' });
    const signature = random.text('base64url', 43);
    const forms: readonly (readonly [rule: string, value: string])[] = [
      ['signed', `${header}.${claims}.${signature}`],
      ['unsigned', `${header}.${claims}.`],
      ['two parts', `${header}.${claims}`],
      [
        'encrypted',
        `${encode({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.${random.text('base64url', 60)}.${random.text('base64url', 16)}.${random.text('base64url', 80)}.${random.text('base64url', 22)}`,
      ],
      ['in base64', Buffer.from(`${header}.${claims}.${signature}`).toString('base64')],
    ];
    for (const [rule, value] of forms)
      texts.push(labelled('jwt', rule, rule === 'unsigned' ? value.slice(0, -1) : value, random.pick(places), random));
    texts.push(
      labelledText('jwt', 'in user info', `https://api:${header}.${claims}.${signature}@x.example/`, [
        `${header}.${claims}.${signature}`,
      ]),
    );
  }
  return texts;
}

const WEBHOOKS: readonly (readonly [rule: string, url: (r: Random) => readonly [url: string, secret: string]])[] = [
  [
    'slack',
    (r) =>
      hook(
        'https://hooks.slack.com/services/',
        `T${r.text('A-Z0-9', 8)}/B${r.text('A-Z0-9', 8)}/${r.text('alnum', 24)}`,
      ),
  ],
  [
    'slack workflow',
    (r) =>
      hook(
        'https://hooks.slack.com/workflows/',
        `T${r.text('A-Z0-9', 10)}/A${r.text('A-Z0-9', 10)}/${r.text('digits', 18)}/${r.text('alnum', 24)}`,
      ),
  ],
  ['discord', (r) => hook('https://discord.com/api/webhooks/', `${r.text('digits', 18)}/${r.text('base64url', 68)}`)],
  [
    'discordapp',
    (r) => hook('https://discordapp.com/api/webhooks/', `${r.text('digits', 18)}/${r.text('base64url', 68)}`),
  ],
  [
    'discord versioned',
    (r) => hook('https://ptb.discord.com/api/v10/webhooks/', `${r.text('digits', 18)}/${r.text('base64url', 68)}`),
  ],
  [
    'teams',
    (r) =>
      hook(
        'https://acme.webhook.office.com/webhookb2/',
        `${guid(r)}@${guid(r)}/IncomingWebhook/${r.text('hex', 32)}/${guid(r)}`,
      ),
  ],
  [
    'teams old',
    (r) =>
      hook(
        'https://outlook.office.com/webhook/',
        `${guid(r)}@${guid(r)}/IncomingWebhook/${r.text('hex', 32)}/${guid(r)}`,
      ),
  ],
  ['zapier', (r) => hook('https://hooks.zapier.com/hooks/catch/', `${r.text('digits', 7)}/${r.text('a-z0-9', 7)}/`)],
  [
    'google chat',
    (r) =>
      hook(
        'https://chat.googleapis.com/v1/spaces/',
        `AAAA${r.text('alnum', 7)}/messages?key=${r.text('base64url', 39)}&token=${r.text('base64url', 43)}%3D`,
      ),
  ],
  [
    'power automate',
    (r) =>
      hook(
        'https://prod-01.westus.logic.azure.com:443/workflows/',
        `${r.text('hex', 32)}/triggers/manual/paths/invoke?api-version=1&sig=${r.text('base64url', 43)}`,
      ),
  ],
  ['ifttt', (r) => hook('https://maker.ifttt.com/trigger/', `x_event/with/key/${r.text('base64url', 22)}`)],
  ['mattermost', (r) => hook('https://chat.acme.example/hooks/', r.text('a-z0-9', 26))],
];
const hook = (base: string, secret: string): [string, string] => [base + secret, secret];
const guid = (r: Random): string => [8, 4, 4, 4, 12].map((length) => r.text('hex', length)).join('-');

/** URLs that are credentials by themselves. */
export function webhooks(random: Random, each: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (const [rule, make] of WEBHOOKS) {
    for (let i = 0; i < each; i += 1) {
      const [url, secret] = make(random);
      const last = secret
        .split(/[/=]/)
        .filter((part) => /[A-Za-z0-9_-]{7,}/.test(part))
        .pop() as string;
      const [, write, path] = random.pick(URI_PLACES.filter(([name]) => name !== 'markdown'));
      texts.push(labelledText('webhook-url', rule, write(url), [last], path));
    }
  }
  return texts;
}
