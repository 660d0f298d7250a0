import { CriticizerError, revealSecret } from '@criticizer/core/ports';
import { ImapFlow } from 'imapflow';
import type { ImapLookupSettings } from './imap-options.js';

/** A connection that is logged in, and its mailbox selected for reading. */
export interface OpenMailbox {
  client: ImapFlow;
  /** Rejects with `MAIL_LOOKUP_FAILED` where the call takes too long or fails; the connection is gone then. */
  call<T>(step: string, work: Promise<T>, signal: AbortSignal): Promise<T>;
}

/** One connection, opened when it is needed, for one user at a time. */
export interface ImapConnection {
  /**
   * `isNew`: the connection was opened for this use. Rejects as `OpenMailbox.call` does, and with the
   * signal's reason.
   */
  use<T>(signal: AbortSignal, work: (mailbox: OpenMailbox, isNew: boolean) => Promise<T>): Promise<T>;
  /** Idempotent; nothing is opened afterwards. */
  close(): Promise<void>;
}

function cannotAsk(step: string, why: string, category: 'auth' | 'upstream' = 'upstream'): CriticizerError {
  const message = `The mailbox of sent mails cannot be asked: ${step}: ${why}.`;
  return new CriticizerError('MAIL_LOOKUP_FAILED', message, { category, details: { step, why } });
}

/** Codes of the client and of Node, never a server's words: they may name people. */
function failureOf(step: string, error: unknown): CriticizerError {
  if (error instanceof CriticizerError) return error;
  const { code, authenticationFailed } = (error ?? {}) as { code?: unknown; authenticationFailed?: unknown };
  const isAuth = authenticationFailed === true;
  const why = isAuth ? 'login refused' : typeof code === 'string' && /^[A-Za-z_]{1,40}$/.test(code) ? code : 'failed';
  return cannotAsk(step, why, isAuth ? 'auth' : 'upstream');
}

const timedOut = (step: string): CriticizerError =>
  new CriticizerError('MAIL_LOOKUP_FAILED', `The mailbox of sent mails did not answer in time: ${step}.`, {
    category: 'upstream',
    details: { step, why: 'timeout' },
  });

/** The call's result, or a rejection with the signal's reason or after `ms`, though the call goes on. */
async function limited<T>(step: string, work: Promise<T>, signal: AbortSignal, ms: number): Promise<T> {
  work.catch(() => undefined);
  let stop: () => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(timedOut(step)), ms);
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, ended]);
  } finally {
    stop();
  }
}

function createClient(settings: ImapLookupSettings, user: string, pass: string): ImapFlow {
  const { host, port, tls, ca, callTimeoutMs } = settings;
  const client = new ImapFlow({
    ...{ host, port, auth: { user, pass } },
    secure: tls === 'implicit',
    ...(tls === 'implicit' ? {} : { doSTARTTLS: tls === 'starttls' }),
    tls: { minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: callTimeoutMs,
    greetingTimeout: callTimeoutMs,
    socketTimeout: Math.max(callTimeoutMs, settings.idleMs) + 1_000,
    // A header block is small; a server that sends more is not asked any further.
    ...{ maxLineLength: 4_000_000, maxLiteralSize: 1_000_000, maxResponseSize: 8_000_000 },
  });
  client.on('error', () => undefined); // every call that is under way rejects; the next one opens anew
  return client;
}

// long: one connection from its opening to its end, each step short
/** The connection of one look-up. Reads the credentials before each login; after a rotation the previous ones too. */
export function createImapConnection(settings: ImapLookupSettings): ImapConnection {
  let open: ImapFlow | null = null;
  let idle: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function drop(): void {
    clearTimeout(idle);
    open?.close();
    open = null;
  }

  async function login(signal: AbortSignal, which: 'current' | 'previous'): Promise<ImapFlow | null> {
    const { secrets, userSecret, passwordSecret } = settings.credentials;
    const [user, password] = await Promise.all([
      secrets.read(userSecret, { signal }),
      secrets.read(passwordSecret, { signal }),
    ]);
    if (which === 'previous' && user.previous === undefined && password.previous === undefined) return null;
    const [name, word] =
      which === 'current'
        ? [user.current, password.current]
        : [user.previous ?? user.current, password.previous ?? password.current];
    const client = createClient(settings, revealSecret(name.secret), revealSecret(word.secret));
    try {
      await limited('login', client.connect(), signal, settings.callTimeoutMs);
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  async function connect(signal: AbortSignal): Promise<ImapFlow> {
    const isRefused = (error: unknown): boolean =>
      (error as { authenticationFailed?: unknown } | null)?.authenticationFailed === true;
    try {
      return (await login(signal, 'current')) as ImapFlow;
    } catch (error) {
      const again = isRefused(error) ? await login(signal, 'previous') : null;
      if (again === null) throw error;
      return again;
    }
  }

  async function call<T>(step: string, work: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      const answer = await limited(step, work, signal, settings.callTimeoutMs);
      // The client answers with nothing, and does not reject, where the connection ended.
      if (open?.usable !== true) throw cannotAsk(step, 'the connection was lost');
      return answer;
    } catch (error) {
      drop(); // what is still to come of this call must not be taken for the next one's answer
      signal.throwIfAborted();
      throw failureOf(step, error);
    }
  }

  /** The kept connection, told what came since; null where there is none or it died meanwhile, which costs nothing. */
  async function refresh(signal: AbortSignal): Promise<ImapFlow | null> {
    if (open === null) return null;
    await limited('noop', open.noop(), signal, settings.callTimeoutMs).catch(() => drop());
    signal.throwIfAborted();
    if (open?.usable !== true) drop();
    return open;
  }

  async function run<T>(signal: AbortSignal, work: (mailbox: OpenMailbox, isNew: boolean) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (isClosed) throw cannotAsk('login', 'it was closed');
    clearTimeout(idle);
    const kept = await refresh(signal);
    const client =
      kept ??
      (await connect(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw failureOf('login', error);
      }));
    open = client;
    const isNew = kept === null;
    if (isNew) await call('select', client.mailboxOpen(settings.mailbox, { readOnly: true }), signal);
    const answer = await work({ client, call }, isNew);
    idle = setTimeout(drop, settings.idleMs);
    idle.unref();
    return answer;
  }

  return {
    use(signal, work) {
      const mine = turn.then(() => run(signal, work));
      turn = mine.catch(() => undefined);
      return mine;
    },
    async close() {
      isClosed = true;
      drop();
    },
  };
}
