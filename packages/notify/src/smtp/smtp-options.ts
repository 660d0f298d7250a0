import { isIP } from 'node:net';
import {
  checkBoolean,
  checkedElsewhere,
  checkName,
  checkOptions,
  nested,
  type OptionShape,
  optional,
  partWith,
  withMethods,
} from '@criticizer/core/internal';
import type { SecretSource } from '@criticizer/core/ports';
import { isLoopback } from '../loopback.js';
import type { MailLookup } from './mail-lookup.js';
import type { SmtpEndpoint, SmtpTimeouts } from './native-connection.js';

/** Where user and password are read from; both are read before every login. */
export interface SmtpCredentials {
  secrets: SecretSource;
  /** Name of the secret that holds the user. */
  userSecret: string;
  /** Name of the secret that holds the password. */
  passwordSecret: string;
}

/** Which SMTP server, how it is trusted, and how many sessions. */
export interface SmtpMailerOptions {
  /** Kept in every row it delivers; a changed id makes the old rows another provider's. Default `smtp`. */
  id?: string | undefined;
  host: string;
  /** Default 465 with implicit TLS, else 587. */
  port?: number | undefined;
  /** `starttls` is required, not tried. `none` only to this machine, unless `allowPlaintext`. Default `starttls`. */
  tls?: 'implicit' | 'starttls' | 'none' | undefined;
  /** Mails hold code: sending them unencrypted over a network is refused unless this is true. Default false. */
  allowPlaintext?: boolean | undefined;
  /** Further trusted roots, PEM, for a private certificate authority. Certificates are always verified. */
  ca?: string | undefined;
  /** Read before every login, current version first, then the previous one (SEC-5). Left out: no login. */
  credentials?: SmtpCredentials | undefined;
  /** This host's name for EHLO; servers judge by it. */
  helloName: string;
  /** Without one, a lost answer stays ambiguous and the outbox's policy decides. */
  lookup?: MailLookup | undefined;
  /** Defaults: 30 s, 30 s, 60 s, 10 minutes and 15 minutes. */
  timeouts?: Partial<SmtpTimeouts> | undefined;
  /** Connections open at a time; a server's own lower limit is learnt from its refusal (421). Default 10. */
  maxConnections?: number | undefined;
  /** Connections kept open for the next mail. Default 2; 0 opens one for each. */
  idleConnections?: number | undefined;
  /** How long an idle connection is kept. Default 15 s. */
  idleMs?: number | undefined;
}

const optionShape: OptionShape<SmtpMailerOptions> = {
  id: checkedElsewhere,
  host: checkedElsewhere,
  port: checkedElsewhere,
  tls: checkedElsewhere,
  allowPlaintext: optional(checkBoolean),
  ca: optional(checkName),
  credentials: optional(
    nested<SmtpCredentials>({ secrets: partWith('read'), userSecret: checkName, passwordSecret: checkName }),
  ),
  helloName: checkedElsewhere,
  lookup: optional(withMethods('find')),
  timeouts: optional(
    nested<SmtpTimeouts>({
      connectMs: checkedElsewhere,
      greetingMs: checkedElsewhere,
      commandMs: checkedElsewhere,
      dataMs: checkedElsewhere,
      attemptMs: checkedElsewhere,
    }),
  ),
  maxConnections: checkedElsewhere,
  idleConnections: checkedElsewhere,
  idleMs: checkedElsewhere,
};

export interface SmtpMailerSettings {
  id: string;
  endpoint: SmtpEndpoint;
  credentials: SmtpCredentials | undefined;
  lookup: MailLookup | undefined;
  maxConnections: number;
  idleConnections: number;
  idleMs: number;
}

const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

function refuse(option: string, expected: string): never {
  throw new TypeError(`createSmtpMailer: ${option}: expected ${expected}`);
}

function whole(option: string, value: number, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) refuse(option, `an integer from ${min} to ${max}`);
  return value;
}

function checkTimeouts(given: Partial<SmtpTimeouts>): SmtpTimeouts {
  const merged: SmtpTimeouts = {
    connectMs: 30_000,
    greetingMs: 30_000,
    commandMs: 60_000,
    dataMs: 600_000,
    attemptMs: 900_000,
  };
  for (const name of ['connectMs', 'greetingMs', 'commandMs', 'dataMs', 'attemptMs'] as const) {
    merged[name] = whole(`timeouts.${name}`, given[name] ?? merged[name], 1, 3_600_000);
  }
  return merged;
}

/** Checks and completes. Throws `TypeError` naming the option. */
export function checkSmtpOptions(options: SmtpMailerOptions): SmtpMailerSettings {
  checkOptions('createSmtpMailer', options, optionShape);
  const { id = 'smtp', host, tls = 'starttls', helloName, credentials } = options;
  if (typeof id !== 'string' || !/^[a-z0-9][a-z0-9._-]{0,63}$/.test(id))
    refuse('id', 'lower-case letters, digits, dots, dashes');
  if (typeof host !== 'string' || !(isIP(host) || HOST_NAME.test(host))) refuse('host', 'a host name or an IP address');
  if (!['implicit', 'starttls', 'none'].includes(tls)) refuse('tls', "'implicit', 'starttls' or 'none'");
  if (tls === 'none' && options.allowPlaintext !== true && !isLoopback(host)) {
    refuse('tls', "'implicit' or 'starttls' for another machine: plain text needs allowPlaintext: true");
  }
  if (typeof helloName !== 'string' || !(HOST_NAME.test(helloName) || /^\[[0-9a-fA-F:.]+\]$/.test(helloName))) {
    refuse('helloName', 'a host name or a bracketed address literal');
  }
  return {
    id,
    endpoint: {
      host,
      port: whole('port', options.port ?? (tls === 'implicit' ? 465 : 587), 1, 65_535),
      tls,
      ca: options.ca,
      helloName,
      timeouts: checkTimeouts(options.timeouts ?? {}),
    },
    credentials,
    lookup: options.lookup,
    maxConnections: whole('maxConnections', options.maxConnections ?? 10, 1, 1_000),
    idleConnections: whole('idleConnections', options.idleConnections ?? 2, 0, 100),
    idleMs: whole('idleMs', options.idleMs ?? 15_000, 1, 600_000),
  };
}
