import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import type { ChangedFile, Clock, FileSkip } from '@criticizer/core/ports';
import { decodeText } from './decode-text.js';
import type { RevisionContent } from './file-contents.js';
import { type PlannedFile, skip, skipForBudget } from './file-plan.js';
import { buildHunks } from './hunks.js';

export interface FileTextOptions {
  contextLines: number;
  /** Longest new side that is kept whole, in bytes of UTF-8. */
  maxNewTextBytes: number;
  legacyEncoding?: string | undefined;
  clock: Clock;
  /**
   * What is left of the time for finding short differences, of all files together: while one is
   * sought nothing else runs.
   */
  budget: { leftMs: number };
}

const noDifference: Pick<ChangedFile, 'hunks' | 'newText' | 'addedLines' | 'removedLines' | 'encoding'> = {
  hunks: [],
  addedLines: 0,
  removedLines: 0,
  encoding: null,
};

/**
 * A planned file whose sides arrive one after the other: it turns them into hunks, or into the
 * reason why there are none, and keeps the bytes of the old side only until the new one is there.
 */
export class FileInProgress {
  private old: RevisionContent | null = null;
  private newHash: string | null = null;
  private difference = noDifference;

  constructor(
    readonly plan: PlannedFile,
    private readonly options: FileTextOptions,
  ) {}

  /** Hex SHA-256 of the fetched new side; null where the server gives a digest of its own, or none was fetched. */
  newSideHash(): string | null {
    return this.newHash;
  }

  /** The content is gone, or not the declared one. */
  hasLostContent(): boolean {
    return this.plan.skipped === 'unavailable' || this.plan.skipped === 'damaged';
  }

  receive(operand: string, content: RevisionContent): void {
    if (operand !== this.plan.newSide) {
      this.old = content;
      return;
    }
    const reason = this.compare(content);
    if (reason === 'budget') skipForBudget(this.plan);
    else if (reason !== null) skip(this.plan, reason);
  }

  result(kind: 'submitted' | 'shelved'): ChangedFile {
    const { file, oldPath, action, skipped } = this.plan;
    const revision = kind === 'submitted' ? file.revision : null;
    return {
      path: file.path,
      oldPath,
      action,
      fileType: file.fileType,
      revision,
      bytes: file.bytes,
      skipped,
      ...this.difference,
    };
  }

  /** Null where there is a difference to show. */
  private compare(fresh: RevisionContent): FileSkip | null {
    const sides = this.old === null ? [fresh] : [fresh, this.old];
    this.old = null;
    const contents: Buffer[] = [];
    for (const side of sides) {
      if (side.kind !== 'content') return side.kind;
      contents.push(side.bytes);
    }
    const [newBytes, oldBytes] = contents;
    if (newBytes === undefined) return 'error';
    if (this.plan.file.digest === null) this.newHash = hash('sha256', newBytes, 'hex');
    if (!hasDeclaredDigest(this.plan, newBytes)) return 'damaged';
    if (oldBytes?.equals(newBytes) === true) return 'unchanged';
    const { contextLines, legacyEncoding, maxNewTextBytes, clock, budget } = this.options;
    const decode = { utf16: this.plan.type.content === 'utf16', legacyEncoding };
    const newText = decodeText(newBytes, decode);
    const oldText = oldBytes === undefined ? null : decodeText(oldBytes, decode);
    if (newText.kind !== 'text') return newText.kind;
    if (oldText !== null && oldText.kind !== 'text') return oldText.kind;
    const startedAt = clock.monotonicMs();
    // Past the time for all files a difference is still right, but longer: it no longer looks for the shortest.
    const hunks = buildHunks(oldText?.text ?? '', newText.text, {
      contextLines,
      ...(budget.leftMs > 0 ? {} : { maxEditLength: 0 }),
    });
    budget.leftMs -= clock.monotonicMs() - startedAt;
    const isKept = maxNewTextBytes > 0 && Buffer.byteLength(newText.text) <= maxNewTextBytes;
    this.difference = { ...hunks, ...(isKept ? { newText: newText.text } : {}), encoding: newText.encoding };
    return null;
  }
}

/** Of plain text the server's MD5 is that of the bytes sent; keywords and charsets change them. */
function hasDeclaredDigest({ file, type }: PlannedFile, bytes: Uint8Array): boolean {
  return file.digest === null || !type.sentAsStored || hash('md5', bytes, 'hex').toUpperCase() === file.digest;
}
