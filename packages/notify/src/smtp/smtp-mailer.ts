import { type FrozenMail, type Mailer, revealSecret, type SendContext, type SendOutcome } from '@criticizer/core/ports';
import { composeMessage } from './compose-message.js';
import { createDeadline } from './deadline.js';
import type { SmtpEndpoint } from './native-connection.js';
import { createSessionPool } from './session-pool.js';
import { checkSmtpOptions, type SmtpCredentials, type SmtpMailerOptions } from './smtp-options.js';
import { outcomeOfFault } from './smtp-outcome.js';
import { dialogueTimeout, openLimitMs, openSmtpSession, type SmtpSession, SmtpSessionError } from './smtp-session.js';

const isAuthFault = (error: unknown): boolean =>
  error instanceof SmtpSessionError && error.fault.code === 'EAUTH' && (error.fault.responseCode ?? 500) >= 500;

async function loginOnce(
  endpoint: SmtpEndpoint,
  user: string,
  password: string,
  signal: AbortSignal,
): Promise<SmtpSession> {
  const session = await openSmtpSession(endpoint, signal);
  try {
    await session.login(user, password, signal);
    return session;
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/** Current credentials first; during a rotation the server may still know only the ones before (SEC-5). */
async function openAuthenticated(
  endpoint: SmtpEndpoint,
  credentials: SmtpCredentials | undefined,
  signal: AbortSignal,
): Promise<SmtpSession> {
  if (credentials === undefined) return openSmtpSession(endpoint, signal);
  const { secrets, userSecret, passwordSecret } = credentials;
  const [user, password] = await Promise.all([
    secrets.read(userSecret, { signal }),
    secrets.read(passwordSecret, { signal }),
  ]);
  try {
    return await loginOnce(endpoint, revealSecret(user.current.secret), revealSecret(password.current.secret), signal);
  } catch (error) {
    if (!isAuthFault(error) || (user.previous === undefined && password.previous === undefined)) throw error;
    const before = [user.previous ?? user.current, password.previous ?? password.current] as const;
    return loginOnce(endpoint, revealSecret(before[0].secret), revealSecret(before[1].secret), signal);
  }
}

/** A server that wants fewer connections says so before any mail: mostly 421 at its greeting. */
const isTooManyConnections = (error: unknown): boolean =>
  error instanceof SmtpSessionError &&
  !error.dataReached &&
  (error.fault.responseCode === 421 || error.fault.about === 'rate');

/** A kept connection that died meanwhile costs nothing before the data phase: the mail goes over another. */
const hasDied = (error: unknown, session: SmtpSession): boolean =>
  error instanceof SmtpSessionError &&
  !session.isUsable() &&
  !error.dataReached &&
  (error.fault.responseCode ?? 421) === 421;

// long: the verbs of the port, each short, over one pool
/**
 * A mailer over one SMTP server, on nodemailer. SMTP has no idempotency: delivery is at least once,
 * every attempt carries the same bytes under the same Message-ID and `X-Criticizer-Key`, and a lost
 * answer is reported as `ambiguous`. "Once in effect" holds only with `lookup`. The data phase is
 * announced when the server has said 354, before a byte of the message leaves. An attempt has a
 * time limit of its own (`timeouts.attemptMs`); a mail that waits for a connection has not begun
 * its attempt. Throws `TypeError` for wrong options; `send` throws `SMTP_AUTH` (parks) for refused
 * credentials and what the secret source throws.
 */
export function createSmtpMailer(options: SmtpMailerOptions): Mailer {
  const { id, endpoint, credentials, lookup, ...limits } = checkSmtpOptions(options);
  const host = `${endpoint.host}:${endpoint.port}`;
  const pool = createSessionPool({ ...limits, open, isTooMany: isTooManyConnections });

  async function open(signal: AbortSignal): Promise<SmtpSession> {
    const deadline = createDeadline(signal, openLimitMs(endpoint.timeouts), dialogueTimeout());
    try {
      return await openAuthenticated(endpoint, credentials, deadline.signal);
    } finally {
      deadline.end();
    }
  }

  async function transmit(
    session: SmtpSession,
    mail: FrozenMail,
    message: Buffer,
    context: SendContext,
  ): Promise<SendOutcome> {
    const envelope = { from: mail.envelopeFrom, to: mail.to.address };
    const { serverMessageId } = await session.transmit(
      envelope,
      message,
      () => context.onPhase('data', { host, bytes: message }),
      context.signal,
    );
    return { kind: 'accepted', id: serverMessageId ?? mail.messageId };
  }

  async function attempt(mail: FrozenMail, message: Buffer, context: SendContext): Promise<SendOutcome> {
    for (let isAnnounced = false; ; ) {
      const { session, isReused } = await pool.acquire(context.signal);
      try {
        if (!isAnnounced) await context.onPhase('envelope');
        isAnnounced = true;
        return await transmit(session, mail, message, context);
      } catch (error) {
        if (!isReused || !hasDied(error, session)) throw error;
      } finally {
        pool.release(session);
      }
    }
  }

  return {
    contract: 1,
    id,
    host,
    capabilities: {
      idempotency: 'none',
      lookup: lookup === undefined ? 'none' : 'key',
      settleMs: lookup?.settleMs ?? 0,
      retentionMs: lookup?.retentionMs ?? 0,
    },
    async send(mail, context) {
      context.signal.throwIfAborted();
      const message = await composeMessage(mail, context.key);
      try {
        return await attempt(mail, message, context);
      } catch (error) {
        if (error instanceof SmtpSessionError) return outcomeOfFault(error.fault, error.dataReached);
        throw error;
      }
    },
    ...(lookup === undefined ? {} : { lookup: (query) => lookup.find(query) }),
    async close() {
      pool.close();
    },
  };
}
