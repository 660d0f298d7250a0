import { mintRedactedText, type RedactedText } from '../foundation/redacted-text.js';
import type { RuleSet } from '../foundation/redactor.js';
import type { Artifacts, ArtifactWrite } from './artifacts.js';

/** Artifacts as one run of a job uses them. Every verb throws what `Artifacts` throws. */
export interface RunArtifacts {
  /** With `forget` the run keeps no copy: none of its stages reads it. */
  write(about: ArtifactWrite, body: Uint8Array, options?: { forget?: boolean }): Promise<string>;
  /** With `forget` the run keeps no copy for its next reader. */
  read(id: string, options?: { forget?: boolean }): Promise<Uint8Array>;
  /** For the redacted namespace alone; the run gives up its copy. */
  readRedacted(id: string): Promise<RedactedText>;
}

interface Held {
  body: Uint8Array;
  rules: RuleSet | null;
}

/**
 * What each run wrote or read, by artifact id. A run has one signal from its claim to its end,
 * whatever stages it goes through, so what hangs on the signal lives as long as the lease.
 */
const heldBy = new WeakMap<AbortSignal, Map<string, Held>>();

/**
 * Reads what this very run wrote or read before from memory, and everything else from the store: a
 * job that another worker takes over, or that waited between two stages. `run` is the signal of the
 * run's lease.
 */
export function openRunArtifacts(artifacts: Artifacts, run: AbortSignal): RunArtifacts {
  const held = heldBy.get(run) ?? new Map<string, Held>();
  heldBy.set(run, held);
  return {
    async write(about, body, { forget = false } = {}) {
      const id = await artifacts.write(about, body);
      if (!forget) held.set(id, { body, rules: about.redaction });
      return id;
    },
    async read(id, { forget = false } = {}) {
      const body = held.get(id)?.body ?? (await artifacts.read(id)).body;
      if (!forget) held.set(id, { body, rules: null });
      return body;
    },
    async readRedacted(id) {
      const found = held.get(id);
      if (found === undefined || found.rules === null) return artifacts.readRedacted(id);
      // One stage reads it, and it is the largest: later stages need not hold it.
      held.delete(id);
      return mintRedactedText(Buffer.from(found.body).toString('utf8'), found.rules);
    },
  };
}
