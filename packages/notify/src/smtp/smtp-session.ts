import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { createDeadline, settledWithin } from './deadline.js';
import {
  faultOf,
  type NativeFault,
  nativeConnection,
  type SmtpEndpoint,
  type SmtpTimeouts,
} from './native-connection.js';
import type { SmtpFault } from './smtp-outcome.js';

/** Connecting, greeting and login have no more than their timeouts together. */
export function openLimitMs({ connectMs, greetingMs, commandMs, attemptMs }: SmtpTimeouts): number {
  return Math.min(attemptMs, connectMs + greetingMs + 4 * commandMs);
}

/** MAIL, RCPT and DATA have no more than their timeouts together. */
const envelopeLimitMs = ({ commandMs }: SmtpTimeouts): number => 4 * commandMs;

/** What ends a dialogue that outlasts its limit. */
export const dialogueTimeout = (): SmtpSessionError =>
  new SmtpSessionError({ code: 'ETIMEDOUT', command: 'the session' }, false);

/** A dialogue that failed; `dataReached` says whether a byte of the message may have left. */
export class SmtpSessionError extends Error {
  readonly fault: SmtpFault;
  readonly dataReached: boolean;
  constructor(fault: SmtpFault, dataReached: boolean) {
    super('The SMTP dialogue failed.');
    this.name = 'SmtpSessionError';
    this.fault = fault;
    this.dataReached = dataReached;
  }
}

export interface SmtpSession {
  /** False once the server hung up or a dialogue failed. */
  isUsable(): boolean;
  /** Throws `SmtpSessionError` with `EAUTH`, or for a lost connection; the signal's reason when it aborts. */
  login(user: string, password: string, signal: AbortSignal): Promise<void>;
  /**
   * One envelope, one message. `beforeData` runs when the server has said 354 and not a byte of the
   * message has left; what it rejects with comes out as it is. Otherwise throws `SmtpSessionError`,
   * or the signal's reason when it aborts before data. The session stays usable after `EUTF8`
   * alone, an address for which the server lacks SMTPUTF8.
   */
  transmit(
    envelope: { from: string; to: string },
    message: Buffer,
    beforeData: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<{ serverMessageId: string | undefined }>;
  /** Says QUIT. */
  quit(): void;
  /** Ends the connection at once. */
  destroy(): void;
}

/**
 * Holds the message back until somebody reads it, which the client does only after 354, and then
 * until `beforeData` has resolved.
 */
function gated(message: Buffer, beforeData: () => Promise<void>, onRefused: () => void): Readable {
  let opened = false;
  return new Readable({
    read() {
      if (opened) return;
      opened = true;
      beforeData().then(() => {
        this.push(message);
        this.push(null);
      }, onRefused);
    },
  });
}

const NON_ASCII = /[^\0-\x7f]/;

/**
 * Without SMTPUTF8 (RFC 6531) such an address must not be sent at all: servers refuse it in their
 * own ways, or mangle it.
 */
function checkAddresses({ from, to }: { from: string; to: string }): void {
  const command = NON_ASCII.test(to) ? 'RCPT TO' : NON_ASCII.test(from) ? 'MAIL FROM' : undefined;
  if (command !== undefined) throw new SmtpSessionError({ code: 'EUTF8', command }, false);
}

// long: the life of one session, its steps over one connection
function createSession(connection: SMTPConnection, timeouts: SmtpTimeouts): SmtpSession {
  // The EHLO reply is the last one when the connection reports that it stands.
  const hasUtf8 = /^250[ -]SMTPUTF8\s*$/im.test(connection.lastServerResponse || '');
  let usable = true;
  let isLoggedIn = false;
  let fail: ((fault: SmtpFault) => void) | undefined;
  connection.on('error', (error: NativeFault) => {
    usable = false;
    fail?.(faultOf(error));
  });
  connection.on('end', () => {
    usable = false;
    fail?.({ code: 'ECONNECTION', command: 'CONN' });
  });
  const destroy = (): void => {
    usable = false;
    connection.close();
    if (connection._socket) connection._socket.destroy();
  };
  const socketTimeout = (ms: number): void => {
    if (connection._socket) connection._socket.setTimeout(ms);
  };

  // long: one transaction of SMTP, step by step
  async function transmit(...[envelope, message, beforeData, outer]: Parameters<SmtpSession['transmit']>) {
    outer.throwIfAborted();
    if (!hasUtf8) checkAddresses(envelope);
    const whole = createDeadline(outer, timeouts.attemptMs, dialogueTimeout());
    const early = createDeadline(whole.signal, envelopeLimitMs(timeouts), dialogueTimeout());
    const { signal } = early;
    let dataReached = false;
    let gate: Promise<void> = Promise.resolve();
    let refused: { reason: unknown } | undefined;
    try {
      return await new Promise<{ serverMessageId: string | undefined }>((resolve, reject) => {
        fail = (fault) => reject(new SmtpSessionError(fault, dataReached));
        const onAbort = (): void => {
          reject(dataReached ? new SmtpSessionError({ code: 'EABORT', command: 'DATA' }, true) : signal.reason);
          destroy();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        const open = async (): Promise<void> => {
          gate = beforeData().then(() => {
            signal.throwIfAborted();
            if (!usable) throw new SmtpSessionError({ code: 'ECONNECTION', command: 'CONN' }, false);
            socketTimeout(timeouts.dataMs);
            early.end();
            dataReached = true;
          });
          await gate.catch((reason: unknown) => {
            refused = { reason };
            throw reason;
          });
        };
        const onRefused = (): void => {
          reject(refused?.reason);
          destroy(); // the server waits for data: nothing but hanging up ends that without a message
        };
        connection.send({ ...envelope, size: message.length }, gated(message, open, onRefused), (error, info) => {
          signal.removeEventListener('abort', onAbort);
          if (error) reject(new SmtpSessionError(faultOf(error, isLoggedIn), dataReached));
          else resolve({ serverMessageId: info.serverMessageId });
        });
      });
    } catch (error) {
      destroy();
      // A phase still being recorded should not outlive the attempt, but a store that hangs must
      // not hold it: no byte leaves any more.
      await settledWithin(gate, timeouts.commandMs);
      throw error;
    } finally {
      early.end();
      whole.end();
      fail = undefined;
      if (usable) socketTimeout(timeouts.commandMs);
    }
  }

  return {
    isUsable: () => usable,
    login: (user, password, signal) =>
      new Promise((resolve, reject) => {
        fail = (fault) => reject(new SmtpSessionError(fault, false));
        const onAbort = (): void => {
          reject(signal.reason);
          destroy();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        connection.login({ user, pass: password }, (error) => {
          fail = undefined;
          signal.removeEventListener('abort', onAbort);
          isLoggedIn = !error;
          if (error) reject(new SmtpSessionError(faultOf(error), false));
          else resolve();
        });
      }),
    transmit,
    quit() {
      if (usable) connection.quit();
      usable = false;
    },
    destroy,
  };
}

/** Connects and greets. Throws `SmtpSessionError`, or the signal's reason when it aborts. */
export function openSmtpSession(endpoint: SmtpEndpoint, signal: AbortSignal): Promise<SmtpSession> {
  signal.throwIfAborted();
  const connection = nativeConnection(endpoint);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason);
      connection.on('error', () => undefined);
      connection.close();
      if (connection._socket) connection._socket.destroy();
    };
    const onError = (error: NativeFault): void => {
      signal.removeEventListener('abort', onAbort);
      reject(new SmtpSessionError(faultOf(error), false));
      connection.close();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    connection.once('error', onError);
    connection.connect((error) => {
      if (error) return onError(error);
      signal.removeEventListener('abort', onAbort);
      connection.removeListener('error', onError);
      resolve(createSession(connection, endpoint.timeouts));
    });
  });
}
