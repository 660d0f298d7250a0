// A chat endpoint and a mail server on loopback that keep the digest of every body they take whole.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** Which server a body came to. */
export type SoakServer = 'llm' | 'mail';

export interface SoakServers {
  modelOrigin: string;
  smtpPort: number;
  /** SHA-256, hex, of each body, in order; a repeat stands there twice. */
  digests: Record<SoakServer, string[]>;
  /** Bodies whose connection ended before them: a killed worker sends no more of them. */
  cut: Record<SoakServer, number>;
  /** Called when a body is there, before it is answered. */
  onBody: (server: SoakServer) => void;
  close(): Promise<void>;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const versionIn = (text: string, name: string): string | undefined =>
  new RegExp(`\\\\"${name}\\\\": \\\\"([0-9.]+)`).exec(text)?.[1];

/** A review without findings, of the versions that the request names. */
function completion(request: string): string {
  const versions = {
    schema_version: versionIn(request, 'schema_version'),
    prompt_version: versionIn(request, 'prompt_version'),
  };
  const content = JSON.stringify({ ...versions, summary: null, findings: [], meta: null });
  return JSON.stringify({
    ...{ id: '1', object: 'chat.completion', created: 0, model: 'soak' },
    choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
}

type Kept = Pick<SoakServers, 'digests' | 'cut' | 'onBody'>;

async function startModel(kept: Kept) {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      kept.cut.llm += 1;
      return;
    }
    const body = Buffer.concat(parts);
    kept.digests.llm.push(sha256(body));
    kept.onBody('llm');
    response.writeHead(200, { 'content-type': 'application/json' }).end(completion(body.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Every mail of ours ends with the boundary of its last part. */
const isWhole = (mail: Buffer): boolean => mail.subarray(-16).toString('latin1').trimEnd().endsWith('--');

async function startMail(kept: Kept) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData(stream, _session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const mail = Buffer.concat(parts);
        if (isWhole(mail)) {
          kept.digests.mail.push(sha256(mail));
          kept.onBody('mail');
        } else kept.cut.mail += 1;
        done();
      });
    },
  });
  // A killed worker resets its connections.
  server.on('error', () => undefined);
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port));
  });
  return { port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** Starts both. */
export async function startSoakServers(): Promise<SoakServers> {
  const kept: Kept = { digests: { llm: [], mail: [] }, cut: { llm: 0, mail: 0 }, onBody: () => undefined };
  const [model, mail] = [await startModel(kept), await startMail(kept)];
  return Object.assign(kept, {
    modelOrigin: model.origin,
    smtpPort: mail.port,
    async close() {
      model.close();
      await mail.close();
    },
  });
}
