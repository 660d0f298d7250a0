import { createHash } from 'node:crypto';

/** The specified identity of one notification: this recipient, this change, this version (NOT-3). */
export interface NotificationIdentity {
  /** `<serverId>/<number>`, or a host's own scope. */
  changelistId: string;
  /** From `parseRecipient`. */
  recipientKey: string;
  /** A positive integer. */
  reviewVersion: number;
}

const VERSION = 'criticizer.outbox.v1';
const UNPAIRED_SURROGATE = /\p{Cs}/u;
const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i;

/** Length before bytes: no two tuples share an encoding, whatever their parts hold. */
function framed(parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part, 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

function nonEmpty(value: string, name: string): string {
  if (typeof value !== 'string' || value.length === 0 || UNPAIRED_SURROGATE.test(value)) {
    throw new TypeError(`outboxKey: ${name}: expected a non-empty, well-formed string`);
  }
  return value;
}

/**
 * 32 lower-case hex characters, the same in every process and release of this major version
 * (NOT-5). Message-ID, provider token and look-up key all derive from it. Throws `TypeError` on an
 * empty part or a version that is no positive integer.
 */
export function outboxKey(identity: NotificationIdentity): string {
  if (!Number.isSafeInteger(identity.reviewVersion) || identity.reviewVersion < 1) {
    throw new TypeError('outboxKey: reviewVersion: expected a positive integer');
  }
  const parts = [
    VERSION,
    nonEmpty(identity.changelistId, 'changelistId'),
    nonEmpty(identity.recipientKey, 'recipientKey'),
    String(identity.reviewVersion),
  ];
  return createHash('sha256').update(framed(parts)).digest('hex').slice(0, 32);
}

/**
 * `<key@host>`. `host` is a domain of the sender's, ASCII; throws `TypeError` on any other. Short
 * enough that no composer folds it.
 */
export function messageIdFor(key: string, host: string): string {
  if (!/^[0-9a-f]{32}$/.test(key)) throw new TypeError('messageIdFor: key: expected 32 lower-case hex characters');
  if (!HOST.test(host)) throw new TypeError('messageIdFor: host: expected an ASCII host name');
  return `<${key}@${host.toLowerCase()}>`;
}
