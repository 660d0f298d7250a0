import { codeBefore, isIn, isQuote, isSpace, WORD } from '../lexicon/charset.js';

/** What is looked at before a name. */
const BEFORE = 72;

/**
 * Words that give the name after them a value: `#define X "v"`, `set(X "v")`, `setenv X v`, `(def x
 * "v")`, nginx's `set $x v;`, `fastcgi_param X v;`.
 */
const DECLARING = new Set(
  (
    'define set setx setenv def defvar defconst defparameter setq setf env arg export global ' +
    'proxy_set_header grpc_set_header fastcgi_param uwsgi_param scgi_param'
  ).split(' '),
);
const LONGEST_DECLARING = 16;
/** Options between such a word and the name: `set -gx`. */
const MOST_OPTIONS = 2;

/** A call whose next argument belongs to the name in quotes: it sets, defines or gives a default. */
const GIVES_VALUE =
  /(?:(?:set|(?<![nt])put|define|env|fetch|append|getenv|getProperty|setdefault|String(?:Var)?|\.get|\.Add|VALUES )\w{0,24}(?:::\w{1,24})?)\((?:[^()\n"']{1,24},[ \t]{0,4})?(?:\w{1,24}\()?[@$:NLu]?["'`]$/i;

/**
 * Copies a literal into a variable: `strcpy(config->name, "v")`; names it for a script: `set :name,
 * 'v'`; puts it under a constant: `env.put(Context.CREDENTIALS, "v")`.
 */
const TAKES_COPY =
  /(?:\bstr(?:n|l)?cpy(?:_s)?\((?:[\w.>[\]-]{1,40}(?:\.|->))?|(?:^|\s)set[ \t]{1,4}:|\.(?:put|putString|set|setString|setProperty)\([ \t]{0,2})$/;

/** A member (`.password(`) or a declared variable (`std::string password(`). */
const MEMBER_OR_VARIABLE = /(?:\.|->|[A-Za-z0-9_>&*][ \t]{1,4})$/;

const before = (text: string, at: number): string => text.slice(Math.max(0, at - BEFORE), at);

/** True when a word before the name at `keyStart` says that what follows the name is its value. */
export function declares(text: string, keyStart: number): boolean {
  let at = keyStart;
  if (':$\'"'.includes(text.charAt(at - 1))) at -= 1;
  for (let options = 0; options <= MOST_OPTIONS; options += 1) {
    let end = at;
    while (at - end < 4 && (isSpace(text.charCodeAt(end - 1)) || text.charCodeAt(end - 1) === 40)) end -= 1;
    if (end === at) return false;
    let start = end;
    while (end - start < LONGEST_DECLARING && isIn(WORD, text.charCodeAt(start - 1))) start -= 1;
    const lead = text.charCodeAt(start - 1);
    if (lead !== 45 || options === MOST_OPTIONS)
      return !isIn(WORD, lead) && DECLARING.has(text.slice(start, end).toLowerCase());
    at = start - 1;
  }
  return false;
}

/** True when the call that the quoted name at `keyStart` is an argument of takes its value next. */
export function givesValue(text: string, keyStart: number): boolean {
  return isQuote(text.charCodeAt(keyStart - 1)) && GIVES_VALUE.test(before(text, keyStart));
}

/** True when a literal after the name at `keyStart` and a comma becomes the name's value. */
export function takesCopy(text: string, keyStart: number): boolean {
  return TAKES_COPY.test(before(text, keyStart));
}

/** `strcmp(password, "v")`; a tuple of Erlang: `{password, "v"}`. */
const COMPARES =
  /(?:\{[ \t]{0,2}|\b(?:str(?:n|case|ncase|i)?cmp|memcmp|hash_equals|lstrcmpA?)\((?:[\w.>[\]-]{1,40}(?:\.|->))?)$/i;

/** True when a literal after the name at `keyStart` and a comma is compared with it or belongs to it. */
export function isCompared(text: string, keyStart: number): boolean {
  return COMPARES.test(before(text, keyStart));
}

/** True when the name at `keyStart` is called as a setter or declared with its value in brackets. */
export function isInitialized(text: string, keyStart: number, name: string): boolean {
  const lead = before(text, keyStart);
  // SQL: `SET PASSWORD FOR x = PASSWORD('v')`.
  if (name === 'PASSWORD' && lead.endsWith('= ')) return true;
  return /(?:^|[._])[sS]et[A-Z_]/.test(name) || name.startsWith('.') || MEMBER_OR_VARIABLE.test(lead);
}

/** True when name and literal fill their line: `password 'v'`, `:password "v"`. */
export function fillsLine(text: string, lineStart: number, keyStart: number, end: number): boolean {
  for (let at = lineStart; at < keyStart; at += 1) {
    const code = text.charCodeAt(at);
    if (!isSpace(code) && !'-+:{('.includes(text.charAt(at))) return false;
  }
  return /^["'`][ \t]{0,8}[,;)}\]]{0,4}[ \t]{0,8}(?:\r?\n|$)/.test(text.slice(end, end + 24));
}

/**
 * `arn:aws:…`, `arn:aws:secretsmanager:…:secret:name`: true for a step of a resource's name, which
 * is no name with a value.
 */
export function isInResourceName(text: string, keyStart: number): boolean {
  if (codeBefore(text, keyStart) !== 58) return false;
  const lead = text.slice(Math.max(0, keyStart - 90), keyStart);
  return lead.includes('arn:') && /arn:(?:[\w:*-]{1,80}:)?$/.test(lead);
}
