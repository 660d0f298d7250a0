// #region receiver
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type ReviewWebhook, reviewWebhookSchema } from '@criticizer/notify/webhook';
import { Webhook } from 'standardwebhooks';

/** What a receiver does with a review. */
export interface ReviewReceiverOptions {
  /** `whsec_` and Base64, as the sender has it. */
  secret: string;
  /** Keeps the review under the id, once: an id that is there already is a repeat and changes nothing. */
  keep(id: string, review: ReviewWebhook): Promise<void>;
}

const maxBytes = 65_536;

/** The body as it came, which is what was signed; null where it is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > maxBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The status that a request is answered with. */
async function receive(request: IncomingMessage, options: ReviewReceiverOptions): Promise<number> {
  const body = await readBody(request);
  if (body === null) return 413;
  let message: unknown;
  try {
    // Checks the signature, and that the timestamp is at most five minutes old.
    message = new Webhook(options.secret).verify(body, request.headers as Record<string, string>);
  } catch {
    return 401;
  }
  const review = reviewWebhookSchema.safeParse(message);
  if (!review.success) return 422; // a version that this receiver does not know
  await options.keep(String(request.headers['webhook-id']), review.data);
  return 204; // only now: before, the sender sends it again
}

/** A receiver of reviews; put TLS in front of it. */
export function createReviewReceiver(options: ReviewReceiverOptions): Server {
  return createServer((request, response) => {
    receive(request, options).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(503).end(), // it could not be kept: the sender comes again under the same id
    );
  });
}
// #endregion
