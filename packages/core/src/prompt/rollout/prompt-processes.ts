import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../foundation/json.js';

/** Name of the document in `stores.documents` that holds which process knows which variants. */
export const promptProcessesDocument = 'prompt.processes';

/** How often a process says that it is there, in milliseconds. */
export const announceEveryMs = 60_000;
/** A process that has said nothing for so long is gone. */
const goneAfterMs = 5 * announceEveryMs;
/** Entries that the document holds at most, the newest ones. */
const mostProcesses = 1_000;

const entrySchema = z.object({
  /** ISO 8601, by the store's clock. */
  at: z.iso.datetime(),
  /** Names of its variants (`nameVariant`), the default one first; its parser reads the schema of each (PR-4). */
  variants: z.array(z.string()),
});

/** What one process says of itself. */
export type PromptProcess = z.output<typeof entrySchema>;

/** The processes that are there, by id. An entry that is none is left out. */
export function readLiveProcesses(value: JsonValue, nowMs: number): ReadonlyMap<string, PromptProcess> {
  const entries = z.record(z.string(), z.unknown()).safeParse(value).data ?? {};
  const live = Object.entries(entries).flatMap(([id, entry]): [string, PromptProcess][] => {
    const { data } = entrySchema.safeParse(entry);
    return data === undefined || nowMs - Date.parse(data.at) >= goneAfterMs ? [] : [[id, data]];
  });
  return new Map(live);
}

/** The document with this process among those that are there. */
export function addProcess(value: JsonValue, id: string, variants: readonly string[], now: Date): JsonObject {
  const others = [...readLiveProcesses(value, now.getTime())].filter(([other]) => other !== id);
  const newest = others.sort(([, one], [, other]) => (one.at < other.at ? 1 : -1)).slice(0, mostProcesses - 1);
  const entries = newest.map(([other, { at, variants: names }]) => [other, { at, variants: names }] as const);
  return Object.fromEntries([...entries, [id, { at: now.toISOString(), variants: [...variants] }]]);
}

/** Whether every process that is there knows the variant; true where none is. */
export function isKnownEverywhere(live: ReadonlyMap<string, PromptProcess>, variant: string): boolean {
  return [...live.values()].every(({ variants }) => variants.includes(variant));
}
