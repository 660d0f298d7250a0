import type { P4Client } from './p4-client.js';
import { fieldNumber } from './p4-output.js';

/** The highest number among the submitted changes this user may see; 0 where there is none. */
export async function newestSubmitted(client: P4Client, signal: AbortSignal): Promise<number> {
  const [newest] = await newestSubmittedChanges(client, 1, signal);
  return newest ?? 0;
}

/** The `max` newest submitted changes this user may see, ascending. */
export function newestSubmittedChanges(client: P4Client, max: number, signal: AbortSignal): Promise<readonly number[]> {
  return listChanges(client, ['-s', 'submitted', '-m', String(max)], [], signal);
}

/** Submitted changes that touch one of the scopes, `from` and `to` included, ascending. At most as many as the range is wide. */
export async function submittedBetween(
  client: P4Client,
  range: { scopes: readonly string[]; from: number; to: number },
  signal: AbortSignal,
): Promise<readonly number[]> {
  const { scopes, from, to } = range;
  // The range stands with each path: without one a server may look at head revisions alone.
  const operands = scopes.map((scope) => `${scope}@${from},@${to}`);
  const numbers = await listChanges(client, ['-s', 'submitted', '-m', String(to - from + 1)], operands, signal);
  return numbers.filter((number) => number >= from && number <= to);
}

/** The `max` newest of the changes with shelved files, ascending. Without paths: with them a server lists submitted changes alone. */
export function shelvedChanges(client: P4Client, max: number, signal: AbortSignal): Promise<readonly number[]> {
  return listChanges(client, ['-s', 'shelved', '-m', String(max)], [], signal);
}

async function listChanges(
  client: P4Client,
  flags: readonly string[],
  operands: readonly string[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const numbers = new Set<number>();
  await client.run(
    { name: 'changes', flags, operands },
    {
      signal,
      onOutput(output) {
        const number = output.kind === 'stat' ? fieldNumber(output.fields, 'change') : null;
        if (number !== null && number > 0) numbers.add(number);
      },
      onWarning: (_message, error) => error.code === 'P4_FILE_NOT_FOUND', // nothing at that path, or not yet
    },
  );
  return [...numbers].sort((a, b) => a - b);
}
