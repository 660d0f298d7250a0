import { createP4Simulator } from '@criticizer/p4/testing';
import { print, review } from './demo-review.js';
import { sampleConnection } from './perforce/demo-perforce.js';
import { shelfNumber, shelfSteps, shelfVersions, shelveOn } from './perforce/sample-shelf.js';
import type { DemoQueue } from './queue/demo-queue.js';
import type { NamedEndpoints } from './report/demo-egress.js';
import { withCleanUp } from './state/demo-clean-up.js';
import type { DemoState } from './state/demo-state.js';

/** Reviews the sample shelf in each of its versions. Gives the first exit code that is not 0. */
export async function reviewShelf(
  { directory, server }: DemoState,
  queue: DemoQueue,
  endpoints: NamedEndpoints,
  signal: AbortSignal,
): Promise<number> {
  for (const version of shelfVersions) {
    print(`\n--- version ${version}: ${shelfSteps[version]}`);
    const exitCode = await withCleanUp((cleanUp) => {
      const simulator = createP4Simulator(shelveOn(server.model, version));
      cleanUp(() => simulator.dispose());
      const perforce = { connection: sampleConnection(directory, simulator), changes: [shelfNumber] };
      const reviews = { perforce, reviewVersion: version, endpoints, again: '--shelf --fresh' };
      return review(directory, queue, reviews, cleanUp, signal);
    });
    if (exitCode !== 0) return exitCode;
  }
  return 0;
}
