import { assignmentsTo } from './contexts.ts';
import { type LabelledText, labelled, labelledText } from './labelled-text.ts';
import type { Random } from './random.ts';

const NAMES = [
  'password',
  'db password',
  'smtp password',
  'admin passwd',
  'user pwd',
  'passphrase',
  'pass',
  'my sql pwd',
  'root password',
  'database pass',
  'redis pass',
  'mail password',
  'ftp pass',
  'keystore password',
  'sudo pass',
  'ldap bind password',
  'wifi passphrase',
  'pg password',
  'kennwort',
  'login password',
  'encryption password',
  'passcode',
];
const SECRET_NAMES = [
  'secret',
  'client secret',
  'api key',
  'access token',
  'auth token',
  'secret key',
  'app secret',
  'jwt secret',
  'session secret',
  'private token',
  'signing key',
  'encryption key',
  'access key',
  'refresh token',
  'consumer secret',
  'shared secret',
  'hmac key',
  'master key',
  'service token',
  'webhook secret',
  'license key',
  'bot token',
  'deploy key',
  'storage key',
  'cookie secret',
];
const WORDS = [
  'monkey',
  'dragon',
  'sunshine',
  'football',
  'welcome',
  'winter',
  'hunter',
  'orange',
  'qwerty',
  'shadow',
  'letmein',
  'banana',
];

/** Passwords people and generators choose: random, words with digits, leet, phrases. */
export function passwordOf(random: Random): { kind: 'strong' | 'weak'; value: string } {
  switch (random.below(6)) {
    case 0:
      return { kind: 'strong', value: random.text('password', 10 + random.below(18)) };
    case 1:
      return { kind: 'strong', value: random.text('alnum', 10 + random.below(14)) };
    case 2:
      return {
        kind: 'strong',
        value: `${cap(random.pick(WORDS))}${random.text('digits', 2 + random.below(3))}${random.pick(['!', '@', '#', '$', ''])}`,
      };
    case 3:
      return { kind: 'strong', value: `${random.pick(WORDS)}-${random.pick(WORDS)}-${random.text('digits', 3)}` };
    case 4:
      return { kind: 'strong', value: `P@ssw0rd${random.text('digits', 3)}` };
    default:
      return {
        kind: 'weak',
        value: random.pick(WORDS) + (random.below(2) === 0 ? random.text('digits', 1 + random.below(3)) : ''),
      };
  }
}

const cap = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const CALLS: readonly ((v: string) => readonly [text: string, path?: string])[] = [
  (v) => [`connection.login("admin", "${v}")`, 'a.py'],
  (v) => [`new NetworkCredential("svc", "${v}")`, 'a.cs'],
  (v) => [`CREATE USER app IDENTIFIED BY '${v}';`],
  (v) => [`CREATE USER app WITH PASSWORD '${v}';`],
  (v) => [`ALTER USER sa WITH PASSWORD = N'${v}';`, 'a.sql'],
  (v) => [`ALTER ROLE app PASSWORD '${v}'`],
  (v) => [`SET PASSWORD FOR 'a'@'b' = PASSWORD('${v}');`],
  (v) => [`if ("${v}" == password) return;`, 'a.js'],
  (v) => [`'${v}'.equals(password)`, 'A.java'],
  (v) => [`password.equals("${v}")`, 'A.java'],
  (v) => [`String password = new String("${v}");`, 'A.java'],
  (v) => [`password = ("${v}")`, 'a.py'],
  (v) => [`password = "${v.slice(0, 5)}" + "${v.slice(5)}"`, 'a.py'],
  (v) => [`password =\n    "${v}"`, 'a.py'],
  (v) => [`password: >-\n  ${v}\n`, 'a.yaml'],
  (v) => [`<input type="password" name="pw" value="${v}">`, 'a.html'],
  (v) => [`<property name="hibernate.connection.password">${v}</property>`, 'a.xml'],
  (v) => [`username: admin / password: ${v}`],
  (v) => [`The password is ${v}\n`, 'a.md'],
  (v) => [`pass:${v}`, 'a.txt'],
  (v) => [`passwd=${v};Database=x`, 'a.txt'],
  (v) => [`Server=db;Database=m;User Id=sa;Password=${v};Encrypt=true`],
  (v) => [`"Data Source=db;uid=sa;pwd=${v};"`, 'a.cs'],
  (v) => [`Driver={ODBC};Server=x;UID=a;PWD=${v}`],
  (v) => [`host=db port=5432 user=a password=${v} dbname=m`],
  (v) => [`{"auths":{"r.example":{"username":"a","password":"${v}"}}}`, 'config.json'],
  (v) => [`sshpass -p '${v}' ssh root@host`],
  (v) => [`-Djavax.net.ssl.keyStorePassword=${v} -jar a.jar`],
  (v) => [`echo "${v}" | sudo -S apt install x`],
  (v) => [`user: admin\npass: ${v}\n`],
  (v) => [`PASSWORD="${v}"; export PASSWORD`, 'a.sh'],
  (v) => [`:password => "${v}",`, 'a.rb'],
  (v) => [`password('${v}')`, 'a.gradle'],
  (v) => [`storePassword '${v}'`, 'build.gradle'],
];

/** Passwords in assignments, calls and settings; plain dictionary words among them. */
export function passwords(random: Random, count: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (let i = 0; i < count; i += 1) {
    const { kind, value } = passwordOf(random);
    const family = `password-assign, ${kind}`;
    const contexts = assignmentsTo(random.pick(NAMES));
    if (i % 3 < 2)
      texts.push(
        labelled(family, 'assignment', value, contexts[i % contexts.length] as (typeof contexts)[number], random),
      );
    else {
      const strong = value.length < 8 ? `${value}77xy` : value;
      const [text, path] = (CALLS[i % CALLS.length] as (typeof CALLS)[number])(strong);
      const values = text.includes(strong) ? [strong] : [strong.slice(0, 5), strong.slice(5)];
      texts.push(labelledText(family, `call ${i % CALLS.length}`, text, values, path));
    }
  }
  return texts;
}

/** Opaque values under names that say secret, token or key. */
export function keyedValues(random: Random, count: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (let i = 0; i < count; i += 1) {
    const alphabet = random.pick(['alnum', 'hex', 'base64', 'base64url', 'a-z0-9', 'A-Z0-9', 'uuid']);
    const value =
      alphabet === 'uuid'
        ? [8, 4, 4, 4, 12].map((length) => random.text('hex', length)).join('-')
        : random.text(alphabet, 16 + random.below(49));
    const name = random.pick(SECRET_NAMES);
    const contexts = assignmentsTo(name);
    texts.push(
      labelled(
        'keyed-assign',
        `generic ${name}`,
        value,
        contexts[i % contexts.length] as (typeof contexts)[number],
        random,
      ),
    );
  }
  return texts;
}

/** Random values under names that say nothing. */
export function bareAssignments(random: Random, count: number): LabelledText[] {
  const texts: LabelledText[] = [];
  for (let i = 0; i < count; i += 1) {
    const value = random.text(random.pick(['alnum', 'base64url', 'base64', 'a-z0-9']), 24 + random.below(40));
    const contexts = assignmentsTo(
      random.pick(['id', 'value', 'code', 'account', 'user', 'x', 'string', 'config', 'client id', 'data']),
    );
    texts.push(labelled('bare-assign', 'random value', value, random.pick(contexts), random));
  }
  return texts;
}
