import { parseArgs } from 'node:util';

export interface Options {
  only: readonly string[];
  rounds: number;
  quick: boolean;
  json: string | undefined;
  check: boolean;
  help: boolean;
}

/** Throws `TypeError` with what is wrong. */
export function readOptions(args: string[], known: readonly string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
      prepared: { type: 'boolean', default: false }, // the launcher's
      help: { type: 'boolean', default: false },
    },
  });
  const { quick, json, check, help } = values;
  const only = values.only?.split(',') ?? known;
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`--only: ${unknown}: expected some of ${known.join(',')}`);
  const rounds = Number(values.rounds ?? (quick ? 1 : 3));
  if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds: expected a whole number from 1');
  return { only, rounds, quick, json, check, help };
}

export const helpOf = (lines: readonly string[]): string => `npm run bench:queue -- [options]

  --only NAME,…   these measurements alone
  --rounds N      rounds of each measurement, interleaved between the contenders (3)
  --quick         one round of small sizes: shows that all of it runs; its figures mean nothing
  --json FILE     writes the results
  --check         exit code 1 also where a target fails
  --prepared      the packages as packed by the last run, not as they are now
  --help

${lines.join('\n')}
`;
