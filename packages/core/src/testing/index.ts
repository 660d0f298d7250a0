// Public entry `@criticizer/core/testing`: contract suites and the doubles they need. Runner-neutral.
export { createManualClock, type ManualClock } from './manual-clock.js';
export type { Runner } from './runner.js';
export { createSeededRandom } from './seeded-random.js';
