import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  checkBoolean,
  checkFunction,
  checkName,
  checkOptions,
  type OptionShape,
  optional,
} from '@criticizer/core/internal';

/** A message as the receiver got it. */
export interface ReceivedWebhook {
  /** `webhook-id`. */
  id: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** True where the signature is of the receiver's secret, and the timestamp within 5 minutes of its clock. */
  isSigned: boolean;
}

/**
 * How a message is met: with a status and headers; `lose`: it is taken and the connection breaks before the
 * answer; `hang`: it is taken and never answered.
 */
export type WebhookAnswer = { status: number; headers?: Readonly<Record<string, string>> } | 'lose' | 'hang';

/** An endpoint that verifies Standard Webhooks, on loopback. */
export interface WebhookReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/reviews`. */
  url: string;
  /** Of `allowPrivateOrigins`. */
  origin: string;
  /** The secret that it verifies with: `whsec_` and Base64. */
  secret: string;
  /** Every message that arrived whole, oldest first, repeats too. */
  received(): readonly ReceivedWebhook[];
  /** How often each id was taken. */
  copies(): ReadonlyMap<string, number>;
  /** Messages from now on are met so. */
  answerWith(answer: WebhookAnswer): void;
  close(): Promise<void>;
}

/** What a receiver is started with. */
export interface WebhookReceiverOptions {
  /** Default: a new one. */
  secret?: string | undefined;
  /** Keeps ids and takes each once: a repeat is answered and not counted by `copies`. Default true. */
  keepsIds?: boolean | undefined;
  /** Called when a signed message is taken, before it is answered. */
  onTaken?: ((id: string) => void) | undefined;
}

const optionShape: OptionShape<WebhookReceiverOptions> = {
  secret: optional(checkName),
  keepsIds: optional(checkBoolean),
  onTaken: optional(checkFunction),
};

const TOLERANCE_S = 300;
const MAX_BODY_BYTES = 1_000_000;

function isSignedBy(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const timestamp = Number(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1_000 - timestamp) <= TOLERANCE_S)) return false;
  const mac = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
  mac.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`).update(body);
  const expected = Buffer.from(`v1,${mac.digest('base64')}`);
  const given = String(headers['webhook-signature']).split(' ');
  return given.some((one) => one.length === expected.length && timingSafeEqual(Buffer.from(one), expected));
}

function meet(response: ServerResponse, answer: WebhookAnswer): void {
  if (answer === 'hang') return;
  if (answer === 'lose') response.destroy();
  else response.writeHead(answer.status, answer.headers).end();
}

/**
 * Starts an endpoint that takes signed messages as a careful host does: it verifies each, keeps ids, and
 * answers 204; a wrong signature gets 401. For tests. Rejects where no port is free, and with
 * `TypeError` for wrong options.
 */
export async function startWebhookReceiver(options: WebhookReceiverOptions = {}): Promise<WebhookReceiver> {
  checkOptions('startWebhookReceiver', options, optionShape);
  const { secret = `whsec_${randomBytes(32).toString('base64')}`, keepsIds = true, onTaken } = options;
  const received: ReceivedWebhook[] = [];
  const copies = new Map<string, number>();
  let answer: WebhookAnswer = { status: 204 };

  function take(headers: IncomingHttpHeaders, body: Buffer): boolean {
    const id = String(headers['webhook-id']);
    const isSigned = isSignedBy(secret, headers, body);
    received.push({ id, headers, body, isSigned });
    const refuses = typeof answer === 'object' && answer.status >= 300;
    if (isSigned && !refuses) {
      if (!(keepsIds && copies.has(id))) copies.set(id, (copies.get(id) ?? 0) + 1);
      onTaken?.(id);
    }
    return isSigned;
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on('error', () => response.destroy());
    request.on('data', (part: Buffer) => {
      size += part.byteLength;
      if (size > MAX_BODY_BYTES) request.destroy();
      else parts.push(part);
    });
    request.on('end', () => {
      meet(response, take(request.headers, Buffer.concat(parts)) ? answer : { status: 401 });
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    url: `${origin}/reviews`,
    ...{ origin, secret, close },
    received: () => [...received],
    copies: () => new Map(copies),
    answerWith(next) {
      answer = next;
    },
    [Symbol.asyncDispose]: close,
  };
}
