/** A name as its words; templates write it in the case of their language. */
export type Words = readonly string[];

const split = (list: string): Words[] => list.split(',').map((words) => words.trim().split(' '));

export const PASSWORD_NAMES = split(
  'password, passwd, pwd, db password, user password, admin pwd, root passwd, smtp password, passphrase, key passphrase, keystore password, redis pass, mail password, default password, ldap bind password, login password, new password, trust store password',
);
export const SECRET_NAMES = split(
  'api key, access token, secret key, client secret, auth token, secret, refresh token, signing key, encryption key, app secret, webhook secret, bot token, deploy token, private key, session secret, jwt secret, api token, service token, shared secret, secret access key, master key, account key, api secret, bearer token, personal access token, consumer secret, hmac key, license key',
);
/** Names that tell nothing of a secret. */
export const PLAIN_NAMES = split(
  'value, data, foo, payload, my var, conn, setting, current, result, first item, x1, cfg value, hub, target',
);

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const CASES: Readonly<Record<string, (words: Words) => string>> = {
  snake: (words) => words.join('_'),
  kebab: (words) => words.join('-'),
  dotted: (words) => words.join('.'),
  SCREAM: (words) => words.join('_').toUpperCase(),
  Pascal: (words) => words.map(capital).join(''),
  camel: (words) => words.map((word, index) => (index === 0 ? word : capital(word))).join(''),
  words: (words) => words.join(' '),
  Words: (words) => capital(words.join(' ')),
};
