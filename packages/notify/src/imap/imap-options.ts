import { isIP } from 'node:net';
import {
  checkBoolean,
  checkedElsewhere,
  checkName,
  checkOptions,
  checkWhole,
  nested,
  type OptionShape,
  oneOf,
  optional,
  partWith,
} from '@criticizer/core/internal';
import type { SecretSource } from '@criticizer/core/ports';
import { isLoopback } from '../loopback.js';

/** Where user and password are read from; both are read before every login. */
export interface ImapCredentials {
  secrets: SecretSource;
  /** Name of the secret that holds the user. */
  userSecret: string;
  /** Name of the secret that holds the password. */
  passwordSecret: string;
}

/** Which mailbox, how the server is trusted, and how long a mail takes to it and stays. */
export interface ImapLookupOptions {
  host: string;
  /** Default 993 with implicit TLS, else 143. */
  port?: number | undefined;
  /** `starttls` is required, not tried. `none` only to this machine, unless `allowPlaintext`. Default `implicit`. */
  tls?: 'implicit' | 'starttls' | 'none' | undefined;
  /** Passwords and headers would cross the network unencrypted: refused unless this is true. Default false. */
  allowPlaintext?: boolean | undefined;
  /** Further trusted roots, PEM, for a private certificate authority. Certificates are always verified. */
  ca?: string | undefined;
  /** Current version first, then the previous one (SEC-5). An account that reads this mailbox is enough. */
  credentials: ImapCredentials;
  /**
   * A mailbox that every mail gets into: of a journal rule, or where the provider files what was sent.
   * Default `INBOX`.
   */
  mailbox?: string | undefined;
  /** How long the server may take from its answer to the mailbox. Default 60 s. */
  settleMs?: number | undefined;
  /** How long mails stay in the mailbox. Default 7 days. */
  retentionMs?: number | undefined;
  /** The longest one step may take (login, select, a search), in milliseconds. Default 20 s. */
  callTimeoutMs?: number | undefined;
  /** How long the connection is kept for the next look-up, in milliseconds. Default 60 s. */
  idleMs?: number | undefined;
}

/** The options with every default. */
export type ImapLookupSettings = {
  readonly [Key in Exclude<keyof ImapLookupOptions, 'ca' | 'allowPlaintext'>]-?: NonNullable<ImapLookupOptions[Key]>;
} & Pick<ImapLookupOptions, 'ca'>;

const ms =
  (min: number, max: number) =>
  (option: string, value: unknown): void =>
    checkWhole(option, value, min, max);

const optionShape: OptionShape<ImapLookupOptions> = {
  host: checkedElsewhere,
  port: optional(ms(1, 65_535)),
  tls: optional(oneOf('implicit', 'starttls', 'none')),
  allowPlaintext: optional(checkBoolean),
  ca: optional(checkName),
  credentials: nested<ImapCredentials>({ secrets: partWith('read'), userSecret: checkName, passwordSecret: checkName }),
  mailbox: optional(checkName),
  settleMs: optional(ms(0, 86_400_000)),
  retentionMs: optional(ms(0, 2_147_483_647)),
  callTimeoutMs: optional(ms(100, 600_000)),
  idleMs: optional(ms(1, 600_000)),
};

const hostName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** Checks and completes. Throws `TypeError` naming the option. */
export function checkImapOptions(options: ImapLookupOptions): ImapLookupSettings {
  checkOptions('createImapLookup', options, optionShape);
  const { host, tls = 'implicit', allowPlaintext = false, mailbox = 'INBOX' } = options;
  if (typeof host !== 'string' || !(isIP(host) || hostName.test(host)))
    throw new TypeError('createImapLookup: host: expected a host name or an IP address');
  if (tls === 'none' && !allowPlaintext && !isLoopback(host))
    throw new TypeError(
      "createImapLookup: tls: expected 'implicit' or 'starttls' for another machine: plain text needs allowPlaintext: true",
    );
  if (/[\p{Cc}\p{Cs}]/u.test(mailbox))
    throw new TypeError('createImapLookup: mailbox: expected a name without control characters');
  return {
    ...{ host, tls, mailbox, ca: options.ca, credentials: options.credentials },
    port: options.port ?? (tls === 'implicit' ? 993 : 143),
    settleMs: options.settleMs ?? 60_000,
    retentionMs: options.retentionMs ?? 7 * 86_400_000,
    callTimeoutMs: options.callTimeoutMs ?? 20_000,
    idleMs: options.idleMs ?? 60_000,
  };
}
