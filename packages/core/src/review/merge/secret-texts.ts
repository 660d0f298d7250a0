import type { SecretPlacement, WithheldSecret } from '../../changes/redacted-change.js';

const NOUNS = {
  'private-key': 'private key',
  'cloud-key': 'cloud key',
  credential: 'credential',
  'private-data': 'value',
} as const;

/** What follows the noun in a title. */
const TITLES: Readonly<Record<SecretPlacement, string>> = {
  added: 'stands in this change',
  unchanged: 'stands in this file, on a line that the change leaves as it is',
  heading: 'stands in this file, on a line that the change leaves as it is',
  removed: 'is removed here, and the history still has it',
  path: 'stands in the path of this file',
  oldPath: 'stands in the former path of this file, and the history still has it',
  description: 'stands in the description of this change',
  user: "stands in the user's name of this change",
  job: 'stands in a job of this change',
};

/** Lines named in a message; the others are counted. */
const MAX_LINES = 10;

function describeOthers(others: readonly WithheldSecret[]): string[] {
  if (others.length === 0) return [];
  const lines = others.flatMap(({ line }) => line ?? []).slice(0, MAX_LINES);
  const rest = others.length - lines.length;
  const named = lines.length === 0 ? [] : [`on ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`];
  const counted =
    rest === 0 ? [] : [`in ${rest} ${named.length === 0 ? '' : 'more '}${rest === 1 ? 'place' : 'places'}`];
  return [`More values were withheld from this file, ${[...named, ...counted].join(' and ')}.`];
}

/**
 * Title and message of a withheld secret's finding: rule, place and what to do. `others` are further
 * places of its file that this finding represents.
 */
export function describeSecret(
  { rule, where = 'added', oldLine, confidence, kind = 'credential' }: WithheldSecret,
  others: readonly WithheldSecret[],
): { title: string; message: string } {
  const noun = NOUNS[kind];
  const isSure = confidence !== 'low';
  const title = isSure
    ? `A ${noun} ${TITLES[where]}; rotate it`
    : `What looks like a ${noun} ${TITLES[where]}; rotate it if it is real`;
  const message = [
    `Redaction withheld a value here from the model, by the rule ${rule}.`,
    ...(isSure ? [] : ['It judged by the text around the value and may be wrong.']),
    ...(oldLine === undefined ? [] : [`It stood on line ${oldLine} before the change.`]),
    ...describeOthers(others),
    'Whoever may read the depot can read the value, in every revision that has it: revoke it where it was issued, issue a new one, and keep that out of the depot.',
  ].join(' ');
  return { title, message };
}
