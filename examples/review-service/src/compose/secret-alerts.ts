import type { AlertSource } from '@criticizer/core/pager';
import type { NeededSecret } from './configured-parts.js';

/**
 * Old credentials as alerts (SEC-5): a warning from the day of the warning on, an error once one is
 * past its age, gone with the next version. A secret that cannot be read is the readiness check's to name.
 */
export function createSecretAlerts(secrets: readonly NeededSecret[]): AlertSource {
  const aging = secrets.filter(({ ages }) => ages);
  return {
    name: 'secrets',
    async read() {
      const found = await Promise.all(
        aging.map(async ({ label, name, source }) => {
          const age = await source.readAge(name).catch(() => null);
          return { label, state: age?.state };
        }),
      );
      return found.flatMap(({ label, state }) => {
        if (state !== 'ageing' && state !== 'expired') return [];
        const text = state === 'expired' ? 'A credential is past its age.' : 'A credential is due for rotation.';
        const severity = state === 'expired' ? ('error' as const) : ('warning' as const);
        return [{ kind: 'secret.age', code: 'SECRET_AGE', severity, place: { secret: label }, text }];
      });
    },
  };
}
