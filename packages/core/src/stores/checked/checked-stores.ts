import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import type { JobStore } from '../job-store.js';
import { moduleAbsent, type StoreModule } from '../modules.js';
import type { Stores } from '../stores.js';
import { type Facets, moduleOfFacet } from './facet-modules.js';
import { verbShapes } from './verb-shapes.js';

/** A facet of a module that the stores were made without: every verb rejects and says what to do. */
function absentFacet<Facet extends object>(name: keyof Facets, facet: Facet): Facet {
  const module = moduleOfFacet[name];
  const absent = { ...facet, absentModule: module };
  for (const verb of Object.keys(verbShapes[name]))
    Reflect.set(absent, verb, async () => {
      throw moduleAbsent(module, `${name}.${verb}`);
    });
  return absent;
}

/** A settlement may bring mails and artifacts only where their modules are there, and wait for mails only then. */
function refuseAbsentEffects<Tx>(jobs: JobStore<Tx>, modules: readonly StoreModule[]): JobStore<Tx> {
  return {
    ...jobs,
    async settle(settlements, options) {
      for (const settlement of settlements) {
        const { effects } = settlement;
        const isMailed =
          (effects?.outbox ?? []).length > 0 || (settlement.kind === 'done' && settlement.requireNotified);
        if (isMailed && !modules.includes('notify')) throw moduleAbsent('notify', 'jobs.settle with mails');
        if ((effects?.publish ?? []).length > 0 && !modules.includes('artifacts'))
          throw moduleAbsent('artifacts', 'jobs.settle with artifacts');
        if (effects?.samples !== undefined && !modules.includes('review'))
          throw moduleAbsent('review', 'jobs.settle with samples');
      }
      return jobs.settle(settlements, options);
    },
  };
}

/** The verbs of one facet, each of which rejects with `TypeError` for an unknown key before the store is asked. */
function checkedFacet<Facet extends object>(name: string, facet: Facet, verbs: object): Facet {
  const checked = { ...facet };
  for (const [verb, args] of Object.entries(verbs)) {
    const run: unknown = Reflect.get(facet, verb);
    if (typeof run !== 'function') continue; // an optional verb that this store does not have
    const watched = (args as readonly (readonly [string, OptionShape<object>] | null)[]).flatMap((shape, at) =>
      shape === null ? [] : [{ at, path: `${name}.${verb}: ${shape[0]}`, keys: shape[1] }],
    );
    if (watched.length === 0) continue;
    Reflect.set(checked, verb, async (...given: unknown[]): Promise<unknown> => {
      for (const { at, path, keys } of watched) checkFields(path, given[at], keys);
      return Reflect.apply(run, facet, given);
    });
  }
  return checked;
}

/**
 * The same stores, whose verbs reject with `TypeError` for a key that they do not know in a filter,
 * a request or options: `enqueue([job], { txx })` would otherwise write outside the transaction.
 * What an author of stores returns from a factory goes through this; rows are checked by
 * `checkNewJob` and its like, which every store calls.
 */
export function checkedStores<Tx>(stores: Stores<Tx>): Stores<Tx> {
  const facet = <Name extends keyof Facets>(name: Name): Stores<Tx>[Name] =>
    stores.modules.includes(moduleOfFacet[name])
      ? checkedFacet(name, stores[name], verbShapes[name])
      : absentFacet(name, stores[name]);
  const isWhole = stores.modules.includes('notify') && stores.modules.includes('artifacts');
  const jobs = facet('jobs');
  return {
    ...stores,
    jobs: isWhole ? jobs : refuseAbsentEffects(jobs, stores.modules),
    deadLetters: facet('deadLetters'),
    changes: facet('changes'),
    outbox: facet('outbox'),
    messages: facet('messages'),
    preferences: facet('preferences'),
    audit: facet('audit'),
    auditSeals: facet('auditSeals'),
    artifactManifest: facet('artifactManifest'),
    egress: facet('egress'),
    cursors: facet('cursors'),
    documents: facet('documents'),
    samples: facet('samples'),
    suppressions: facet('suppressions'),
    limits: facet('limits'),
    retention: facet('retention'),
  };
}
