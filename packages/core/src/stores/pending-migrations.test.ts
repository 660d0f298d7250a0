import { describe, expect, it } from 'vitest';
import { pendingMigrations } from './pending-migrations.js';
import type { MigrationStep } from './stores.js';

const step = (module: MigrationStep['module'], name: string, sha256 = `${module}-${name}`): MigrationStep => ({
  module,
  name,
  sha256,
  sql: `-- ${name}`,
});
const steps = [step('queue', '0001-a'), step('queue', '0002-b'), step('audit', '0001-a')];
const applied = (...given: readonly MigrationStep[]) =>
  given.map(({ module, name, sha256 }) => ({ module, name, sha256 }));

describe('the comparison of steps with what a database says was applied', () => {
  it('AUD-1: every subset leaves the rest, in the order of the steps', () => {
    for (let mask = 0; mask < 2 ** steps.length; mask++) {
      const there = steps.filter((_, n) => (mask & (1 << n)) !== 0);
      expect(pendingMigrations(steps, applied(...there.toReversed()))).toEqual(
        steps.filter((given) => !there.includes(given)),
      );
    }
  });

  it('AUD-1: an applied step with another text is refused, and named', () => {
    const changed = applied(...steps.slice(0, 1), step('queue', '0002-b', 'other'));
    expect(() => pendingMigrations(steps, changed)).toThrow(
      expect.objectContaining({ code: 'SCHEMA_CHANGED', details: { step: 'queue/0002-b' } }),
    );
  });

  it('AUD-1: a step that this version does not know is of a later one, though others are missing', () => {
    const later = applied(...steps.slice(0, 1), step('queue', '0009-later'), step('notify', '0001-a'));
    expect(() => pendingMigrations(steps, later)).toThrow(
      expect.objectContaining({ code: 'SCHEMA_TOO_NEW', details: { steps: ['queue/0009-later', 'notify/0001-a'] } }),
    );
  });
});
