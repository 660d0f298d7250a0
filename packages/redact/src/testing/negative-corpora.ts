import fc from 'fast-check';
import { randomText } from './secret-generators.js';

/** Text that must come through untouched, and the path it is read with. */
export interface InnocentText {
  path: string;
  text: string;
}

/** Lines of code and configuration that speak of secrets and hold none. */
const LINES: readonly (readonly [path: string, line: string])[] = [
  ['app.ts', 'const token = process.env.GITHUB_TOKEN;'],
  ['app.ts', 'const password: string = await prompt.password();'],
  ['app.ts', 'interface Login { password: string; apiKey?: string | undefined }'],
  ['app.ts', "if (typeof password === 'string' && password.length > 8) return;"],
  ['app.ts', 'headers.set("Authorization", "Bearer " + token);'],
  ['app.ts', "headers: { Authorization: 'Bearer %s' },"],
  ['app.ts', `const key = \`\${tenant}:\${user.id}\`;`],
  ['app.ts', 'throw new Error("password must not be empty");'],
  ['app.ts', "import { createToken } from './tokens/create-token.js';"],
  ['app.ts', "const label = t('login.password.placeholder');"],
  ['app.ts', 'switch (event.key) { case "ArrowDown": case "Enter": break; }'],
  ['app.ts', "const RESET_PASSWORD = 'reset_password';"],
  ['app.ts', 'const primaryKey = "customer_id";'],
  ['app.ts', 'max_tokens: 4096,'],
  ['app.py', 'password = os.environ["DB_PASSWORD"]'],
  ['app.py', 'secret = get_secret("prod/db/password")'],
  ['app.py', 'token = self.lexer.next_token()'],
  ['app.cs', '[assembly: InternalsVisibleTo("App.Tests, PublicKeyToken=null")]'],
  ['app.go', 'func Login(user string, password string) error {'],
  ['app.c', 'int check_password(const char *password, size_t password_len);'],
  ['app.lua', 'local key = keys[index]'],
  ['deploy.yaml', `password: \${DB_PASSWORD}`],
  ['deploy.yaml', 'password: "{{ vault.db_password }}"'],
  ['deploy.yaml', 'secretName: tls-certificate'],
  ['deploy.yaml', 'password: <your-password>'],
  ['deploy.yaml', 'uses: actions/checkout@v4'],
  ['.env', 'API_KEY='],
  ['.env', 'DB_PASSWORD=$SECRET_FROM_CI'],
  ['readme.md', 'Use `--password <password>` or set `P4PASSWD`.'],
  ['readme.md', 'Basic authentication and bearer token authentication are supported.'],
  ['readme.md', 'postgres://user:password@localhost/db'],
  ['readme.md', 'git clone ssh://git@host.example/repo.git'],
  ['readme.md', '-----BEGIN CERTIFICATE-----'],
  ['readme.md', 'Put your key between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----.'],
];

/** Values that look random and are public: digests, ids, integrity lines, versions. */
function publicValue(): fc.Arbitrary<InnocentText> {
  const hex = '0123456789abcdef';
  const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return fc.oneof(
    randomText(hex, 40).map((sha) => ({ path: 'notes.md', text: `Fixed in commit ${sha}.` })),
    randomText(hex, 64).map((sha) => ({ path: 'app.ts', text: `const sha256 = "${sha}";` })),
    randomText(base64, 86).map((hash) => ({
      path: 'package-lock.json',
      text: `      "integrity": "sha512-${hash}==",`,
    })),
    randomText(base64, 43).map((hash) => ({ path: 'go.sum', text: `golang.org/x/text v0.3.0 h1:${hash}=` })),
    randomText(hex, 40).map((sha) => ({ path: 'ci.yml', text: `      uses: acme/setup@${sha}` })),
    randomText(hex, 32).map((id) => ({
      path: 'app.cs',
      text: `Guid.Parse("${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}")`,
    })),
    randomText(base64, 400).map((image) => ({
      path: 'page.html',
      text: `<img src="data:image/png;base64,${image}" alt="x">`,
    })),
    randomText(hex, 32).map((digest) => ({
      path: 'digests.txt',
      text: `//depot/main/app.c#3 ${digest.toUpperCase()}`,
    })),
  );
}

/** Ordinary text of every kind. */
export function innocentText(): fc.Arbitrary<InnocentText> {
  return fc.oneof(
    fc.constantFrom(...LINES).map(([path, text]) => ({ path, text })),
    publicValue(),
  );
}
