// What `fast-check` is to every test here: a landing must not fail by a draw that no other run
// makes, so the draws come from a fixed seed. `npm run soak:properties` draws at random, and more.
// A failing property prints its seed either way.
//   CRITICIZER_PROPERTY_SEED   a number, or `random`
//   CRITICIZER_PROPERTY_RUNS   times the runs that a property asks for
import * as fastCheck from 'fast-check';

const usualSeed = 20_261_122;

/** Fast-check's settings for this environment. Throws a one-line Error for values that are none. */
export function propertySettings(env: NodeJS.ProcessEnv, random: () => number): { seed: number; factor: number } {
  const given = env['CRITICIZER_PROPERTY_SEED'] ?? (env['MODE'] === 'soak' ? 'random' : String(usualSeed));
  const seed = given === 'random' ? Math.trunc(random() * 0x7fffffff) : Number(given);
  if (given === '' || !Number.isSafeInteger(seed))
    throw new Error(`CRITICIZER_PROPERTY_SEED: expected a whole number or random, not '${given}'`);
  const factor = Number(env['CRITICIZER_PROPERTY_RUNS'] ?? 1);
  if (!(factor > 0))
    throw new Error(`CRITICIZER_PROPERTY_RUNS: expected a number above 0, not '${env['CRITICIZER_PROPERTY_RUNS']}'`);
  return { seed, factor };
}

const { seed, factor } = propertySettings(process.env, Math.random);
fastCheck.configureGlobal({ ...fastCheck.readConfigureGlobal(), seed });

type Parameters = { numRuns?: number };
const more = (given: Parameters | undefined): Parameters => ({
  ...given,
  numRuns: Math.ceil((given?.numRuns ?? 100) * factor),
});

export * from 'fast-check';
export const assert = ((property: never, given?: Parameters) =>
  fastCheck.assert(property, more(given))) as typeof fastCheck.assert;
export const check = ((property: never, given?: Parameters) =>
  fastCheck.check(property, more(given))) as typeof fastCheck.check;
export default { ...fastCheck.default, assert, check };
