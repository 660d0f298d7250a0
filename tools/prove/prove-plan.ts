// Which rows `npm run prove` proves. Pure: no files, no git.
import type { Requirement } from '../docs/conformance.js';
import type { Fault } from './faults.js';

export interface ProveRequest {
  all: boolean;
  /** Skips the run without the fault. */
  fast: boolean;
  ids: readonly string[];
  seed: string | undefined;
  /** How many rows of the unchanged to prove. */
  sample: number;
}

const usage = 'usage: npm run prove [-- [--all] [--fast] [--seed TEXT] [--sample N] [ID …]]';

/** Throws a one-line Error for arguments it does not know. */
export function parseProveArguments(args: readonly string[]): ProveRequest {
  const request = { all: false, fast: false, ids: [] as string[], seed: undefined as string | undefined, sample: 6 };
  const left = args.filter((arg) => arg !== '--');
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === '--all') request.all = true;
    else if (arg === '--fast') request.fast = true;
    else if (arg === '--seed') request.seed = left.shift();
    else if (arg === '--sample') request.sample = Number(left.shift());
    else if (/^[A-Z][A-Z0-9]*-\d+$/.test(arg)) request.ids.push(arg);
    else throw new Error(`prove: '${arg}' is neither an option nor a requirement ID; ${usage}`);
  }
  if (!Number.isInteger(request.sample) || request.sample < 0)
    throw new Error(`prove: --sample expects a whole number; ${usage}`);
  return request;
}

export interface PlanInput {
  request: ProveRequest;
  requirements: readonly Requirement[];
  faults: readonly Fault[];
  /** Files changed since the base, from the root of the repository. */
  changed: ReadonlySet<string>;
  /** The test files of an ID. */
  testsOf: (id: string) => Iterable<string>;
  seed: string;
}

/** The faults to plant, in the order of the table. Throws for an ID asked for that has no fault. */
export function planFaults({ request, requirements, faults, changed, testsOf, seed }: PlanInput): Fault[] {
  if (request.ids.length > 0) {
    const lost = request.ids.filter((id) => !faults.some((fault) => fault.id === id));
    if (lost.length > 0) throw new Error(`prove: no fault in tools/prove/faults.ts for ${lost.join(', ')}`);
    return faults.filter((fault) => request.ids.includes(fault.id));
  }
  const met = new Map(requirements.filter((r) => r.status === 'met').map((r) => [r.id, r]));
  const rows = faults.filter((fault) => met.has(fault.id));
  if (request.all) return rows;
  const touched = (fault: Fault): boolean =>
    changed.has(fault.file) ||
    [...testsOf(fault.id)].some((file) => changed.has(file)) ||
    (met.get(fault.id)?.implementedIn ?? []).some((path) =>
      [...changed].some((file) => file === path || file.startsWith(`${path}/`)),
    );
  const chosen = new Set([
    ...takeSeeded(rows.filter(touched), mostChanged, seed),
    ...takeSeeded(
      rows.filter((row) => !touched(row)),
      request.sample,
      seed,
    ),
  ]);
  return rows.filter((row) => chosen.has(row));
}

/** A change of everything is proven by a sample too: CI has a time limit, `--all` has none. */
const mostChanged = 12;

/** `count` of the rows, the same for the same seed and rows. */
export function takeSeeded(rows: readonly Fault[], count: number, seed: string): Fault[] {
  return rows
    .map((row) => ({ row, rank: hash(`${seed} ${row.id} ${row.file} ${row.find}`) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ row }) => row);
}

/** FNV-1a, 32 bits, with a final mix so that texts alike in their beginnings spread. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x45d9f3b);
  return (h ^ (h >>> 16)) >>> 0;
}
