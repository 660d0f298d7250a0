import { Buffer } from 'node:buffer';
import { CriticizerError, type FetchLimits } from '@criticizer/core/ports';
import { parseDepotPathBytes } from '../client/depot-path.js';
import type { P4Message } from '../client/messages/p4-messages.js';
import type { P4Client } from '../client/p4-client.js';
import { fieldNumber, fieldText, type P4Fields } from '../client/p4-output.js';
import type { PageSize } from '../client/server-limits.js';
import type { ContentGate } from '../policy/content-gate.js';
import { parseFileType } from './file-type.js';

/**
 * One revision as `print` gave it. `unavailable`: the server no longer has it or cannot read it;
 * `damaged`: its size is not the declared one; `oversize`, `budget`: its bytes were dropped.
 */
export type RevisionContent =
  | { kind: 'content'; bytes: Buffer }
  | { kind: 'unavailable' }
  | { kind: 'damaged' }
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
 * Where a batch is over the server's limits, another process goes on with smaller ones; where the
 * server stopped early, another process requests the rest once more. A revision that the server is
 * silent about, as of purged ones, is `unavailable`. Files that were not requested, or in another
 * order, throw `P4_UNEXPECTED_OUTPUT`.
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
      from = receiver.answered() > from ? receiver.answered() : receiver.giveUp();
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
      onUnreadableFile: () => receiver.spoil(),
    },
  );
  receiver.finish();
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
    const isDamaged = declared !== null && bytes !== declared;
    if (refused === null && !isDamaged) totalBytes += bytes;
    const whole = refused === null ? { kind: 'content' as const, bytes: Buffer.concat(parts) } : { kind: refused };
    onContent(operand, isDamaged ? { kind: 'damaged' } : whole);
  };
  const lack = (): void => {
    const operand = operands[next];
    next += 1;
    if (operand !== undefined) onContent(operand, { kind: 'unavailable' });
  };
  const overLimit = (bytes: number): 'oversize' | 'budget' | null =>
    bytes > limits.maxFileBytes ? 'oversize' : totalBytes + bytes > limits.maxTotalBytes ? 'budget' : null;

  const isAnswer = (asked: string, answeredPath: string, fields: P4Fields): boolean => {
    const [, path = '', kind = '', number = ''] = /^([^#@]+)(#|@=)([0-9]+)$/.exec(asked) ?? [];
    const answered = fieldText(fields, kind === '#' ? 'rev' : 'change');
    return gate.isSamePath(path, answeredPath) && (answered ?? number) === number;
  };

  return {
    /** A record that names a file comes before its bytes: the gate stands here. */
    begin(fields: P4Fields): void {
      finish();
      const parsed = parseDepotPathBytes(fields.get('depotFile') ?? Buffer.alloc(0));
      if (!parsed.ok || next >= operands.length) throw unexpected('a file nobody asked for');
      gate.admit(parsed.path);
      let at = next;
      while (at < operands.length && !isAnswer(operands[at] ?? '', parsed.path, fields)) at += 1;
      if (at === operands.length) throw unexpected('another file or revision than the ones asked for');
      while (next < at) lack();
      const operand = operands[at] ?? '';
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
      lack();
      return true;
    },
    /** The server cannot read a file: the one under way, or the next where that one is whole. */
    spoil(): boolean {
      const isWhole = current === null || (current.declared !== null && current.bytes === current.declared);
      if (isWhole) finish();
      else {
        current = null;
        next -= 1;
      }
      if (next < operands.length) lack();
      return true;
    },
    /** Forgets the file under way, which may be cut off, and returns the number of the operand to go on with. */
    rewind(): number {
      if (current !== null) next -= 1;
      current = null;
      return next;
    },
    finish,
    /** How many operands are dealt with. */
    answered: () => next,
    /** The rest is `unavailable`, as a second request brought nothing. Returns `answered()`. */
    giveUp(): number {
      while (next < operands.length) lack();
      return next;
    },
  };
}

function unexpected(why: string): CriticizerError {
  return new CriticizerError('P4_UNEXPECTED_OUTPUT', `The Perforce server answered print with ${why}.`, {
    category: 'upstream',
  });
}
