import { isCriticizerError } from '@criticizer/core/ports';
import type { P4Client } from '../client/p4-client.js';
import type { ContentDigest } from '../fetch/content-digest.js';
import { parseWatchedChange, unreadableChange, type WatchedChange } from './watched-change.js';

export interface DescribeOptions {
  /** The shelved files of pending changes instead of their opened ones. */
  shelved: boolean;
  /** Most files of one change. */
  maxFiles: number;
  /** Null: nobody asks for digests. */
  contentDigest: ContentDigest | null;
  signal: AbortSignal;
}

/** Failures that one change of many can be the reason of; any other is the server's or ours. */
const ofOneChange: ReadonlySet<string> = new Set([
  'P4_SERVER_LIMIT',
  'P4_OUTPUT_LIMIT',
  'P4_UNCLASSIFIED_WARNING',
  'P4_FAILED',
]);

/** Changes described by one process. */
const batchSize = 50;

/**
 * Describes changes, in the order asked; those the server does not know are left out. One that
 * cannot be described holds up no other: it comes without a digest. Throws what `P4Client.run`
 * throws where the server, the ticket or the connection is to blame.
 */
export async function describeChanges(
  client: P4Client,
  numbers: readonly number[],
  options: DescribeOptions,
): Promise<readonly WatchedChange[]> {
  const found: WatchedChange[] = [];
  for (let from = 0; from < numbers.length; from += batchSize)
    found.push(...(await describeBatch(client, numbers.slice(from, from + batchSize), options)));
  return found;
}

async function describeBatch(
  client: P4Client,
  numbers: readonly number[],
  options: DescribeOptions,
): Promise<WatchedChange[]> {
  const found: WatchedChange[] = [];
  try {
    await client.run(
      {
        name: 'describe',
        flags: ['-s', ...(options.shelved ? ['-S'] : []), '-m', String(options.maxFiles)],
        operands: numbers.map(String),
      },
      {
        signal: options.signal,
        timeout: 'contents', // many large changes take their time
        onOutput(output) {
          const change = output.kind === 'stat' ? parseWatchedChange(output.fields, options.contentDigest) : null;
          if (change !== null && numbers.includes(change.number)) found.push(change);
        },
        onWarning: (_message, error) => error.code === 'P4_CHANGE_NOT_FOUND', // deleted since it was listed
      },
    );
    return found;
  } catch (error) {
    if (!isCriticizerError(error) || !ofOneChange.has(error.code)) throw error;
    const [only, ...more] = numbers;
    if (only !== undefined && more.length === 0)
      return [unreadableChange(only, options.shelved ? 'pending' : 'submitted')];
    const middle = Math.ceil(numbers.length / 2);
    return [
      ...(await describeBatch(client, numbers.slice(0, middle), options)),
      ...(await describeBatch(client, numbers.slice(middle), options)),
    ];
  }
}
