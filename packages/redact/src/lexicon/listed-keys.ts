/** What a key's name asks for: the whole value, a partial mask of one kind, or nothing. */
export type KeyVerdict = 'full' | 'full-unless-boolean' | 'email' | 'phone' | 'id-number' | 'card' | 'none';

/** Audit section 3: always the whole value. */
export const FULL_KEYS = [
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
export const FULL_ALIASES = [
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
  'password_confirm',
  'password_confirmation',
];

export const PARTIAL_KEYS: Readonly<Record<string, KeyVerdict>> = {
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

/** Audit section 3 names these; the others of the table are their spellings. */
const PARTIAL_LISTED = ['email', 'phone', 'ssn', 'national_id', 'tax_id', 'credit_card', 'card_number'];
const LISTED = new Set([...FULL_KEYS, ...PARTIAL_LISTED]);
const LISTED_JOINED = new Set([...LISTED].map(joinWords));

/** Names that end in one of these after an underscore follow the same rule: `user_password`, `billing_email`. */
export const FULL_SUFFIXES = [
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
export const PARTIAL_SUFFIXES = ['email', 'phone', 'ssn', 'national_id', 'tax_id', 'card_number'];

/** True for a name of the list that no policy may take from, in any spelling. */
export function isListedKey(key: string): boolean {
  const name = normalizeKey(key);
  return LISTED.has(name) || LISTED_JOINED.has(joinWords(name));
}

/**
 * A normalized name without the boundaries of its words: `passWord` and `PASS_WORD` are `password`,
 * as `api_key` and `apikey` are one.
 */
export function joinWords(name: string): string {
  return name.replaceAll('_', '');
}

/**
 * Lower-cased snake form: `userPassword`, `User-Password` and `USER_PASSWORD` are `user_password`;
 * `apiKeyID` is `api_key_id`.
 */
export function normalizeKey(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase();
}
