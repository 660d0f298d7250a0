// The checks of the service as lines for a person.
import type { Check, Readiness, SecretsCheck } from '../http/readiness.js';

/** What to do about a check, where its code does not say. */
const remedies: Readonly<Record<string, string>> = { SCHEMA_OLD: 'To do: run migrate.' };

/** A fact of a check in words; what is not listed here is left to `--json`. */
const facts: Readonly<Record<string, (value: unknown) => string>> = {
  due: (jobs) => `${jobs} due`,
  scheduled: (jobs) => `${jobs} scheduled`,
  running: (jobs) => `${jobs} running`,
  freeMb: (mb) => `${mb} MB free`,
  says: (text) => String(text),
  skewMs: (ms) => `${ms} ms off the database's clock`,
};

/** Secrets that cannot be read, then those that are due for rotation, a line each. */
function renderSecrets({ missing = [], old = [] }: SecretsCheck, maxAgeDays: number): readonly string[] {
  return [
    ...missing.map(({ secret, code }) =>
      code === 'SECRET_MISSING' ? `${secret} is missing or empty` : `${secret} cannot be used (${code})`,
    ),
    ...old.map(({ secret, days, state }) =>
      state === 'expired'
        ? `${secret} is ${days} days old, past its ${maxAgeDays}. To do: rotate it.`
        : `${secret} is ${days} days old: rotate it before ${maxAgeDays}`,
    ),
  ];
}

function renderCheck(name: string, check: Check, maxAgeDays: number): readonly string[] {
  const known = Object.entries(check).flatMap(([key, value]) => facts[key]?.(value) ?? []);
  const state = [check.ok ? 'good' : check.code, known.join(', '), remedies[check.code ?? ''] ?? ''];
  const more = name === 'secrets' ? renderSecrets(check as SecretsCheck, maxAgeDays) : [];
  return [
    `  ${name.padEnd(10)}  ${state.filter((part) => part !== '').join('  ')}`,
    ...more.map((line) => `${' '.repeat(14)}${line}`),
  ];
}

/** One line a check, and one for each secret that somebody must look at. No value is shown. */
export function renderChecks(checks: Readiness['checks'], maxAgeDays: number): string {
  return Object.entries(checks)
    .flatMap(([name, check]) => renderCheck(name, check, maxAgeDays))
    .join('\n');
}
