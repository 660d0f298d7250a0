import type { DocumentStore, StoredDocument } from '../stores/document-store.js';
import { everything, type KillSwitchState, killSwitchDocument, readKillSwitchState } from './kill-switch.js';

/** What has been stopped since one instant. */
export interface StandingStop {
  /** Names in their order; null: everything. */
  destinations: readonly string[] | null;
  since: Date;
  /** Why it was last set, in the operator's words; null where that cannot be read. */
  reason: string | null;
}

/** What the switch stops, by name. */
function listStopped({ stopped, providers }: KillSwitchState): readonly string[] {
  if (!stopped) return [];
  return providers ?? [everything];
}

/**
 * Since when each of `names` that the stored state stops has been stopped, for the state that
 * replaces it: a later stop must not make an earlier one look new.
 */
export function keepSince(
  { value, updatedAt }: Pick<StoredDocument, 'value' | 'updatedAt'>,
  names: readonly string[] | null,
): KillSwitchState['since'] {
  const state = readKillSwitchState(value);
  const staying = new Set(names ?? [everything]);
  return Object.fromEntries(
    listStopped(state)
      .filter((name) => staying.has(name))
      .flatMap((name) => {
        const since = Object.hasOwn(state.since, name) ? state.since[name] : updatedAt?.toISOString();
        return since === undefined ? [] : [[name, since]];
      }),
  );
}

/** What the switch stops now, by instant, the oldest first; rejects with the store's error. */
export async function listStandingStops(documents: Pick<DocumentStore<never>, 'read'>): Promise<StandingStop[]> {
  const stored = await documents.read(killSwitchDocument);
  const state = readKillSwitchState(stored.value);
  const bySince = new Map<number, string[]>();
  for (const name of listStopped(state)) {
    const text = Object.hasOwn(state.since, name) ? state.since[name] : undefined;
    const sinceMs = text === undefined ? (stored.updatedAt?.getTime() ?? 0) : Date.parse(text);
    bySince.set(sinceMs, [...(bySince.get(sinceMs) ?? []), name]);
  }
  return [...bySince]
    .sort(([a], [b]) => a - b)
    .map(([sinceMs, names]) => ({
      destinations: names.includes(everything) ? null : names.sort(),
      since: new Date(sinceMs),
      reason: state.reason,
    }));
}
