/** What a key's name asks for: the whole value, a partial mask of one kind, or nothing. */
export type KeyVerdict = 'full' | 'full-unless-boolean' | 'email' | 'phone' | 'id-number' | 'card' | 'none';

/** Audit section 3: always the whole value. */
const FULL = [
  'password',
  'passphrase',
  'secret',
  'client_secret',
  'api_key',
  'access_key',
  'private_key',
  'token',
  'refresh_token',
  'authorization',
  'set_cookie',
  'cookie',
  'session_id',
  'otp',
  'mfa_code',
  'pin',
];

/** Spellings that mean the same and would otherwise slip through. */
const FULL_ALIASES = [
  'passwd',
  'pwd',
  'pass',
  'apikey',
  'accesskey',
  'secretkey',
  'secret_key',
  'privatekey',
  'credential',
  'credentials',
  'access_token',
  'id_token',
  'bearer_token',
  'auth_token',
  'sessionid',
  'cookies',
  'passwords',
  'secrets',
  'proxy_authorization',
  'signing_key',
  'encryption_key',
  'ticket',
  'p4passwd',
  'x_api_key',
];

const PARTIAL: Readonly<Record<string, KeyVerdict>> = {
  email: 'email',
  email_address: 'email',
  e_mail: 'email',
  phone: 'phone',
  phone_number: 'phone',
  mobile: 'phone',
  ssn: 'id-number',
  national_id: 'id-number',
  tax_id: 'id-number',
  credit_card: 'card',
  card_number: 'card',
  credit_card_number: 'card',
};

/** Names that end in one of these after an underscore follow the same rule: `user_password`, `billing_email`. */
const FULL_SUFFIXES = [
  'password',
  'passphrase',
  'passwd',
  'pwd',
  'secret',
  'api_key',
  'access_key',
  'private_key',
  'secret_key',
  'token',
  'authorization',
  'cookie',
  'session_id',
  'otp',
  'mfa_code',
];
const PARTIAL_SUFFIXES = ['email', 'phone', 'ssn', 'national_id', 'tax_id', 'card_number'];

const MAX_CACHED = 10_000;
const MAX_KEY_LENGTH = 128;

/** Lower-cased snake form: `userPassword`, `User-Password` and `USER_PASSWORD` are `user_password`; `apiKeyID` is `api_key_id`. */
export function normalizeKey(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
}

/** Judges keys by name and remembers the answers, so that a key costs one look-up per object (AUD-5). */
export function createKeyVerdicts(): (key: string) => KeyVerdict {
  const exact = new Map<string, KeyVerdict>(Object.entries(PARTIAL));
  for (const key of [...FULL, ...FULL_ALIASES]) exact.set(key, 'full');
  const cache = new Map<string, KeyVerdict>();
  return (key) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const verdict = judge(exact, normalizeKey(key.length > MAX_KEY_LENGTH ? key.slice(-MAX_KEY_LENGTH) : key));
    if (key.length > MAX_KEY_LENGTH) return verdict;
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, verdict);
    return verdict;
  };
}

function judge(exact: ReadonlyMap<string, KeyVerdict>, name: string): KeyVerdict {
  const found = exact.get(name);
  if (found !== undefined) return found;
  const partial = PARTIAL_SUFFIXES.find((suffix) => name.endsWith(`_${suffix}`));
  if (partial !== undefined) return exact.get(partial) ?? 'none';
  return FULL_SUFFIXES.some((suffix) => name.endsWith(`_${suffix}`)) ? 'full-unless-boolean' : 'none';
}
