import { createPayloadRedactor } from '@criticizer/redact';
import pinoRedact from '@pinojs/redact';
import fastRedact from 'fast-redact';
import { type Configured, createRows, judge, judgeRatio, type Outcome } from '../measurement.ts';
import { median } from '../statistics.ts';
import { sample } from './sample.ts';

/** Takes an object, gives the line that would be logged. */
type Serializer = (value: object) => string;

interface Contender extends Configured {
  serialize: Serializer;
}

/**
 * The members to hide, as the peers must be told them: exact paths. Ours finds them by name, at any
 * depth, and reads every text besides.
 */
const paths = ['password', 'apiKey', 'token', 'user.email'];

function contenders(): readonly Contender[] {
  const names = createPayloadRedactor({ attachMeta: false, texts: false });
  const logs = createPayloadRedactor({ attachMeta: false });
  const audit = createPayloadRedactor();
  return [
    { name: 'JSON.stringify', library: undefined, settings: {}, serialize: (value) => JSON.stringify(value) },
    {
      name: 'criticizer, names',
      library: '@criticizer/redact',
      settings: { attachMeta: false, texts: false, paths: 'recorded' },
      serialize: (value) => JSON.stringify(names.redact(value).value),
    },
    {
      name: 'criticizer, logs',
      library: '@criticizer/redact',
      settings: { attachMeta: false, texts: 'every rule', paths: 'recorded' },
      serialize: (value) => JSON.stringify(logs.redact(value).value),
    },
    {
      name: 'criticizer, audit',
      library: '@criticizer/redact',
      settings: { attachMeta: true, texts: 'every rule', paths: 'in the output' },
      serialize: (value) => JSON.stringify(audit.redact(value).value),
    },
    { name: 'fast-redact', library: 'fast-redact', settings: { paths }, serialize: fastRedact({ paths }) },
    { name: '@pinojs/redact', library: '@pinojs/redact', settings: { paths }, serialize: pinoRedact({ paths }) },
  ];
}

const metric = 'redact and serialize, MB of input';

/**
 * JSON redaction beside its peers: each round runs every contender over the same objects, beginning
 * with the next one.
 */
export function jsonRedaction({ rounds, quick }: { rounds: number; quick: boolean }): Outcome {
  const table = createRows();
  const all = contenders();
  const objects = Array.from({ length: quick ? 500 : 2_000 }, (_, n) => sample(n));
  const megabytes = objects.reduce((sum, one) => sum + JSON.stringify(one).length, 0) / 1e6;
  const repeats = quick ? 4 : 40;
  // For the compiler, uncounted.
  for (const { serialize } of all) megabytesPerSecond(serialize, objects, megabytes, repeats);
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < all.length; i += 1) {
      const { name, serialize } = all[(i + round) % all.length] as Contender;
      globalThis.gc?.();
      table.row(name, metric, 'MB/s').rounds.push(megabytesPerSecond(serialize, objects, megabytes, repeats));
    }
  }
  const rowOf = (name: string) => table.rows.find((row) => row.contender === name);
  const names = rowOf('criticizer, names');
  const speed = {
    id: 'json-speed',
    says: 'MB/s of key redaction with recorded paths',
    target: 90,
    better: 'higher',
  } as const;
  const pino = {
    id: 'json-pino',
    says: 'times @pinojs/redact, which copies too',
    target: 1,
    better: 'higher',
  } as const;
  return {
    rows: table.rows,
    contenders: all.map(({ name, library, settings }) => ({ name, library, settings })),
    targets: [judge(speed, median(names?.rounds ?? [])), judgeRatio(pino, names, rowOf('@pinojs/redact'))],
    notes: [
      `${objects.length} objects of 20 fields, ${Math.round((megabytes * 1e6) / objects.length)} bytes each, ${repeats} times a round`,
      'fast-redact searches nothing: it writes into the object at the paths given, and restores them',
    ],
  };
}

function megabytesPerSecond(
  serialize: Serializer,
  objects: readonly object[],
  megabytes: number,
  repeats: number,
): number {
  let length = 0;
  const from = performance.now();
  for (let i = 0; i < repeats; i += 1) for (const one of objects) length += serialize(one).length;
  const seconds = (performance.now() - from) / 1000;
  if (length === 0) throw new Error('nothing was written');
  return (megabytes * repeats) / seconds;
}
