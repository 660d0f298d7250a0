import { createHash } from 'node:crypto';
import type { FrozenMail } from '@criticizer/core/ports';
import { slugServer } from './header-text.js';
import type { ReviewMailInput } from './review-mail-input.js';

/**
 * The first six bytes of `Thread-Index`: the high bytes of a FILETIME, here 2020-01-01. Outlook
 * groups by the 16 bytes after it; the time has to be the same for all versions.
 */
const THREAD_TIME = Buffer.from('01d5c0366905', 'hex');

/**
 * One thread for all versions of a change. `References` and an equal subject are what Gmail and most
 * readers group by; Outlook and Exchange group by `Thread-Index` and `Thread-Topic`. The root is
 * never sent itself, so no version need come first.
 */
export function threadHeaders(
  { change, reviewVersion }: { change: Pick<ReviewMailInput['change'], 'serverId' | 'number'>; reviewVersion: number },
  { host, subject }: { host: string; subject: string },
): FrozenMail['headers'] {
  const root = `<p4.${slugServer(change.serverId)}.${change.number}@${host.toLowerCase()}>`;
  const id = createHash('sha256').update(`${change.serverId}\0${change.number}`).digest().subarray(0, 16);
  // A reply's block: 31 bits of time since the root, here the version, and a byte of noise.
  const reply = Buffer.alloc(5);
  reply.writeUInt32BE(reviewVersion & 0x7fff_ffff);
  return [
    { name: 'In-Reply-To', value: root },
    { name: 'References', value: root },
    { name: 'Thread-Topic', value: subject },
    { name: 'Thread-Index', value: Buffer.concat([THREAD_TIME, id, reply]).toString('base64') },
  ];
}
