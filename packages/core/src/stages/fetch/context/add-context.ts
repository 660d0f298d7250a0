import type { Change } from '../../../changes/change.js';
import type { ContextReader } from '../../../changes/context-reader.js';
import type { JsonObject } from '../../../foundation/json.js';
import type { Clock } from '../../../foundation/time/clock.js';
import type { Settings } from '../../../settings/settings.js';
import type { PathFilter } from '../../job/path-filter.js';
import { type GatheredContext, gatherContext } from './gather-context.js';

/** Who reads the context of changes, and whether anybody may be shown what they read. */
export interface ContextParts {
  /** By `serverId`; changes of other servers get no context. */
  readers: ReadonlyMap<string, ContextReader>;
  /** False: no provider gets it, so nothing is read. */
  isContextWanted: boolean;
  filter: PathFilter;
  settings: { review: Pick<Settings['review'], 'context'> };
  clock: Pick<Clock, 'sleep'>;
}

/** The change with its context; null where nothing was to be read. Rejects as `gatherContext` does. */
export async function addContext(
  change: Change,
  { readers, isContextWanted, filter, settings, clock }: ContextParts,
  signal: AbortSignal,
): Promise<{ change: Change; gathered: GatheredContext | null }> {
  const reader = readers.get(change.serverId);
  if (reader === undefined || !isContextWanted) return { change, gathered: null };
  const gathered = await gatherContext(change, { reader, filter, clock, signal, settings: settings.review.context });
  const { context } = gathered;
  return { change: context === null ? change : { ...change, context }, gathered };
}

/** For operators: counts and codes alone. */
export function countContext(gathered: GatheredContext | null): JsonObject {
  if (gathered === null) return {};
  const { context, shortfalls, errorCode } = gathered;
  return {
    contextFiles: context?.files.length ?? 0,
    contextPieces: context?.pieces.length ?? 0,
    ...(shortfalls.length === 0 ? {} : { contextLeftOut: [...shortfalls] }),
    ...(errorCode === null ? {} : { contextErrorCode: errorCode }),
  };
}
