import { Buffer } from 'node:buffer';
import { CriticizerError, type FetchLimits } from '@criticizer/core/ports';
import { parseDepotPathBytes } from '../client/depot-path.js';
import type { P4Client } from '../client/p4-client.js';
import type { P4Message } from '../client/p4-messages.js';
import { fieldNumber, fieldText, type P4Fields } from '../client/p4-output.js';
import type { PageSize } from '../client/server-limits.js';
import type { ContentGate } from '../policy/content-gate.js';
import { parseFileType } from './file-type.js';

/** One revision as `print` gave it. `oversize` and `budget`: its bytes were dropped as they came. */
export type RevisionContent =
  | { kind: 'content'; bytes: Buffer }
  | { kind: 'missing' }
  | { kind: 'oversize' }
  | { kind: 'budget' };

export interface FileContentsOptions {
  limits: Pick<FetchLimits, 'maxFileBytes' | 'maxTotalBytes'>;
  /** Throws to refuse a file before its bytes; nothing of it is kept. */
  gate: Pick<ContentGate, 'admit' | 'isSamePath'>;
  signal: AbortSignal;
  /** Operands of one server command: fewer where the server refused so many. */
  batchSize: PageSize;
  /** Called once for every operand, in order. */
  onContent(operand: string, content: RevisionContent): void;
}

/** The default for `batchSize`. */
export const operandsPerBatch = 256;

/**
 * Fetches all revisions through one process, one after the other, and holds at most one in memory.
 * Where a batch is over the server's limits, another process goes on with smaller ones. The server
 * must answer exactly what was asked, in that order: anything else throws `P4_UNEXPECTED_OUTPUT`.
 */
export async function fetchContents(
  client: P4Client,
  operands: readonly string[],
  options: FileContentsOptions,
): Promise<void> {
  const { batchSize } = options;
  const receiver = createReceiver(operands, options);
  for (let from = 0; from < operands.length; ) {
    const rest = operands.slice(from);
    const asked = Math.min(batchSize.current, rest.length);
    try {
      await printAll(client, rest, { receiver, operandsPerBatch: batchSize.current, signal: options.signal });
      batchSize.answered();
      return;
    } catch (error) {
      if (!batchSize.shrink(error, asked)) throw error;
      from = receiver.rewind();
    }
  }
}

async function printAll(
  client: P4Client,
  operands: readonly string[],
  more: { receiver: ReturnType<typeof createReceiver>; operandsPerBatch: number; signal: AbortSignal },
): Promise<void> {
  const { receiver, operandsPerBatch, signal } = more;
  await client.run(
    { name: 'print', flags: ['-k'], operands, operandsPerBatch },
    {
      signal,
      timeout: 'contents',
      onOutput(output) {
        if (output.kind === 'stat') receiver.begin(output.fields);
        else if (output.kind === 'info') throw unexpected('untagged text');
        else receiver.add(output.data);
      },
      onWarning: (message, error) => error.code === 'P4_FILE_NOT_FOUND' && receiver.miss(message),
    },
  );
  receiver.end();
}

// long: the events of one print, each short, over the files under way
function createReceiver(operands: readonly string[], { limits, gate, onContent }: FileContentsOptions) {
  let next = 0;
  let current: {
    operand: string;
    refused: 'oversize' | 'budget' | null;
    declared: number | null;
    parts: Buffer[];
    bytes: number;
  } | null = null;
  let totalBytes = 0;

  const finish = (): void => {
    if (current === null) return;
    const { operand, refused, parts, bytes, declared } = current;
    current = null;
    if (declared !== null && bytes !== declared) throw contentMismatch();
    if (refused === null) totalBytes += bytes;
    onContent(operand, refused === null ? { kind: 'content', bytes: Buffer.concat(parts) } : { kind: refused });
  };
  const overLimit = (bytes: number): 'oversize' | 'budget' | null =>
    bytes > limits.maxFileBytes ? 'oversize' : totalBytes + bytes > limits.maxTotalBytes ? 'budget' : null;

  return {
    /** A record that names a file comes before its bytes: the gate stands here. */
    begin(fields: P4Fields): void {
      finish();
      const parsed = parseDepotPathBytes(fields.get('depotFile') ?? Buffer.alloc(0));
      const operand = operands[next];
      if (!parsed.ok || operand === undefined) throw unexpected('a file nobody asked for');
      gate.admit(parsed.path);
      const [, path = '', kind = '', number = ''] = /^([^#@]+)(#|@=)([0-9]+)$/.exec(operand) ?? [];
      const answered = fieldText(fields, kind === '#' ? 'rev' : 'change');
      if (!gate.isSamePath(path, parsed.path) || (answered ?? number) !== number)
        throw unexpected('another file or revision than the next one asked for');
      next += 1;
      const size = fieldNumber(fields, 'fileSize');
      // Keyword and charset conversion change the size; plain text must come whole.
      const declared = parseFileType(fieldText(fields, 'type') ?? '').sentAsStored ? size : null;
      current = { operand, refused: overLimit(size ?? 0), declared, parts: [], bytes: 0 };
    },
    add(data: Buffer): void {
      if (data.length === 0) return;
      if (current === null) throw unexpected('content before its file');
      current.bytes += data.length;
      current.refused ??= overLimit(current.bytes);
      if (current.refused === null) current.parts.push(data);
      else current.parts = [];
    },
    /** True where the warning is about the next operand. */
    miss(message: P4Message): boolean {
      finish();
      const operand = operands[next];
      const path = operand?.replace(/(?:#|@=)[0-9]+$/, '');
      if (operand === undefined || path === undefined) return false;
      if (!message.text.startsWith(`${operand} - `) && !message.text.startsWith(`${path} - `)) return false;
      next += 1;
      onContent(operand, { kind: 'missing' });
      return true;
    },
    /** Forgets the file under way, which may be cut off, and returns the number of the operand to go on with. */
    rewind(): number {
      if (current !== null) next -= 1;
      current = null;
      return next;
    },
    end(): void {
      finish();
      if (next !== operands.length) throw unexpected('fewer files than asked for');
    },
  };
}

/** A file came with other bytes than the server declares. */
export function contentMismatch(): CriticizerError {
  const says = 'A file came with another size or digest than the server declares.';
  return new CriticizerError('P4_CONTENT_MISMATCH', says, { category: 'upstream' });
}

function unexpected(why: string): CriticizerError {
  return new CriticizerError('P4_UNEXPECTED_OUTPUT', `The Perforce server answered print with ${why}.`, {
    category: 'upstream',
  });
}
