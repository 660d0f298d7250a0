/** Where the password stands in a file whose lines are accounts, or which is one. */
export type AccountLayout =
  /** `client server secret`, `address user password`. */
  | 'third-column'
  /** `host user:password`. */
  | 'relay'
  /** `host:user:password`. */
  | 'between-colons'
  /** `"user" "password"`. */
  | 'quoted-pair'
  /** `https://host/path user password`. */
  | 'addressed'
  /** `user: password,role`. */
  | 'realm'
  /** The user on the first line, the password on the second. */
  | 'two-lines'
  /** Nothing but the secret. */
  | 'alone';

/** Nearly all names hold none of these. */
const MAY_HOLD_ACCOUNTS =
  /(?:secret|pass|userlist|realm|users|auth|login|cred|token|key|combo|accounts|ovpn)[^/\\]{0,40}$/i;

const LAYOUTS: readonly (readonly [name: RegExp, layout: AccountLayout])[] = [
  [/(?:^|[/\\])(?:(?:ch|p)ap-secrets|\.?davfs2[/\\]secrets)$/, 'third-column'],
  [/(?:^|[/\\])secrets$/, 'addressed'],
  [/(?:^|[/\\])(?:sasl_passwd|smtp_auth|relay_passw(?:or)?d)$/, 'relay'],
  [/(?:^|[/\\])passwd\.client$/, 'between-colons'],
  [/(?:^|[/\\])userlist\.txt$/, 'quoted-pair'],
  [/(?:^|[/\\])(?:(?!jdbc)[\w-]{0,24}-?realm|(?:mgmt-|application-)?users)\.properties$/, 'realm'],
  [/(?:^|[/\\])(?:(?:creds|combos?|accounts|logins)\.txt|\.?passwd-s3fs)$/, 'realm'],
  [
    /(?:^|[/\\])(?:auth|login|pass|userpass|auth-user-pass|credentials|[\w-]{1,40}\.ovpn)\.(?:txt|conf|auth)$/,
    'two-lines',
  ],
  [
    /(?:^|[/\\])\.?(?:[\w-]{0,40}[-_.])?(?:pass(?:w(?:or)?d|phrase)?|secret(?:[-_]key)?|token|api[-_]?key)(?:\.txt|\.key|\.secret)?$/,
    'alone',
  ],
  [/(?:^|[/\\])config[/\\](?:master|credentials[/\\]\w{1,24})\.key$/, 'alone'],
  [/(?:^|[/\\])(?:\.p4passwd(?:\.[\w-]{1,40}){1,4}|adminpass)$/, 'alone'],
];

/** True for the name of a file that may have a layout, by its path. */
export const mayHoldAccounts = (name: string): boolean => MAY_HOLD_ACCOUNTS.test(name.slice(-80));

/** Reads the layout off the path of a file whose name says that it may have one, a revision at its end aside. */
export function accountLayoutOf(path: string): AccountLayout | undefined {
  const name = path
    .slice(-160)
    .replace(/[#@][^/\\#@]{0,20}$/, '')
    .toLowerCase();
  return LAYOUTS.find(([pattern]) => pattern.test(name))?.[1];
}
