import fc from 'fast-check';
import {
  accountKey,
  basicCredentials,
  connectionUri,
  type GeneratedSecret,
  jsonWebToken,
  opaqueToken,
  password,
  perforceTicket,
  privateKey,
  tokenList,
  vendorToken,
} from './secret-generators.js';

/** A text with one secret in it, and how a redactor is told to read it. */
export interface SecretInContext {
  secret: GeneratedSecret;
  text: string;
  path?: string | undefined;
  diff?: boolean | undefined;
  json: boolean;
}

type Template = readonly [path: string, write: (value: string) => string];

/** Where a password, token or key stands as the value of a name. */
const ASSIGNMENTS = (name: string): readonly Template[] => [
  ['app.ts', (v) => `export const ${name} = "${v}";\nrun(${name});`],
  ['app.js', (v) => `connect({ user: 'svc', ${name}: '${v}' });`],
  ['app.py', (v) => `${name} = '${v}'\nconnect(${name})`],
  ['App.java', (v) => `  private static final String ${name} = "${v}";`],
  ['app.c', (v) => `static const char *${name} = "${v}";`],
  ['app.h', (v) => `#define ${name.toUpperCase()} "${v}"`],
  ['app.cpp', (v) => `std::string ${name} = "${v}";`],
  ['App.cs', (v) => `var cs = new Options { ${name} = "${v}" };`],
  ['app.go', (v) => `\t${name} := "${v}"`],
  ['app.lua', (v) => `local ${name} = "${v}"`],
  ['app.php', (v) => `$${name} = '${v}';`],
  ['app.rb', (v) => `config.${name} = '${v}'`],
  ['app.rs', (v) => `let ${name}: &str = "${v}";`],
  ['deploy.yaml', (v) => `service:\n  ${name}: ${v}\n  replicas: 2`],
  ['deploy.yml', (v) => `service:\n  ${name}: "${v}"`],
  ['.env', (v) => `PORT=80\n${name.toUpperCase()}=${v}\nDEBUG=1`],
  ['app.ini', (v) => `[main]\n${name} = ${v}`],
  ['app.properties', (v) => `main.${name}=${v}`],
  ['app.toml', (v) => `${name} = "${v}"`],
  ['app.xml', (v) => `<config><${name}>${v}</${name}></config>`],
  ['web.config', (v) => `<add key="${name}" value="${v}" />`],
  ['main.tf', (v) => `  ${name} = "${v}"`],
  ['run.sh', (v) => `export ${name.toUpperCase()}='${v}'`],
];

const HEADERS: readonly Template[] = [
  ['notes.txt', (v) => `Authorization: Bearer ${v}`],
  ['call.sh', (v) => `curl -H "Authorization: Bearer ${v}" https://api.internal/v1`],
  ['call.ts', (v) => `headers: { 'X-Api-Key': '${v}' },`],
];

const BASIC: readonly Template[] = [
  ['notes.txt', (v) => `Authorization: Basic ${v}`],
  ['call.ts', (v) => `headers.set('Authorization', 'Basic ${v}');`],
];

const TICKETS: readonly Template[] = [
  ['.p4tickets', (v) => `perforce.example:1666=ann:${v}`],
  ['.p4config', (v) => `P4PORT=ssl:perforce:1666\nP4PASSWD=${v}\n`],
  ['login.sh', (v) => `p4 -u build -P ${v} sync //depot/main/...`],
];

const ACCOUNT_KEYS: readonly Template[] = [
  [
    'appsettings.json',
    (v) =>
      `  "Storage": "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${v};EndpointSuffix=core.example",`,
  ],
  ['run.sh', (v) => `export STORAGE='AccountName=acme;AccountKey=${v}'`],
];

const SESSIONS: readonly Template[] = [
  ['trace.txt', (v) => `Set-Cookie: sid=${v}; Path=/; HttpOnly`],
  ['trace.txt', (v) => `Cookie: theme=dark; session_id=${v}`],
];

const COMMANDS: readonly Template[] = [
  ['run.sh', (v) => `sshpass -p '${v}' ssh build@host.example uptime`],
  ['run.sh', (v) => `curl -u 'svc:${v}' https://host.example/v1`],
  ['run.sh', (v) => `deploy --user svc --password '${v}' --dry-run`],
  ['set-up.sql', (v) => `CREATE USER svc IDENTIFIED BY '${v}';`],
];

const ANYWHERE: readonly Template[] = [
  ['notes.txt', (v) => `see ${v} for details`],
  ['app.ts', (v) => `call("${v}");`],
  ['log.txt', (v) => `2024-01-01T00:00:00Z INFO value=${v}`],
  ['doc.md', (v) => `- first\n- \`${v}\`\n`],
];

function place(secret: GeneratedSecret, templates: readonly Template[]): fc.Arbitrary<SecretInContext> {
  return fc
    .constantFrom(...templates)
    .map(([path, write]) => ({ secret, text: write(secret.text), path, json: false }));
}

const KEY_FORMS: readonly ((lines: readonly string[]) => string)[] = [
  (lines) => lines.join('\n'),
  (lines) => lines.join('\r\n'),
  (lines) => lines.map((line) => `    ${line}`).join('\n'),
  (lines) => `const key = "${lines.join('\\n')}\\n";`,
  (lines) => lines.map((line) => `  "${line}\\n" +`).join('\n'),
  (lines) => lines.map((line) => `// ${line}`).join('\n'),
  (lines) => lines.map((line) => ` * ${line}`).join('\n'),
];

function keyInContext(): fc.Arbitrary<SecretInContext> {
  return fc.tuple(privateKey(), fc.constantFrom(...KEY_FORMS)).map(([secret, write]) => ({
    secret,
    text: `before();\n${write(secret.text.split('\n'))}\nafter(call);`,
    json: false,
  }));
}

/**
 * Tokens that nothing but their look gives away, one a line under a name that says little: what is
 * known of one may not hide the next.
 */
const LISTS: readonly ((tokens: readonly string[]) => [path: string, text: string])[] = [
  (tokens) => ['app.ts', `const POOL = [\n${tokens.map((token) => `  '${token}',\n`).join('')}];`],
  (tokens) => ['app.py', `POOL = [\n${tokens.map((token) => `    "${token}",`).join('\n')}\n]`],
  (tokens) => ['app.go', `var pool = []string{\n${tokens.map((token) => `\t"${token}",`).join('\r\n')}\n}`],
  (tokens) => ['pool.json', `{\n  "pool": [\n${tokens.map((token) => `    "${token}"`).join(',\n')}\n  ]\n}`],
];

function listInContext(): fc.Arbitrary<SecretInContext> {
  return fc.tuple(tokenList(), fc.constantFrom(...LISTS)).map(([secret, write]) => {
    const [path, text] = write(secret.parts);
    return { secret, text, path, json: path.endsWith('.json') };
  });
}

/** The same text as lines of a unified diff: added, removed or context. */
function asDiff(context: SecretInContext, mark: string): SecretInContext {
  const lines = context.text.split('\n').map((line) => mark + line);
  return { ...context, text: ['@@ -1,9 +1,9 @@', ...lines].join('\n'), diff: true, json: false };
}

/** The same text as a string in a JSON document. */
function asJson(context: SecretInContext): SecretInContext {
  return {
    secret: context.secret,
    text: JSON.stringify({ id: 7, content: context.text, tags: ['a'] }),
    path: 'body.json',
    json: true,
  };
}

/** Every family in every context it is written in, as it stands, as a diff and as a JSON string. */
export function secretInContext(): fc.Arbitrary<SecretInContext> {
  return fc.oneof(
    plainContext(),
    fc.tuple(plainContext(), fc.constantFrom('+', '-', ' ')).map(([context, mark]) => asDiff(context, mark)),
    jsonContext(),
  );
}

function plainContext(): fc.Arbitrary<SecretInContext> {
  return fc.oneof(
    vendorToken().chain((secret) => place(secret, [...ANYWHERE, ...ASSIGNMENTS('token')])),
    jsonWebToken().chain((secret) => place(secret, [...ANYWHERE, ...HEADERS])),
    connectionUri().chain((secret) => place(secret, ANYWHERE)),
    fc
      .tuple(password(), fc.constantFrom('password', 'db_password', 'smtpPassword', 'adminPasswd'))
      .chain(([secret, name]) => place(secret, ASSIGNMENTS(name))),
    fc
      .tuple(opaqueToken(), fc.constantFrom('api_key', 'clientSecret', 'access_token'))
      .chain(([secret, name]) => place(secret, ASSIGNMENTS(name))),
    opaqueToken().chain((secret) => place(secret, [...HEADERS, ...SESSIONS])),
    password().chain((secret) => place(secret, COMMANDS)),
    basicCredentials().chain((secret) => place(secret, BASIC)),
    perforceTicket().chain((secret) => place(secret, TICKETS)),
    accountKey().chain((secret) => place(secret, ACCOUNT_KEYS)),
    keyInContext(),
    listInContext(),
  );
}

/** Unmistakable secrets inside JSON strings, and values of JSON members by name. */
function jsonContext(): fc.Arbitrary<SecretInContext> {
  const members = fc
    .tuple(fc.oneof(password(), opaqueToken()), fc.constantFrom('password', 'apiKey', 'client_secret'))
    .map(
      ([secret, name]): SecretInContext => ({
        secret,
        text: JSON.stringify({ name: 'svc', [name]: secret.text, port: 25 }, null, 2),
        path: 'settings.json',
        json: true,
      }),
    );
  return fc.oneof(
    members,
    fc
      .oneof(
        keyInContext(),
        vendorToken().chain((secret) => place(secret, ANYWHERE)),
        connectionUri().chain((secret) => place(secret, ANYWHERE)),
      )
      .map(asJson),
  );
}
