import { CriticizerError } from '../foundation/errors.js';
import type { StoreModule } from './modules.js';
import type { MigrationStep } from './stores.js';

/** What a database's own record says of a step that was applied to it. */
export interface AppliedMigration {
  module: string;
  name: string;
  sha256: string;
}

/** The steps of these modules, and what all modules need. */
export function selectSteps(all: readonly MigrationStep[], modules: readonly StoreModule[]): readonly MigrationStep[] {
  return all.filter(({ module }) => module === 'store' || modules.includes(module));
}

/**
 * The steps that are not applied yet, in their order. Throws `SCHEMA_CHANGED` where an applied step
 * has another text, and `SCHEMA_TOO_NEW` where one is applied that this version does not know: a
 * later version has been here. Where `steps` are only some of `all`, steps of other modules are another
 * process's business.
 */
export function pendingMigrations(
  steps: readonly MigrationStep[],
  applied: readonly AppliedMigration[],
  all: readonly MigrationStep[] = steps,
): readonly MigrationStep[] {
  const modules = new Set<string>(steps.map(({ module }) => module));
  const isWhole = steps.length === all.length;
  const own = isWhole ? applied : applied.filter(({ module }) => modules.has(module));
  const left = new Map(own.map((row) => [`${row.module}/${row.name}`, row.sha256]));
  const pending: MigrationStep[] = [];
  for (const known of steps) {
    const id = `${known.module}/${known.name}`;
    const sha256 = left.get(id);
    left.delete(id);
    if (sha256 === undefined) pending.push(known);
    else if (sha256 !== known.sha256) {
      throw new CriticizerError('SCHEMA_CHANGED', `The schema has step ${id} with another text.`, {
        category: 'bug',
        details: { step: id },
      });
    }
  }
  if (left.size > 0) {
    const unknown = [...left.keys()];
    throw new CriticizerError('SCHEMA_TOO_NEW', `The schema has steps of a later version: ${unknown.join(', ')}.`, {
      category: 'bug',
      details: { steps: unknown },
    });
  }
  return pending;
}
