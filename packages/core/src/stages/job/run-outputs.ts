import type { ArtifactReadOptions, Artifacts, ArtifactWrite } from '../../artifacts/artifacts.js';
import { openRunArtifacts } from '../../artifacts/run-artifacts.js';
import type { Actor } from '../../foundation/actor.js';
import { CriticizerError } from '../../foundation/errors.js';
import type { RedactedText } from '../../foundation/redacted-text.js';
import type { Outputs } from '../../stores/job.js';
import type { StageContext } from '../../worker/run/stage.js';

/** Reads what stages left behind, by the name of the output. Throws what the artifact store throws. */
export interface OutputReader {
  /** With `forget` a run keeps no copy for its next reader. */
  read(name: string, options?: { forget?: boolean }): Promise<Uint8Array>;
  /** The same for the redacted namespace alone; the text may go to an LLM (ART-6). */
  readRedacted(name: string): Promise<RedactedText>;
}

/** What one run of a job reads and writes. */
export interface RunOutputs extends OutputReader {
  /**
   * Stores JSON, `pending` until a settlement names the id, for later stages to read. With `forget`
   * the run keeps no copy: none of its stages reads it.
   */
  write(about: RunWrite, body: Uint8Array, options?: { forget?: boolean }): Promise<string>;
}

export type RunWrite = Pick<ArtifactWrite, 'namespace' | 'purpose' | 'redaction'>;

/** The artifact that a stage committed. A job without it cannot go on from here: `OUTPUT_MISSING`. */
function findOutput(outputs: Outputs, name: string): string {
  const id = outputs[name];
  if (id === undefined)
    throw new CriticizerError('OUTPUT_MISSING', `An earlier stage left no "${name}".`, {
      category: 'not_found',
      details: { name },
    });
  return id;
}

/**
 * Reads from the artifact store under the actor's rights (ART-3), by default the pipeline's: for
 * hosts, and for whoever has no run.
 */
export function readOutputs(
  artifacts: Artifacts,
  outputs: Outputs,
  actor?: Actor,
  options?: ArtifactReadOptions,
): OutputReader {
  return {
    read: async (name) => (await artifacts.read(findOutput(outputs, name), actor, options)).body,
    readRedacted: async (name) => artifacts.readRedacted(findOutput(outputs, name), actor, options),
  };
}

/** Reads from the run's memory where it wrote or read the same before, else from the artifact store. */
export function openRunOutputs(
  artifacts: Artifacts,
  context: Pick<StageContext<unknown>, 'job' | 'signal' | 'outputs'>,
): RunOutputs {
  const run = openRunArtifacts(artifacts, context.signal);
  const find = (name: string): string => findOutput(context.outputs(), name);
  return {
    read: async (name, options) => run.read(find(name), options),
    readRedacted: async (name) => run.readRedacted(find(name)),
    write(about, body, options) {
      const { changelistId, id: jobId } = context.job;
      return run.write({ ...about, contentType: 'application/json', changelistId, jobId }, body, options);
    },
  };
}
