import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Language, languageOf } from '../../src/outline/language.js';

/** A file of the machine, and lines of it that are compared. */
export interface Sample {
  path: string;
  lines: readonly string[];
  /** 1-based, ascending, none of them blank. */
  positions: readonly number[];
}

const maxBytes = 300_000;
/** Files with such lines were made by tools. */
const maxColumns = 400;

/** Numbers from 0 to 1, the same ones for a seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function draw<T>(random: () => number, all: readonly T[], count: number): readonly T[] {
  const rest = [...all];
  for (let at = 0; at < Math.min(count, rest.length); at += 1) {
    const other = at + Math.floor(random() * (rest.length - at));
    [rest[at], rest[other]] = [rest[other] as T, rest[at] as T];
  }
  return rest.slice(0, count);
}

/** Made by tools, declarations alone, or of this project, which was in view when the outline was written. */
const leftOut = /\.d\.[cm]?ts$|\.min\.|(?:^|\/)(?:dist|@criticizer)\/|\.jsx$/;

/** Paths below the folders by language, sorted; folders that are not there hold none. */
export function listSources(folders: readonly string[]): ReadonlyMap<Language, readonly string[]> {
  const byLanguage = new Map<Language, string[]>();
  for (const folder of folders.filter((one) => existsSync(one))) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const language = languageOf(name);
      if (language === undefined || leftOut.test(name)) continue;
      const known = byLanguage.get(language);
      if (known === undefined) byLanguage.set(language, [join(folder, name)]);
      else known.push(join(folder, name));
    }
  }
  return byLanguage;
}

/** Up to `files` readable sources at random, with up to `positions` lines each. */
export function drawSamples(
  paths: readonly string[],
  { random, files, positions }: { random: () => number; files: number; positions: number },
): readonly Sample[] {
  const samples = new Map<string, Sample>();
  for (const named of draw(random, paths, files * 4)) {
    if (samples.size >= files) break;
    const path = realpathSync(named);
    const about = statSync(path, { throwIfNoEntry: false });
    if (about === undefined || !about.isFile() || about.size > maxBytes || about.size === 0) continue;
    const lines = readFileSync(path, 'utf8').split(/\r?\n/);
    if (lines.some((line) => line.length > maxColumns)) continue;
    const filled = lines.flatMap((line, at) => (line.trim() === '' ? [] : [at + 1]));
    samples.set(path, { path, lines, positions: [...draw(random, filled, positions)].sort((a, b) => a - b) });
  }
  return [...samples.values()];
}
