import { checkFields } from './check-options.js';
import { checkArray, checkName } from './option-checks.js';

/** A link for each thing of a kind: `https://swarm.example.com/changes/{change}`. */
export interface UrlTemplateNames<Name extends string> {
  /** The names that may stand in braces. */
  names: readonly Name[];
  /** The one without which all links would be the same. */
  required: Name;
}

const placeholder = /\{([^{}]*)\}/g;
const maxTemplateChars = 1_000;

/**
 * Checks a template once and gives the function that fills it in. Values are percent-encoded, so
 * none leaves its place: scheme, host and port are the template's. Throws a `TypeError` that begins
 * with `option` for anything but an http or https URL with `{required}` behind its host, and no
 * other names in braces than those given.
 */
export function createUrlTemplate<Name extends string>(
  option: string,
  template: string,
  allowed: UrlTemplateNames<Name>,
): (values: Readonly<Record<Name, string | number>>) => string {
  checkFields<UrlTemplateNames<Name>>('createUrlTemplate: names', allowed, { names: checkArray, required: checkName });
  const { names, required } = allowed;
  const refuse = (expected: string): TypeError => new TypeError(`${option}: expected ${expected}`);
  if (
    typeof template !== 'string' ||
    template.length > maxTemplateChars ||
    !/^https?:\/\/[\x21-\x7e]+$/i.test(template)
  )
    throw refuse(`an http or https URL of at most ${maxTemplateChars} printable characters`);
  const used = [...template.matchAll(placeholder)].map(([, name]) => name);
  if (!used.includes(required) || used.some((name) => !names.some((known) => known === name)))
    throw refuse(`{${required}} in the URL, and in braces no other name than ${names.join(', ')}`);
  const sample = template.replace(placeholder, '1');
  if (/[{}\\]/.test(sample) || !URL.canParse(sample)) throw refuse('a URL that can be parsed');
  const [authority = ''] = template.replace(/^[a-z]+:\/\//i, '').split(/[/?#]/);
  if (authority === '' || /[{@]/.test(authority)) throw refuse('a URL with a fixed host and no user');
  return (values) =>
    new URL(template.replace(placeholder, (_whole, name: Name) => encodeURIComponent(values[name]))).href;
}
