import { createHash } from 'node:crypto';
import type { DescribedChange, DescribedFile } from './describe.js';

const withoutBase: ReadonlySet<string> = new Set(['add', 'branch', 'import', 'move/add']);

/** A submitted file names its new revision, a shelved one the revision it starts from. */
function baseRevision(file: DescribedFile, status: DescribedChange['status']): number | null {
  if (withoutBase.has(file.action) || file.revision === null) return null;
  return status === 'submitted' ? file.revision - 1 : file.revision;
}

/**
 * SHA-256, hex, over digests, actions, types and the revisions they are based on, in the order of the paths: an unchanged re-shelve has the same, one
 * with new content another, and the change it is submitted as has the shelf's (INT-2). Where the server gives no digest, `fallback` tells the
 * content: a hash of the fetched bytes, or null.
 */
export function contentDigest(
  { files, status }: Pick<DescribedChange, 'files' | 'status'>,
  fallback: (file: DescribedFile) => string | null,
): string {
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
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}
