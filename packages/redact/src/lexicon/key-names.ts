import { isDigit } from './charset.js';

/**
 * How much a name says about its value: `password` and `secret` nearly everything, `weak` little,
 * `none` nothing or the contrary.
 */
export type KeyStrength = 'password' | 'secret' | 'key' | 'weak' | 'vendor' | 'none';

const PASSWORD =
  /passw(?:or)?ds?|passphrase|passcode|passwort|kennwort|contrase(?:na|\u00f1)|motdepasse|presharedkey|p4passwd|pass4symmkey|pswd|searchpasswd/;
const PASSWORD_WORDS = new Set([
  'authtok',
  'clave',
  'haslo',
  'heslo',
  'wachtwoord',
  'mdp',
  'requirepass',
  'masterauth',
  'psk',
  'contribsys',
  'pwd',
  'pass',
  'pw',
  'psw',
  'passwd',
  'senha',
  'userpass',
  'gcuserp',
  'dbpass',
  'passe',
  'smtppass',
  'pgpassword',
  'pwds',
]);

/** A key and how it is written: more than names of entries do. */
const ENCODED_KEY = /^keys?(?:b64|base64|hex)$/;
const JOINED_PASS =
  /^(?:store|key|keystore|truststore|user|db|database|smtp|mail|ftp|admin|root|ldap|bind|my|sudo|redis|mysql|pg|proxy|http|login|auth|ssh|become|host|jks|remote|local|control|imap|pop|sql|wifi|vnc|rcon|svc|service)p(?:ass|wd|w)$/;

const KEY_OWNERS =
  'api app access secret private priv encryption encrypt encrypted enc decryption signing sign account shared master auth authentication authorization client service license licence subscription admin dev developer deploy ssh storage integration write rest sdk webhook hmac crypt crypto cipher aes des rsa ec server function jwt security wallet vault signature validation bot project ingest instrumentation ssl tls pgp gpg wep wpa nwk nwks nwksw apps appsw tea xtea xxtea blowfish xor publisher web';
const KEY = new RegExp(
  `(?:${KEY_OWNERS.split(' ').join('|')})keys?(?:[0-9]|value|string|base64|b64|hex|pem|raw|plain|text|private|default|prod|production|dev|test|staging|live|old|new|primary|secondary)?$`,
);

/** What makes a hash or a cipher one's own: as good as a key where it never changes. */
const SEASONING = /(?:salt|nonce)$/;

/** Passes of renderers and compilers. */
const HARMLESS_PASS = new Set(
  (
    'light lighting shadow depth render rendering fog clip plane blur bloom geometry color post pre first second third final base forward deferred ' +
    'opaque transparent compute lit unlit velocity tonemap draw culling by band boarding optimization opt analysis lowering codegen compiler per sub multi single one two error should must add begin end execute enqueue'
  ).split(' '),
);

/** `Shadow_Pass_3`: a pass of a renderer by its name. */
export function namesPass(value: string): boolean {
  if (!/pass/i.test(value) || !/^[A-Za-z]\w*$/.test(value)) return false;
  const words = wordsOf(value.replace(/_?\d{1,2}$/, ''));
  return words.length > 1 && words.at(-1) === 'pass' && HARMLESS_PASS.has(words.at(-2) ?? '');
}

/** Typed a second time to be sure: as good as the first. */
const REPEATED = new Set(['confirmation', 'confirm', 'repeat', 'again']);

/** A name that ends so holds something about a secret, not the secret. */
const ABOUT = new Set(
  (
    'id ids name names url urls uri uris path paths file files filename dir directory type types kind length len count counts size sizes policy policies hint hints regex regexp pattern patterns ' +
    'field fields label labels placeholder prompt prompts title message messages msg msgs namespace namespaces error errors min max minimum maximum limit limits budget expiry expires expiration expire expired ttl timeout timeouts interval age ' +
    'algorithm algorithms alg algo version versions enabled disabled required requires requirement valid invalid validator validation validate class classes status state index column columns ' +
    'table tables format formats strength rotation rotated created updated at date time count endpoint endpoints provider providers source sources store stores manager service services ref refs reference arn alias region ' +
    'usage used uses scope scopes claim claims issuer audience header headers prefix suffix separator delimiter map set list array dict factory builder handler helper util utils test tests spec mock exists present ' +
    'reset forgot change changed confirm confirmation input inputs box form page view dialog screen link button icon event events mode method methods position pos offset ' +
    'hash hashes hashed digest checksum fingerprint salt rounds iterations cost tokenizer tokenize parser lexer stream chars charset bits bytes algorithm function func fn callback generator gen ' +
    'rule rules attempts attempt history lock locked unlocked manager schema config configuration options option settings param params parameter parameters arg args argument arguments vars variable env environment property properties ' +
    'description desc help comment text info details example examples docs documentation uuid uuids guid html htm php aspx nag meter sha thumbprint identifier identifiers opts longopts xpath sender exception exceptions failure success warning hasher hashers scheme schemes command commands cmd startswith endswith icontains iexact isnull selector selectors locator locators filter filters'
  ).split(' '),
);

/** What pages and applications show to everybody; .NET names assemblies by a publicKeyToken. */
const PUBLIC_NAME = /publickey|publishablekey|sitekey$/;

/** Keys that open nothing. */
const HARMLESS_KEY = new Set(
  (
    'public pub primary foreign sort partition cache hot row col column uniq map object index event react query translation i18n locale message label lookup composite unique registry idempotency routing dedupe dedup ' +
    'metric tag dict search filter order sorting shortcut keyboard accelerator bind binding menu arrow shift ctrl control alt meta enter escape tab left right up down press pressed modifier storage local config setting ' +
    'option state pref preference entry item node child parent list table db redis topic message hash range start end last first next prev previous min max count id image file path name value field param property attribute attr ' +
    'header form data json yaml xml css style theme color font icon section page route url query view slot prop ref s3 bucket blob record document doc span trace log resource lock mutex semaphore rate limit feature flag switch toggle gpg pgp'
  ).split(' '),
);

/** Tokens of parsers, pagers and models. */
const HARMLESS_TOKEN = new Set(
  (
    'request idempotency next page paging pagination continuation continue cancellation cancel cancelled syntax start end eof eos bos pad unk mask sep cls current curr prev previous last first max min num total stop prompt completion input output ' +
    'lex lexer lookahead peek expect expected unexpected design css color string number identifier keyword operator punctuation comment template literal word special reserved injection sync resume delimiter separator newline indent dedent ' +
    'match matched symbol change position by per text raw subtoken begin open close left right paren bracket brace comma semi colon dot'
  ).split(' '),
);

function withoutNumber(word: string): string {
  let end = word.length;
  while (end > 0 && isDigit(word.charCodeAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

/**
 * True for words of a name that ends in one about a secret, its place, its length, its owner, and
 * of one that its vendor lets everybody see.
 */
export function isAboutSecret(words: readonly string[]): boolean {
  return ABOUT.has(withoutNumber(words[words.length - 1] ?? '')) || PUBLIC_NAME.test(words.join(''));
}

/** Lower-case words of an identifier: `DB_apiKeyID` is db, api, key, id. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9\u00f1]+/)
    .filter((word) => word !== '');
}

/** Judges an identifier by its words. */
export function strengthOfWords(words: readonly string[]): KeyStrength {
  const last = words[words.length - 1];
  if (last === undefined) return 'none';
  const before = words.length > 1 ? (words[words.length - 2] as string) : '';
  const bare = withoutNumber(last);
  if (words.includes('contribsys')) return 'password';
  if (words.length > 1 && REPEATED.has(bare)) return PASSWORD.test(before) ? 'password' : 'none';
  // Salted and in base64, as RabbitMQ exports it; a plain digest is too common under this name.
  if (bare === 'hash' && PASSWORD.test(before)) return 'weak';
  const squashed = words.join('');
  // What WildFly calls a password that it does not look up; Windows, that of a wireless network.
  if (squashed === 'cleartext' || squashed === 'keymaterial') return 'password';
  // Of a kubeconfig.
  if (squashed === 'clientkeydata') return 'key';
  // Code Climate lets in whoever has it.
  if (/(?:codeclimate|cctest)reporterid$/.test(squashed)) return 'key';
  if (SEASONING.test(bare) && squashed !== 'oauthnonce') return 'weak';
  // A list, or a section of settings.
  if (last === 'passwords') return 'secret';
  if (ABOUT.has(bare) && !PASSWORD.test(bare)) return 'none';
  if (PUBLIC_NAME.test(squashed)) return 'none';
  if (words.some((word) => PASSWORD.test(word)) || PASSWORD.test(squashed)) return 'password';
  if (JOINED_PASS.test(bare)) return 'password';
  // A protocol.
  if (before === 'eap') return 'none';
  if (bare === 'pass' && HARMLESS_PASS.has(before)) return 'none';
  // French: `mot de passe`; alone it is a participle.
  if (bare === 'passe' && before !== '' && before !== 'de' && before !== 'mot') return 'none';
  if (PASSWORD_WORDS.has(bare)) return 'password';
  if (ENCODED_KEY.test(squashed)) return 'key';
  if (KEY.test(squashed)) return HARMLESS_KEY.has(before) ? 'weak' : 'key';
  if (bare === 'pepper') return 'secret';
  // What Agora signs tokens with is a certificate.
  if (squashed.includes('secret') || /(?:app|primary|secondary)certificate$/.test(squashed)) return 'secret';
  if (/tokens?$/.test(last)) return judgeToken(last, before, words.length);
  if (/keys?$/.test(last) && (last === 'key' || last === 'keys' || last.length <= 14))
    return judgeBareKey(last, before);
  if (
    /^(?:auth|authorization|authtoken|credential|credentials|creds|cred|session|sessionid|sessid|jwt|bearer|signature|sig|cookie|csrf|xsrf|otp|pin|dsn|webhook)$/.test(
      bare,
    )
  )
    return 'weak';
  return words.includes('credential') || words.includes('credentials') ? 'weak' : 'none';
}

function judgeToken(last: string, before: string, count: number): KeyStrength {
  if (last === 'tokens' || HARMLESS_TOKEN.has(before)) return 'none';
  if (last !== 'token') return HARMLESS_TOKEN.has(last.slice(0, -5)) ? 'none' : 'secret';
  return count > 1 ? 'secret' : 'weak';
}

function judgeBareKey(last: string, before: string): KeyStrength {
  if (last !== 'key' && last !== 'keys')
    return /^(?:hot|mon|don|tur|joc|whis|doc|row|rowid|col|column|uniq|unique|partition|primary|public|foreign|sort|cache|tur|pub|map)keys?$/.test(
      last,
    )
      ? 'none'
      : 'weak';
  return HARMLESS_KEY.has(before) ? 'none' : 'weak';
}
