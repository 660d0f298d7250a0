// Real servers on loopback for the service: a chat endpoint that wants a key, an SMTP server that
// keeps what it is sent, a door to the database that can be shut, and the environment for them.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { makePlace, type Place } from '../src/simulated/simulated-service.js';

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const versionIn = (text: string, name: string): string | undefined =>
  new RegExp(`\\\\"${name}\\\\": \\\\"([0-9.]+)`).exec(text)?.[1];

export interface ChatModel {
  baseUrl: string;
  /** Bodies of the requests that had the key. */
  bodies: string[];
  /** How many had another key. */
  refused: number;
  close(): void;
}

/** Whether a peer accepts a credential now. */
type Accepts = (value: string) => boolean;

/** Finds one thing in every change. */
async function startChatModel(accepts: Accepts): Promise<ChatModel> {
  const server = createHttpServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const isKnown = accepts(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (isKnown) model.bodies.push(body);
    else model.refused += 1;
    const finding = {
      ...{ id: 'f1', severity: 'high', category: 'correctness', title: 'The total is a constant' },
      ...{ file: '//depot/orders/src/total.js', line: 1, end_line: null, message: 'It never changes.' },
      ...{ suggestion: 'Add the lines up.', confidence: 'high', rule_id: null },
    };
    const review = {
      schema_version: versionIn(body, 'schema_version'),
      prompt_version: versionIn(body, 'prompt_version'),
      ...{ summary: 'One thing.', findings: [finding], meta: null },
    };
    const message = { role: 'assistant', content: JSON.stringify(review), refusal: null };
    const answer = {
      ...{ id: '1', object: 'chat.completion', created: 0, model: 'reviewer-1' },
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    };
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? answer : { error: { message: 'wrong key' } }));
  });
  const port = await listen(server);
  const model: ChatModel = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    bodies: [],
    refused: 0,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return model;
}

/** A mail as the server received it. */
export interface ReceivedMail {
  to: string;
  subject: string;
  text: string;
}

/** With `accepts` it wants a login, and ends a session after each mail, so that the next one logs in again. */
async function startMailServer(
  accepts: Accepts | null,
): Promise<{ port: number; mails: ReceivedMail[]; close(): Promise<void> }> {
  const mails: ReceivedMail[] = [];
  const sockets = new Map<number | undefined, Socket>();
  const login = { allowInsecureAuth: true, disabledCommands: ['STARTTLS'] };
  const server = new SMTPServer({
    ...(accepts === null ? { authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'] } : login),
    disableReverseLookup: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      if (accepts?.(password ?? '') === true) done(null, { user: username ?? '' });
      else done(new Error('wrong password'));
    },
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', async () => {
        const { subject = '', text = '' } = await PostalMime.parse(Buffer.concat(parts));
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), subject, text });
        done();
        if (accepts !== null) setImmediate(() => sockets.get(session.remotePort)?.end());
      });
    },
  });
  server.server.on('connection', (socket) => void sockets.set(socket.remotePort, socket));
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port));
  });
  return { port, mails, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** The way to a database, which can be shut and opened. */
export interface DatabaseDoor {
  url: string;
  open(): Promise<void>;
  shut(): Promise<void>;
}

/** Shut at first; its port stays the same. */
export async function makeDatabaseDoor(databaseUrl: string): Promise<DatabaseDoor> {
  const target = new URL(databaseUrl);
  const socketFolder = target.searchParams.get('host');
  const upstream = (): Socket =>
    socketFolder === null
      ? connect(Number(target.port || 5432), target.hostname)
      : connect(`${socketFolder}/.s.PGSQL.${target.searchParams.get('port') ?? 5432}`);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const start = async (port: number): Promise<number> => {
    server = createServer((client) => {
      const far = upstream();
      for (const socket of [client, far]) sockets.add(socket.on('error', () => undefined));
      client.pipe(far).pipe(client);
      client.on('close', () => far.destroy());
      far.on('close', () => client.destroy());
    });
    return listen(server, port);
  };
  const shut = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    const closed = new Promise<void>((resolve) => (closing === undefined ? resolve() : closing.close(() => resolve())));
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await closed;
  };
  const port = await start(0);
  await shut();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  url.search = '';
  return { url: url.href, open: async () => void (await start(port)), shut };
}

export interface RealEndpoints extends AsyncDisposable {
  place: Place;
  model: ChatModel;
  mails: ReceivedMail[];
  /** Writes the API key that the service has; the model wants the one that was written first. */
  writeKey(key?: string): void;
  /** The environment of the service, without `DELIVERY`. */
  env: NodeJS.ProcessEnv;
}

/**
 * Starts everything outside of a service. With `accepts` the model takes the keys, and the mail server the
 * passwords, for which it is true; without it one key, and no login.
 */
export async function startRealEndpoints(
  accepts?: (peer: 'model' | 'mail', value: string) => boolean,
): Promise<RealEndpoints> {
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-service-'));
  const place = makePlace(directory);
  const apiKey = randomBytes(16).toString('hex');
  const keyFile = join(directory, 'secrets', 'LLM_KEY');
  const writeKey = (key = apiKey): void => writeFileSync(keyFile, key, { mode: 0o600 });
  writeKey();
  const [model, mail] = await Promise.all([
    startChatModel((key) => accepts?.('model', key) ?? key === apiKey),
    startMailServer(accepts === undefined ? null : (password) => accepts('mail', password)),
  ]);
  const login = { SMTP_PASSWORD_FILE: join(directory, 'secrets', 'SMTP_PASSWORD') };
  const { port, user, executable, trustFingerprint } = place.p4;
  return {
    place,
    model,
    mails: mail.mails,
    writeKey,
    env: {
      ...{ DATA_DIR: join(directory, 'data'), SECRETS_DIR: join(directory, 'secrets'), HTTP_PORT: '0' },
      ...{ P4PORT: port, P4USER: user, P4_EXECUTABLE: executable, P4_FINGERPRINT: trustFingerprint },
      ...{ P4_TICKET_FILE: join(directory, 'secrets', 'P4_TICKET'), ALLOW: '//depot/orders/...', POLL_SECONDS: '1' },
      ...{ LLM_PROTOCOL: 'openai-chat', LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'reviewer-1', LLM_KEY_FILE: keyFile },
      ...{ SMTP_URL: `smtp://${accepts ? 'reviewbot@' : ''}127.0.0.1:${mail.port}`, ...(accepts ? login : {}) },
      ...{ MAIL_FROM: 'reviews@example.test' },
      ...{ MAIL_DOMAINS: 'example.test', MIN_FREE_MB: '1', P4_FULL_LIST_ACCESS: 'yes', P4_CONTAINMENT: 'accept-none' },
    },
    async [Symbol.asyncDispose]() {
      model.close();
      await mail.close();
      place.dispose();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
