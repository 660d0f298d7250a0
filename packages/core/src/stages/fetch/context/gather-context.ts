import { setMaxListeners } from 'node:events';
import type { Change } from '../../../changes/change.js';
import type { ChangeContext } from '../../../changes/change-context.js';
import type { ContextReader, ContextSession, ContextShortfall } from '../../../changes/context-reader.js';
import { isContextRoot } from '../../../changes/context-roots.js';
import { CriticizerError, isCriticizerError } from '../../../foundation/errors.js';
import type { Clock } from '../../../foundation/time/clock.js';
import { withDeadline } from '../../../foundation/time/with-deadline.js';
import type { Settings } from '../../../settings/settings.js';
import type { PathFilter } from '../../job/path-filter.js';
import { Gathering } from './gathering.js';

/** What reading context found, and what it left out. */
export interface GatheredContext {
  /** Null where nothing was found. */
  context: ChangeContext | null;
  shortfalls: readonly (ContextShortfall | 'deadline' | 'pieces_cut' | 'failed')[];
  /** Code of the failure where `shortfalls` has `failed`. */
  errorCode: string | null;
}

export interface GatherOptions {
  reader: ContextReader;
  settings: Settings['review']['context'];
  /** Files that it skips are kept from the model, so they are not read. */
  filter: PathFilter;
  clock: Pick<Clock, 'sleep'>;
  signal: AbortSignal;
}

const outages: ReadonlySet<string> = new Set(['network', 'rate_limit', 'auth']);

/**
 * Reads what explains a change (GRD-4): users of the names that it changes and of the files that it
 * changes by name, then definitions of the names that its hunks use: by includes, counterpart and
 * type name, then by a search of the folder. Rejects with the signal's reason, and with an outage of
 * the server; whatever else fails or takes too long is left out and said so.
 */
export async function gatherContext(change: Change, options: GatherOptions): Promise<GatheredContext> {
  const { reader, settings, signal, clock } = options;
  const stop = new AbortController();
  const { maxFiles, maxFileBytes, maxTotalBytes, maxSearches, maxHits } = settings;
  const limits = { maxFiles, maxFileBytes, maxTotalBytes, maxSearches, maxHits };
  const roots = rootsFor(change, settings.roots);
  const found = new Gathering(change, options.filter, { maxPieces: settings.maxPieces, roots });
  const shortfalls = new Set<GatheredContext['shortfalls'][number]>();
  let session: ContextSession | null = null;
  let errorCode: string | null = null;
  try {
    if (roots.length > 0) {
      const ended = AbortSignal.any([signal, stop.signal]);
      // A reader adds a listener for each request under way, and more than Node's ten are.
      setMaxListeners(0, ended);
      session = reader.open(change, { roots, limits, signal: ended });
      const late = () => new DeadlinePassed();
      await withDeadline({ clock, ms: settings.deadlineMs, call: 'context', signal, late }, found.gather(session));
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isCriticizerError(error) && (error.parks || outages.has(error.category))) throw error;
    shortfalls.add(error instanceof DeadlinePassed ? 'deadline' : 'failed');
    if (!(error instanceof DeadlinePassed)) errorCode = isCriticizerError(error) ? error.code : 'UNKNOWN';
  } finally {
    stop.abort(new CriticizerError('STORE_TIMEOUT', 'Reading beside a change has ended.', { category: 'upstream' }));
  }
  try {
    for (const one of session?.shortfalls() ?? []) shortfalls.add(one);
  } catch {
    shortfalls.add('failed');
    errorCode ??= 'UNKNOWN';
  }
  if (found.isCut()) shortfalls.add('pieces_cut');
  return { context: found.context(), shortfalls: [...shortfalls].sort(), errorCode };
}

class DeadlinePassed extends Error {}

/** The settings' roots, or the first two folders of each changed file. */
function rootsFor({ files }: Change, roots: readonly string[] | null): readonly string[] {
  const top = files.map(({ path }) => /^\/\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0] ?? /^\/\/[^/]+/.exec(path)?.[0]);
  const own = [...new Set(top)].flatMap((folder) => (folder === undefined ? [] : [`${folder}/...`]));
  return (roots ?? own).filter(isContextRoot);
}
