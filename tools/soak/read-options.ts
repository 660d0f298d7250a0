import { parseArgs } from 'node:util';
import type { StoreAddress } from './soak-store.js';

/** Numbers of a soak from its command line, `--seed` and `--store` among them. Throws `TypeError` for what is none. */
export function readOptions<Name extends string>(
  args: readonly string[],
  defaults: Readonly<Record<Name, number>>,
): Record<Name | 'seed', number> & { store: StoreAddress['store'] } {
  const text = { type: 'string' } as const;
  const numbers: Readonly<Record<string, number>> = { ...defaults, seed: Math.floor(Date.now() / 1_000) };
  const options = Object.fromEntries([...Object.keys(numbers), 'store'].map((name) => [name, text]));
  const { values } = parseArgs({ args: args.filter((arg) => arg !== '--'), options });
  const store = (['pg', 'sqlite'] as const).find((known) => known === (values['store'] ?? 'pg'));
  if (store === undefined) throw new TypeError('--store: expected pg or sqlite');
  const read = Object.entries(numbers).map(([name, byDefault]) => {
    const value = Number(values[name] ?? byDefault);
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TypeError(`--${name}: expected a whole number from 1, not ${values[name]}`);
    return [name, value] as const;
  });
  return { ...(Object.fromEntries(read) as Record<Name | 'seed', number>), store };
}
