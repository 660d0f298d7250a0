import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleInto, makeBundleFolder, type PlantedEdit } from '../testing/process-bundle.js';

const here = fileURLToPath(new URL('.', import.meta.url));

export interface WorkerBundle {
  file: string;
  remove(): void;
}

/** `entry` is a file of this folder. */
export async function bundleProcess(entry: string, edits: readonly PlantedEdit[] = []): Promise<WorkerBundle> {
  const { folder, remove } = makeBundleFolder(here);
  await bundleInto(folder, { bundle: join(here, entry) }, 'cjs', edits);
  return { file: join(folder, 'bundle.cjs'), remove };
}
