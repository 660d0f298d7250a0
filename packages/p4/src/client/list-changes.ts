import { CriticizerError, isCriticizerError } from '@criticizer/core/ports';
import type { P4Client } from './p4-client.js';
import { fieldNumber } from './p4-output.js';
import { createPageSize, isOverRowLimit, listWithinLimit } from './server-limits.js';

/** The highest number among the submitted changes this user may see; 0 where there is none. */
export async function newestSubmitted(client: P4Client, signal: AbortSignal): Promise<number> {
  const [newest] = await newestSubmittedChanges(client, 1, signal);
  return newest ?? 0;
}

/**
 * The `max` newest submitted changes this user may see, ascending; fewer where the server lets it
 * list no more.
 */
export function newestSubmittedChanges(client: P4Client, max: number, signal: AbortSignal): Promise<readonly number[]> {
  return listWithinLimit(createPageSize(max), (most) =>
    listChanges(client, ['-s', 'submitted', '-m', String(most)], [], signal),
  );
}

/**
 * The `max` newest submitted changes that touch one of the scopes, ascending, fewer where the server
 * lets this user list no more; of scopes whose depot the server does not have, none.
 */
export async function newestChangesBelow(
  client: P4Client,
  scopes: readonly string[],
  max: number,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const list = (most: number) => listBelow(client, { scopes, suffix: '', max: most }, signal);
  return (await listWithinLimit(createPageSize(max), list)).numbers.slice(-max);
}

/** What lies below some scopes, and which of the scopes name a depot that the server does not have. */
interface ScopedChanges {
  numbers: readonly number[];
  unknown: readonly string[];
}

/**
 * Submitted changes that touch one of the scopes, `from` and `to` included, ascending. At most as
 * many as the range is wide. Throws `P4_OUT_OF_SCOPE` where the server knows the depot of none.
 */
export async function submittedBetween(
  client: P4Client,
  range: { scopes: readonly string[]; from: number; to: number },
  signal: AbortSignal,
): Promise<ScopedChanges> {
  const { scopes, from, to } = range;
  // The range stands with each path: without one a server may look at head revisions alone.
  const listed = await listBelow(client, { scopes, suffix: `@${from},@${to}`, max: to - from + 1 }, signal);
  if (listed.unknown.length === scopes.length) throw noDepotKnown();
  return { numbers: listed.numbers.filter((number) => number >= from && number <= to), unknown: listed.unknown };
}

/** Those of the scopes that name a depot which the server does not have. */
export async function unknownScopes(
  client: P4Client,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    return (await listBelow(client, { scopes, suffix: '', max: 1 }, signal)).unknown;
  } catch (error) {
    if (!isOverRowLimit(error)) throw error;
    if (scopes.length === 1) return []; // the server looked, so it has the depot
  }
  const unknown: string[] = [];
  for (const scope of scopes) unknown.push(...(await unknownScopes(client, [scope], signal)));
  return unknown;
}

/**
 * One command for all scopes. The server refuses it whole for one unknown depot and does not say
 * for which: then one for each.
 */
async function listBelow(
  client: P4Client,
  wanted: { scopes: readonly string[]; suffix: string; max: number },
  signal: AbortSignal,
): Promise<ScopedChanges> {
  const { scopes, suffix, max } = wanted;
  try {
    const operands = scopes.map((scope) => `${scope}${suffix}`);
    return {
      numbers: await listChanges(client, ['-s', 'submitted', '-m', String(max)], operands, signal),
      unknown: [],
    };
  } catch (error) {
    if (!isCriticizerError(error) || error.code !== 'P4_OUT_OF_SCOPE') throw error;
    if (scopes.length === 1) return { numbers: [], unknown: scopes };
  }
  const numbers = new Set<number>();
  const unknown: string[] = [];
  for (const scope of scopes) {
    const listed = await listBelow(client, { ...wanted, scopes: [scope] }, signal);
    for (const number of listed.numbers) numbers.add(number);
    unknown.push(...listed.unknown);
  }
  return { numbers: [...numbers].sort((a, b) => a - b), unknown };
}

function noDepotKnown(): CriticizerError {
  const says = 'The Perforce server has none of the depots that the allow-list names.';
  return new CriticizerError('P4_OUT_OF_SCOPE', says, { category: 'policy' });
}

/**
 * The `max` newest of the changes with shelved files, ascending. Without paths: with them a server
 * lists submitted changes alone.
 */
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
