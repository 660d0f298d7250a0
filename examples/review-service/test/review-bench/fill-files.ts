// Functions that nobody planted anything in: they make files as long as real ones, and harmless
// edits of them are the decoys of a change.
import type { Draw } from './draw.js';
import { readFillers } from './read-corpus.js';

const verbs = ['sum', 'count', 'collect', 'measure', 'rank', 'merge', 'scan', 'total'];
const nouns = ['player', 'ticket', 'region', 'batch', 'weapon', 'vehicle', 'reward', 'socket', 'widget', 'sensor'];
const locals = ['result', 'sum', 'picked', 'outcome', 'answer', 'tally'];
const comments = [
  'The server counts from one, the client from nothing.',
  'Values below the limit are noise of the measurement.',
  'Kept apart, so that the table above stays readable.',
  'Called once a frame at most.',
  'The designers set the limit; see their sheet.',
  'Small and pure, which makes it easy to test.',
];

/** One generated function. */
export interface Filler {
  template: string;
  verb: string;
  noun: string;
  local: string;
  comment: string;
  /** Makes its name unlike any other's. */
  number: number;
}

const fillers = readFillers();
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Draws functions that fit a place of this kind; `number` counts on from there. */
export function drawFillers(draw: Draw, place: string, count: number, number: () => number): Filler[] {
  const templates = fillers[place];
  if (templates === undefined) throw new Error(`the corpus has no functions for ${place}`);
  return Array.from({ length: count }, () => ({
    template: draw.pick(templates),
    verb: draw.pick(verbs),
    noun: draw.pick(nouns),
    local: draw.pick(locals),
    comment: draw.pick(comments),
    number: number(),
  }));
}

/** The function as lines, with the empty ones behind it. */
export function renderFiller({ template, verb, noun, local, comment, number }: Filler): string[] {
  const values: Readonly<Record<string, string>> = {
    ...{ verb, noun, local, comment, n: String(number) },
    ...{ Verb: capital(verb), Noun: capital(noun) },
  };
  return template.replaceAll(/%(\w+)%/g, (_, name: string) => values[name] ?? '').split('\n');
}

/** Harmless edits, by name. Each gives other fillers that do the same. */
const decoys: Readonly<Record<string, (draw: Draw, list: readonly Filler[]) => readonly Filler[]>> = {
  'reworded comment': (draw, list) => alterOne(draw, list, (one) => ({ ...one, comment: draw.pick(comments) })),
  'renamed local': (draw, list) => alterOne(draw, list, (one) => ({ ...one, local: draw.pick(locals) })),
  'moved function': (draw, list) => {
    const at = draw.between(0, Math.max(0, list.length - 2));
    return [...list.slice(0, at), ...list.slice(at, at + 2).reverse(), ...list.slice(at + 2)];
  },
  'empty line': (draw, list) => alterOne(draw, list, (one) => ({ ...one, template: spaceOut(one.template) })),
};

/** An empty line above the last line with text. */
function spaceOut(template: string): string {
  const lines = template.split('\n');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return [...lines.slice(0, last), '', ...lines.slice(last)].join('\n');
}

function alterOne(draw: Draw, list: readonly Filler[], alter: (one: Filler) => Filler): readonly Filler[] {
  const at = draw.between(0, list.length - 1);
  return list.map((one, index) => (index === at ? alter(one) : one));
}

/** The fillers after one harmless edit; itself where there is none to edit. */
export function editHarmlessly(draw: Draw, list: readonly Filler[]): readonly Filler[] {
  if (list.length === 0) return list;
  const decoy = decoys[draw.pick(Object.keys(decoys))];
  return decoy?.(draw, list) ?? list;
}
