import type { Buffer } from 'node:buffer';
import { CriticizerError } from '@criticizer/core/ports';
import { type DescribedChange, parseDescribe } from '../client/describe.js';
import type { P4Client } from '../client/p4-client.js';
import { isOverRowLimit } from '../client/server-limits.js';
import { decodeText } from './decode-text.js';

export interface DescribeChangeOptions {
  /** The shelved files instead of the opened ones. */
  shelved: boolean;
  maxFiles: number;
  /** For a description that is not UTF-8. */
  legacyEncoding?: string | undefined;
  signal: AbortSignal;
}

/**
 * Describes one change, at most `maxFiles` of its files. Null where the server refuses to list so
 * many for this user. Throws `P4_UNEXPECTED_OUTPUT` for another answer than one record, and what
 * `P4Client.run` throws.
 */
export async function describeChange(
  client: P4Client,
  number: number,
  { shelved, maxFiles, legacyEncoding, signal }: DescribeChangeOptions,
): Promise<DescribedChange | null> {
  let change: DescribedChange | null = null;
  const flags = ['-s', ...(shelved ? ['-S'] : []), '-m', String(maxFiles)];
  try {
    await client.run(
      { name: 'describe', flags, operands: [String(number)] },
      {
        signal,
        onOutput(output) {
          if (output.kind !== 'stat' || change !== null) throw unexpectedAnswer();
          change = parseDescribe(output.fields, number, (bytes) => decodeLoosely(bytes, legacyEncoding));
        },
      },
    );
  } catch (error) {
    if (isOverRowLimit(error)) return null;
    throw error;
  }
  if (change === null) throw unexpectedAnswer();
  return change;
}

/** As text whatever it is: what decodes neither way keeps U+FFFD where it does not. */
function decodeLoosely(bytes: Buffer, legacyEncoding: string | undefined): string {
  const decoded = decodeText(bytes, { legacyEncoding });
  return decoded.kind === 'text' ? decoded.text : bytes.toString('utf8');
}

function unexpectedAnswer(): CriticizerError {
  const says = 'The Perforce server answered describe with other than one record.';
  return new CriticizerError('P4_UNEXPECTED_OUTPUT', says, { category: 'upstream' });
}
