import type { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import type { ChangedFile, FileSkip } from '@criticizer/core';
import { CriticizerError } from '@criticizer/core';
import { decodeText } from './decode-text.js';
import type { RevisionContent } from './file-contents.js';
import { type PlannedFile, skip } from './file-plan.js';
import { buildHunks } from './hunks.js';

export interface FileTextOptions {
  contextLines: number;
  legacyEncoding?: string | undefined;
}

/** A planned file whose sides arrive one after the other; it keeps the bytes of the old side only until the new one is there. */
export interface FileInProgress {
  readonly plan: PlannedFile;
  /** Hex SHA-256 of the fetched new side; null where the server gives a digest of its own, or none was fetched. */
  newSideHash(): string | null;
  receive(operand: string, content: RevisionContent): void;
  result(): ChangedFile;
}

/** Turns the two sides of a file into hunks, or into the reason why there are none. */
export function createFileInProgress(plan: PlannedFile, kind: 'submitted' | 'shelved', options: FileTextOptions): FileInProgress {
  let old: RevisionContent | null = null;
  let newHash: string | null = null;
  let diff: Pick<ChangedFile, 'hunks' | 'addedLines' | 'removedLines' | 'encoding'> = {
    hunks: [],
    addedLines: 0,
    removedLines: 0,
    encoding: null,
  };

  /** Null where there is a difference to show. */
  const compare = (fresh: RevisionContent): FileSkip | null => {
    const sides = old === null ? [fresh] : [fresh, old];
    old = null;
    const contents: Buffer[] = [];
    for (const side of sides) {
      if (side.kind !== 'content') return side.kind === 'missing' ? 'error' : side.kind;
      contents.push(side.bytes);
    }
    const [newBytes, oldBytes] = contents;
    if (newBytes === undefined) return 'error';
    if (plan.file.digest === null) newHash = hash('sha256', newBytes, 'hex');
    checkDigest(plan, newBytes);
    if (oldBytes?.equals(newBytes) === true) return 'unchanged';
    const decode = { utf16: plan.type.content === 'utf16', legacyEncoding: options.legacyEncoding };
    const newText = decodeText(newBytes, decode);
    const oldText = oldBytes === undefined ? null : decodeText(oldBytes, decode);
    if (newText.kind !== 'text') return newText.kind;
    if (oldText !== null && oldText.kind !== 'text') return oldText.kind;
    diff = { ...buildHunks(oldText?.text ?? '', newText.text, { contextLines: options.contextLines }), encoding: newText.encoding };
    return null;
  };

  return {
    plan,
    newSideHash: () => newHash,
    receive(operand, content) {
      if (operand !== plan.newSide) {
        old = content;
        return;
      }
      const reason = compare(content);
      if (reason !== null) skip(plan, reason);
    },
    result: () => ({
      path: plan.file.path,
      oldPath: plan.oldPath,
      action: plan.action,
      fileType: plan.file.fileType,
      revision: kind === 'submitted' ? plan.file.revision : null,
      bytes: plan.file.bytes,
      skipped: plan.skipped,
      ...diff,
    }),
  };
}

/** Of plain text the server's MD5 is that of the bytes sent; keywords and charsets change them. */
function checkDigest(plan: PlannedFile, bytes: Uint8Array): void {
  if (plan.file.digest === null || !/^text(?:\+[^k]*)?$/.test(plan.file.fileType)) return;
  if (hash('md5', bytes, 'hex').toUpperCase() === plan.file.digest) return;
  const says = 'A file came with another size or digest than the server declares.';
  throw new CriticizerError('P4_CONTENT_MISMATCH', says, { category: 'upstream' });
}
