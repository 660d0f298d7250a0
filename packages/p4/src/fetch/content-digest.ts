import { createHmac } from 'node:crypto';
import type { DescribedChange, DescribedFile } from '../client/describe.js';

const withoutBase: ReadonlySet<string> = new Set(['add', 'branch', 'import', 'move/add']);

/** A submitted file names its new revision, a shelved one the revision it starts from. */
function baseRevision(file: DescribedFile, status: DescribedChange['status']): number | null {
  if (withoutBase.has(file.action) || file.revision === null) return null;
  return status === 'submitted' ? file.revision - 1 : file.revision;
}

/**
 * Of a change. Where the server gives no digest of a file, `fallback` tells the content: a hash of
 * the fetched bytes, or null.
 */
export type ContentDigest = (
  change: Pick<DescribedChange, 'files' | 'status'>,
  fallback: (file: DescribedFile) => string | null,
) => string;

/** So that no other HMAC under the host's key can be one of these. */
const domain = 'criticizer p4 content\n';

/**
 * HMAC-SHA256, hex, over digests, actions, types and the revisions they are based on, in the order
 * of the paths: an unchanged re-shelve has the same, one with new content another, and the change
 * it is submitted as has the shelf's (INT-2). Under the host's key, since rows of the database bear
 * it: a plain digest would let who reads them and knows all of a file but its password try
 * passwords (RED-8).
 */
export function createContentDigest(fingerprintKey: Uint8Array | string): ContentDigest {
  const key = typeof fingerprintKey === 'string' ? fingerprintKey : Uint8Array.from(fingerprintKey);
  return ({ files, status }, fallback) => {
    const rows = files
      .map((file) => [
        file.path,
        file.action,
        file.fileType,
        baseRevision(file, status),
        file.digest ?? fallback(file) ?? (file.bytes === null ? null : `size:${file.bytes}`),
        file.from === null ? null : [file.from.path, file.from.revision],
      ])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    return createHmac('sha256', key).update(domain).update(JSON.stringify(rows)).digest('hex');
  };
}
