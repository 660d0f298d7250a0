import { createHash } from 'node:crypto';
import type { DescribedFile } from './describe.js';

/**
 * SHA-256, hex, over revisions, digests and actions of all files, in the order of their paths: an unchanged re-shelve has the same,
 * one with new content another (INT-2). Where the server gives no digest, `fallback` tells the content: a hash of the fetched bytes, or null.
 */
export function contentDigest(files: readonly DescribedFile[], fallback: (file: DescribedFile) => string | null): string {
  const rows = files
    .map((file) => [
      file.path,
      file.action,
      file.fileType,
      file.revision,
      file.digest ?? fallback(file) ?? (file.bytes === null ? null : `size:${file.bytes}`),
      file.from === null ? null : [file.from.path, file.from.revision],
    ])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}
