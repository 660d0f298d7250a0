// npm run check:outline -- [--folder DIR]... [--files N] [--seed S]
// Compares the outline with ctags, Python's ast and the TypeScript compiler on sources of this machine,
// whole and with a damaged function.
import { parseArgs } from 'node:util';
import { enclosing } from '../../src/outline/find-section.js';
import type { Language } from '../../src/outline/language.js';
import { outline } from '../../src/outline/outline.js';
import { type Body, damages } from './damage.js';
import { innermost, type Peer, type PeerSection, peers } from './peer.js';
import { createRandom, drawSamples, listSources, type Sample } from './sources.js';

const linesAFile = 20;
/** An end counts in a damaged function when it is at most so many lines off. */
const slack = 2;

/** How many positions were judged, and in how many the outline says what the peer does. */
interface Agreement {
  right: number;
  all: number;
}

const percent = ({ right, all }: Agreement): string => (all === 0 ? '–' : ((100 * right) / all).toFixed(1));

function judge(
  ours: Pick<PeerSection, 'nameLine' | 'endLine'> | undefined,
  truth: PeerSection | undefined,
  off: number,
): boolean {
  if (ours === undefined || truth === undefined) return ours === undefined && truth === undefined;
  return ours.nameLine === truth.nameLine && Math.abs(ours.endLine - truth.endLine) <= off;
}

/** The lines at which the outline and the peer both know who holds them: heads above a name differ by tool. */
function countAgreement(
  text: string,
  language: Language,
  asked: { positions: readonly number[]; truth: readonly PeerSection[]; off: number },
): Agreement {
  const known = outline(text, language);
  const agreement = { right: 0, all: 0 };
  if (known === undefined) return agreement;
  const own = { ...known, sections: known.sections.filter(({ kind }) => kind !== 'key') };
  for (const line of asked.positions) {
    const ours = enclosing(own, line, line);
    const truth = innermost(asked.truth, line);
    if ((ours !== undefined && line < ours.nameLine) || (truth !== undefined && line < truth.nameLine)) continue;
    agreement.all += 1;
    if (judge(ours, truth, asked.off)) agreement.right += 1;
  }
  return agreement;
}

function sum(some: readonly Agreement[]): Agreement {
  return some.reduce((so, { right, all }) => ({ right: so.right + right, all: so.all + all }), { right: 0, all: 0 });
}

/** The body of a function in braces, from 0; null for any other. */
function bodyOf({ isFunction, nameLine, endLine }: PeerSection, lines: readonly string[]): Body | null {
  if (!isFunction) return null;
  const open = lines.findIndex((line, at) => at >= nameLine - 1 && line.includes('{'));
  if (open < 0 || open + 3 > endLine - 2 || !/^\s*\}/.test(lines[endLine - 1] ?? '')) return null;
  return { first: open + 1, last: endLine - 2 };
}

/** Agreement in a damaged function and after it. */
interface Recovery {
  inside: Agreement;
  after: Agreement;
}

function damageOne(
  { lines, positions }: Sample,
  truth: readonly PeerSection[],
  about: { name: string; language: Language; random: () => number },
): Recovery | null {
  const bodies = truth.flatMap((section) => {
    const body = bodyOf(section, lines);
    const isOuter = truth.some(
      (other) => other !== section && other.startLine > section.startLine && other.endLine < section.endLine,
    );
    return body === null || isOuter ? [] : [{ section, body }];
  });
  const chosen = bodies[Math.floor(about.random() * bodies.length)];
  const damage = damages[about.name];
  if (chosen === undefined || damage === undefined) return null;
  const { section, body } = chosen;
  const at = body.first + 1 + Math.floor(about.random() * (body.last - body.first));
  const damaged = damage(lines, body, at);
  const move = (line: number): number => (line - 1 >= damaged.from ? line + damaged.shift : line);
  const moved = truth.map((one) => ({
    ...one,
    startLine: move(one.startLine),
    nameLine: move(one.nameLine),
    endLine: Math.min(move(one.endLine), damaged.lines.length),
  }));
  const inside = positions.filter((line) => line > body.first && line <= body.last && line <= damaged.lines.length);
  const after = positions.filter((line) => line > section.endLine && move(line) <= damaged.lines.length);
  const ask = (some: readonly number[]): Agreement =>
    countAgreement(damaged.lines.join('\n'), about.language, { positions: some.map(move), truth: moved, off: slack });
  return { inside: ask(inside), after: about.name === 'file cut off' ? { right: 0, all: 0 } : ask(after) };
}

/** Languages of braces, of which functions are damaged. */
const broken: ReadonlySet<Language> = new Set(['cpp', 'c', 'csharp', 'java', 'go', 'typescript', 'javascript']);

function checkLanguage(
  peer: Peer,
  language: Language,
  paths: readonly string[],
  options: { files: number; seed: number },
): boolean {
  const random = createRandom(options.seed);
  const samples = drawSamples(paths, { random, files: options.files, positions: linesAFile });
  if (samples.length === 0) return true;
  const known = peer.read(
    samples.map(({ path }) => path),
    language,
  );
  if (known === null) return false;
  const read = samples.flatMap((sample) => {
    const truth = known.get(sample.path);
    return truth === undefined ? [] : [{ sample, truth }];
  });
  const whole = sum(
    read.map(({ sample: { lines, positions }, truth }) =>
      countAgreement(lines.join('\n'), language, { positions, truth, off: 0 }),
    ),
  );
  console.log(`| ${language} | ${peer.name} | ${read.length} | ${whole.all} | ${percent(whole)} |`);
  if (broken.has(language)) checkDamages(language, read, random);
  return true;
}

const recoveries: string[] = [];

function checkDamages(
  language: Language,
  read: readonly { sample: Sample; truth: readonly PeerSection[] }[],
  random: () => number,
): void {
  for (const name of Object.keys(damages)) {
    const found = read.flatMap(({ sample, truth }) => damageOne(sample, truth, { name, language, random }) ?? []);
    const [inside, after] = [sum(found.map((one) => one.inside)), sum(found.map((one) => one.after))];
    if (inside.all > 0)
      recoveries.push(
        `| ${language} | ${name} | ${percent(inside)} of ${inside.all} | ${percent(after)} of ${after.all} |`,
      );
  }
}

function main(): void {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', multiple: true, default: ['node_modules', '/usr/include', '/usr/lib/python3'] },
      files: { type: 'string', default: '150' },
      seed: { type: 'string', default: '1' },
    },
  });
  const sources = listSources(values.folder);
  console.log('| language | peer | files | lines | same section, % |\n| --- | --- | --- | --- | --- |');
  for (const peer of peers) {
    for (const language of peer.languages) {
      const options = { files: Number(values.files), seed: Number(values.seed) };
      const paths = sources.get(language) ?? [];
      if (!checkLanguage(peer, language, paths, options))
        console.log(`| ${language} | ${peer.name} is not installed |  |  |  |`);
      else if (paths.length === 0) console.log(`| ${language} | no sources |  |  |  |`);
    }
  }
  console.log('\n| language | damage to a function | same section in it, % | after it, % |\n| --- | --- | --- | --- |');
  console.log(recoveries.join('\n'));
}

main();
