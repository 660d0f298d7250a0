import { checkFields, type OptionCheck, type OptionShape, optional } from '@criticizer/core/internal';
import { defaultLabels } from './review-mail-input.js';

const checkText: OptionCheck = (option, value) => {
  if (typeof value !== 'string') throw new TypeError(`${option}: expected a string`);
};

/** Words by a key of any name. */
const checkWords: OptionCheck = (option, value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${option}: expected an object of strings`);
  for (const [key, word] of Object.entries(value)) checkText(`${option}.${key}`, word);
};

const labelsShape: OptionShape<object> = Object.fromEntries(
  Object.entries(defaultLabels).map(([label, word]) => [
    label,
    optional(typeof word === 'string' ? checkText : checkWords),
  ]),
);

/** The check of an option `labels`: some of `ReviewMailLabels`, each of its type. */
export const checkLabels: OptionCheck = (option, value) => checkFields(option, value, labelsShape);
