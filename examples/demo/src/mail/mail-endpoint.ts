// The mail server of a run: the journaling one on this machine, or the one that SMTP_URL names.
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  createChangeRecipients,
  createStaticRecipients,
  isCriticizerError,
  type RecipientResolver,
  Secret,
  type SecretSource,
} from '@criticizer/core';
import { type Mailer, parseRecipient } from '@criticizer/core/ports';
import { createMaildirLookup, createSmtpMailer } from '@criticizer/notify/smtp';
import { isLoopbackHost } from '../settings/loopback.js';
import { secretIn } from '../settings/secret-file.js';
import { requirePartners, resolvePath } from '../settings/settings-environment.js';
import { UsageError } from '../settings/usage-error.js';
import { createOnce } from '../state/create-once.js';
import { holdsQueue } from '../state/demo-folder.js';

/** How mails leave. Survives JSON; the password stays in its file. */
export interface MailEndpoint {
  host: string;
  port: number;
  tls: 'implicit' | 'starttls' | 'none';
  login?: { user: string; passwordFile: string } | undefined;
  /** The sender's address. */
  from: string;
  /** Every mail goes to this address alone; absent: to the people of the change. */
  to?: string | undefined;
  /** Name of this machine in EHLO. */
  helloName: string;
  /** The server's journal lies in the state folder, so that a lost answer is looked up there. */
  hasJournal: boolean;
}

/** The server on this machine that delivers into the state folder. */
export function standInMail(port: number): MailEndpoint {
  const name = 'reviews.example.test';
  return { host: '127.0.0.1', port, tls: 'none', from: 'reviews@example.test', helloName: name, hasJournal: true };
}

function readAddress(name: string, text: string): string {
  try {
    return parseRecipient(text).address;
  } catch (error) {
    if (isCriticizerError(error))
      throw new UsageError(`${name} takes one address, such as ann@example.com. ${error.message}`);
    throw error;
  }
}

/** An EHLO name that servers accept: this machine's name where it is a full one, else its address literal. */
function readHelloName(): string {
  return /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i.test(hostname())
    ? hostname()
    : '[127.0.0.1]';
}

function readServer(address: string): { url: URL; host: string; tls: MailEndpoint['tls'] } {
  const url = /^smtps?:\/\//.test(address) && URL.canParse(address) ? new URL(address) : null;
  const hasMore = url !== null && (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '');
  if (url === null || url.hostname === '' || hasMore)
    throw new UsageError(
      'SMTP_URL takes an address such as smtp://user@mail.example.com:587 or smtps://user@mail.example.com.',
    );
  if (url.password !== '')
    throw new UsageError(
      'SMTP_URL holds a password: put it into a file of yours alone (0600) that SMTP_PASSWORD_FILE names.',
    );
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { url, host, tls: url.protocol === 'smtps:' ? 'implicit' : isLoopbackHost(host) ? 'none' : 'starttls' };
}

/** Null where none of its settings is set. Throws `UsageError` that names the setting which is missing or wrong. */
export function readMailEndpoint(env: NodeJS.ProcessEnv): MailEndpoint | null {
  const known = ['SMTP_URL', 'MAIL_TO', 'MAIL_FROM', 'SMTP_PASSWORD_FILE'];
  const given = requirePartners(env, 'SMTP_', known, ['SMTP_URL', 'MAIL_TO']);
  if (given === null) return null;
  const { SMTP_URL: address = '', SMTP_PASSWORD_FILE: passwordFile } = given;
  const { url, host, tls } = readServer(address);
  const user = decodeURIComponent(url.username);
  if (user !== '' && passwordFile === undefined)
    throw new UsageError(
      'SMTP_URL names a user, and SMTP_PASSWORD_FILE is not set: set it to a file of yours alone (0600).',
    );
  if (user === '' && passwordFile !== undefined)
    throw new UsageError('SMTP_PASSWORD_FILE is set, and SMTP_URL names no user: write it as smtp://user@host:port.');
  const to = readAddress('MAIL_TO', given['MAIL_TO'] ?? '');
  return {
    host,
    port: url.port === '' ? (tls === 'implicit' ? 465 : 587) : Number(url.port),
    tls,
    login: passwordFile === undefined ? undefined : { user, passwordFile: resolvePath(passwordFile, env) },
    from: readAddress('MAIL_FROM', given['MAIL_FROM'] ?? to),
    to,
    helloName: readHelloName(),
    hasJournal: false,
  };
}

/** The server and address that a folder's mails go to; null where they stay in the folder. */
export function mailTargetOf(directory: string): string | null {
  const file = join(directory, 'mail-target');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/**
 * A folder's mails stay with the server and the address that they were made for: one that waits
 * would go to other people through another. Throws `UsageError`.
 */
export function requireSameMailTarget(directory: string, mail: MailEndpoint | null): void {
  const wanted = mail === null ? null : `${mail.to} through ${mail.host}:${mail.port}`;
  const isUsed = holdsQueue(directory);
  const known = mailTargetOf(directory);
  if (known === null && wanted !== null && isUsed)
    throw new UsageError(
      `The mails of ${directory} stay in that folder: unset SMTP_URL and MAIL_TO, or choose another with --state DIR.`,
    );
  if (known !== null && known !== wanted)
    throw new UsageError(
      `The mails of ${directory} go to ${known}: set SMTP_URL and MAIL_TO so, or choose another folder with --state DIR.`,
    );
  if (known === null && wanted !== null) createOnce(join(directory, 'mail-target'), wanted);
}

function credentialsOf({ user, passwordFile }: NonNullable<MailEndpoint['login']>) {
  const password = secretIn(passwordFile);
  const userVersion = { current: { secret: new Secret(user), version: 'user' } };
  const secrets: SecretSource = {
    contract: 1,
    read: async (name, options) => (name === 'SMTP_USER' ? userVersion : password.source.read(password.name, options)),
  };
  return { secrets, userSecret: 'SMTP_USER', passwordSecret: 'SMTP_PASSWORD' };
}

/** The mailer for it, and who gets the mails: one address, or the change's author and its reviewers. */
export function createMailParts(
  directory: string,
  mail: MailEndpoint,
): { mailer: Mailer; recipients: RecipientResolver } {
  const { host, port, tls, helloName } = mail;
  const mailer = createSmtpMailer({
    host,
    port,
    tls,
    helloName,
    credentials: mail.login === undefined ? undefined : credentialsOf(mail.login),
    lookup: mail.hasJournal ? createMaildirLookup({ directory: join(directory, 'mail'), settleMs: 1_000 }) : undefined,
  });
  const recipients =
    mail.to === undefined
      ? createChangeRecipients({ reviewers: 'optional' })
      : createStaticRecipients([{ address: mail.to, required: true }]);
  return { mailer, recipients };
}
