import { cutAtCharacter } from '../truncate-text.js';

/** One step of a JSON path: a member's name or an item's index. */
export type Step = string | number;

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;
/** UTF-8 bytes of one name in a path, and of a path: paths are for reading. */
const MAX_NAME_BYTES = 64;
const MAX_PATH_BYTES = 512;

/** `text` cut at a character, with `…` where something is left out. At most `maxBytes` and the ellipsis. */
function shorten(text: string, maxBytes: number): string {
  const { kept } = cutAtCharacter(text, maxBytes);
  return kept.length < text.length ? `${kept}…` : text;
}

function writeStep(step: Step): string {
  if (typeof step === 'number') return `[${step}]`;
  const name = shorten(step, MAX_NAME_BYTES);
  return PLAIN_NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** `$.user["odd name"][0]`, at most 512 bytes and an ellipsis. */
export function formatJsonPath(steps: readonly Step[]): string {
  return shorten(`$${steps.map(writeStep).join('')}`, MAX_PATH_BYTES);
}
