import { CriticizerError } from '../foundation/errors.js';

/**
 * The groups of tables that are migrated on their own: jobs, dead letters and limits; mails; the
 * artifact manifest; egress log, cursors, documents, counts and suppressions; audit events and their
 * deliveries.
 */
export const storeModules = ['queue', 'notify', 'artifacts', 'review', 'audit'] as const;

/** The name of a module: a group of tables that is migrated on its own. */
export type StoreModule = (typeof storeModules)[number];

/** The option `modules` of a stores factory: those it names, in the order of migration. Default: all. */
export function selectModules(factory: string, modules: unknown): readonly StoreModule[] {
  if (modules === undefined) return storeModules;
  const known: readonly unknown[] = storeModules;
  if (!Array.isArray(modules) || modules.length === 0 || modules.some((name) => !known.includes(name)))
    throw new TypeError(`${factory}: modules: expected a list of ${storeModules.join(', ')}`);
  return storeModules.filter((name) => modules.includes(name));
}

/** Throws `TypeError` where stores lack a module that `caller` needs, and names the option that adds it. */
export function requireModules(
  caller: string,
  stores: { modules: readonly StoreModule[] },
  needed: readonly StoreModule[],
): void {
  const missing = needed.filter((name) => !stores.modules.includes(name));
  if (missing.length > 0)
    throw new TypeError(
      `${caller}: stores: they were made without ${missing.join(', ')}; the option modules of their factory must list ${needed.join(', ')}`,
    );
}

/** Throws `TypeError` where the facet is one of a module that the stores were made without. */
export function refuseAbsentFacet(option: string, facet: object): void {
  const module: unknown = Reflect.get(facet, 'absentModule');
  if (typeof module === 'string')
    throw new TypeError(
      `${option}: the stores were made without ${module}; the option modules of their factory must list it`,
    );
}

/** The error of every verb of a module that the stores were made without. */
export function moduleAbsent(module: StoreModule, use: string): CriticizerError {
  return new CriticizerError(
    'MODULE_ABSENT',
    `${use} needs the module ${module}, which the stores were made without: list it in the option modules of their factory.`,
    { category: 'bug', details: { module } },
  );
}
