import { type FrozenMail, type Mailer, revealSecret, type SendContext, type SendOutcome } from '@criticizer/core';
import { composeMessage } from './compose-message.js';
import { createIdleSessions } from './idle-sessions.js';
import { checkSmtpOptions, type SmtpCredentials, type SmtpMailerOptions } from './smtp-options.js';
import { outcomeOfFault } from './smtp-outcome.js';
import { openSmtpSession, type SmtpEndpoint, type SmtpSession, SmtpSessionError } from './smtp-session.js';

const isAuthFault = (error: unknown): boolean =>
  error instanceof SmtpSessionError && error.fault.code === 'EAUTH' && (error.fault.responseCode ?? 500) >= 500;

async function loginOnce(endpoint: SmtpEndpoint, user: string, password: string, signal: AbortSignal): Promise<SmtpSession> {
  const session = await openSmtpSession(endpoint, signal);
  try {
    await session.login(user, password);
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
  const [user, password] = await Promise.all([secrets.read(userSecret, { signal }), secrets.read(passwordSecret, { signal })]);
  try {
    return await loginOnce(endpoint, revealSecret(user.current.secret), revealSecret(password.current.secret), signal);
  } catch (error) {
    if (!isAuthFault(error) || (user.previous === undefined && password.previous === undefined)) throw error;
    const before = [user.previous ?? user.current, password.previous ?? password.current] as const;
    return loginOnce(endpoint, revealSecret(before[0].secret), revealSecret(before[1].secret), signal);
  }
}

/**
 * A mailer over one SMTP server, on nodemailer. SMTP has no idempotency: delivery is at least once, every attempt carries the same bytes
 * under the same Message-ID and `X-Criticizer-Key`, and a lost answer is reported as `ambiguous`. "Once in effect" holds only with `lookup`.
 * The data phase is announced when the server has said 354, before a byte of the message leaves.
 * Throws `TypeError` for wrong options; `send` throws `SMTP_AUTH` (parks) for refused credentials and what the secret source throws.
 */
export function createSmtpMailer(options: SmtpMailerOptions): Mailer {
  const { id, endpoint, credentials, lookup, idleConnections, idleMs } = checkSmtpOptions(options);
  const idle = createIdleSessions({ max: idleConnections, idleMs });

  async function transmit(session: SmtpSession, mail: FrozenMail, message: Buffer, context: SendContext): Promise<SendOutcome> {
    const envelope = { from: mail.envelopeFrom, to: mail.to.address };
    try {
      const { serverMessageId } = await session.transmit(envelope, message, () => context.onPhase('data'), context.signal);
      return { kind: 'accepted', id: serverMessageId ?? mail.messageId };
    } finally {
      idle.release(session); // ends one that a fault left unusable
    }
  }

  /** A kept connection may have died meanwhile. Before the data phase that costs nothing: the mail goes over a new one. */
  async function overKept(mail: FrozenMail, message: Buffer, context: SendContext): Promise<SendOutcome | undefined> {
    const kept = idle.take();
    if (kept === undefined) return undefined;
    await context.onPhase('envelope');
    try {
      return await transmit(kept, mail, message, context);
    } catch (error) {
      const hasDied = error instanceof SmtpSessionError && !error.dataReached && (error.fault.responseCode ?? 421) === 421;
      if (!hasDied || kept.usable()) throw error;
      return transmit(await openAuthenticated(endpoint, credentials, context.signal), mail, message, context);
    }
  }

  async function overNew(mail: FrozenMail, message: Buffer, context: SendContext): Promise<SendOutcome> {
    const session = await openAuthenticated(endpoint, credentials, context.signal);
    try {
      await context.onPhase('envelope');
    } catch (error) {
      session.quit();
      throw error;
    }
    return transmit(session, mail, message, context);
  }

  return {
    id,
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
        return (await overKept(mail, message, context)) ?? (await overNew(mail, message, context));
      } catch (error) {
        if (error instanceof SmtpSessionError) return outcomeOfFault(error.fault, error.dataReached);
        throw error;
      }
    },
    ...(lookup === undefined ? {} : { lookup: (query) => lookup.find(query) }),
    async close() {
      idle.close();
    },
  };
}
