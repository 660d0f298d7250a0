import {
  codeAt,
  codeBefore,
  isBreak,
  isIn,
  isLower,
  isQuote,
  isSpace,
  isUpper,
  pastSpaces,
  WORD,
} from '../../lexicon/charset.js';
import { pastSpacedType, pastTypeAndEquals } from '../../lexicon/declared-types.js';
import { isMentioned, isOption } from '../../lexicon/option-names.js';
import { type Link, link, linkTo } from './link.js';
import { nextCell, nextElement, pastAttributes, pastInnerTag } from './markup-links.js';
import { namedValueAt } from './named-values.js';
import { proseValueStart } from './prose-values.js';

/** `"password": { "value": `, here or on the lines below: parameters of ARM templates and their kin. */
const WRAPPED_VALUE =
  /\{\s{0,40}(?:\\{0,3}["'])?(?:value|default|defaultValue|key|secret|token|plaintext)(?:\\{0,3}["'])?[ \t]{0,4}[:=][ \t]{0,4}/iy;
/** What CloudFormation and its kin say of a parameter before its default. */
const LISTED_DEFAULT =
  /\r?\n[-+ ]?[ \t]{1,24}(?:(?:noEcho|type|description|constraintDescription|m(?:in|ax)Length|allowedPattern)[ \t]{0,4}:[^\n]{0,120}\r?\n[-+ ]?[ \t]{1,24}){0,6}(?:default|value)[ \t]{0,4}:[ \t]{1,8}/iy;
/** What YAML allows before a value: an anchor, the tag of a text, Ansible's. */
const PROPERTY = /(?:&[\w-]{1,40}|!!(?:str|binary)|!unsafe)[ \t]{1,8}/y;
/** Options of a declared argument between its name and its default: `type=str, help="…", `. */
const DECLARED_DEFAULT =
  /["'](?:,[ \t]{0,4}(?!default\b)[a-z_]{2,16}[ \t]?=[ \t]?(?:[\w.]{1,40}|"[^"\n]{0,80}"|'[^'\n]{0,80}')){0,6},[ \t]{0,4}default[ \t]?=[ \t]?/y;
/** `variable "name" {` and, lines below, `default = `. */
const BLOCK_DEFAULT =
  /"[ \t]{0,4}\{[ \t]{0,4}(?:\r?\n[-+ ]?[ \t]{0,16}(?!default\b)[a-z_]{2,24}[ \t]{0,8}=[^\n]{0,120}){0,6}\r?\n[-+ ]?[ \t]{0,16}default[ \t]{0,8}=[ \t]{0,4}/y;
/** What PHP's dump says of a text before it. */
const DUMPED = /=>\s{0,24}string\(\d{1,5}\) (?=")/y;
/** `Password: <b>v</b>`: what a page sets a value off with. */
const SET_OFF = /<(?:b|code|strong|em|i|kbd|tt)>/y;
/** `**Password:** v`: what Markdown closes after the colon. */
const EMPHASIS = /(?:\*{1,3}|_{1,2})[ \t]{1,4}(?![\s*_])/y;
const ENCODED_EQUALS = /%(?:25)?3[da]|\\{1,3}u003[da]|&#(?:61|x3d|58|x3a);/iy;
/** `'password').fill(`, `"passwd")).sendKeys(`: what a test types into the field of that name. */
const TYPED = /\.(?:clear\(\)\.)?(?:type|fill|send_?keys|set_?value|val|type_?text|enter_?text)\([ \t]{0,2}(?=["'`])/iy;
/** `fill_in 'Password', with: `. */
const FILLED_WITH = /,[ \t]{0,4}(?:with:|:with[ \t]{0,2}=>)[ \t]{0,4}/y;
/** The verb: `arguments pass to v`. */
const PASSED = /(?:^|[^\w.-])pass $/i;
const PASSED_OVER = /^ pass["'`]/;
/** `password).toBe(`: what a test expects of it. */
const EXPECTED =
  /\)\.(?:to(?:Be|Equal|StrictEqual|Contain)|should\.(?:equal|eql)|to\.(?:equal|eql|be|deep\.equal))\([ \t]{0,2}(?=["'`])/y;
/** `getPassword() { return `, `getPassword()).thenReturn(`: what a getter gives. */
const GIVEN =
  /\(\)(?:\)\.(?:then|will|mock)Return(?:Value|s)?\([ \t]{0,2}|[ \t]{0,4}\{\s{0,40}return[ \t]{1,4})(?=["'`])/y;
/** `['password']['ann'] = `: whose it is. */
const SUBSCRIPT = /\[["'][\w.@-]{1,40}["']\]/y;
/** `!Ref DbPassword`: a tag of the reader's own, which says where the value comes from. */
const LOCAL_TAG = /!(?!unsafe\b)[A-Za-z][\w:.-]{1,30}[ \t]{1,4}[^\s#]/y;

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** The characters right behind a name at which nothing leads to a value. */
const ENDS_NAME = new Uint8Array(128);
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ;*/#$@^~')
  ENDS_NAME[character.charCodeAt(0)] = 1;

/** The quick way out, for names in prose and code. */
function mayLink(text: string, from: number): boolean {
  if (from >= text.length) return false;
  const code = text.charCodeAt(from);
  return code < 128 && ENDS_NAME[code] === 0;
}

/**
 * Reads what stands between a name that ends at `from` and its value; undefined where nothing leads
 * to one. `plain`: no types, as in YAML.
 */
export function linkAfter(text: string, keyStart: number, from: number, plain: boolean): Link | undefined {
  if (!mayLink(text, from)) return undefined;
  link.keyQuoted = false;
  let at = pastClosers(text, from);
  const code = text.charCodeAt(at);
  if (code === 60 || (code === 58 && text.charCodeAt(at + 1) === 60)) {
    const element = nextElement(text, at);
    if (element > 0) return linkTo('element', element);
    const cell = nextCell(text, at);
    if (cell > 0) return linkTo('prose', cell);
  }
  if (code === 46 && at > from && !link.keyQuoted && isAt(EXPECTED, text, at - 1))
    return linkTo('compare', EXPECTED.lastIndex);
  if (code === 91) at = pastBound(text, at);
  if (code === 91 && link.keyQuoted && isAt(SUBSCRIPT, text, at)) at = SUBSCRIPT.lastIndex;
  const spaced = at;
  at = pastSpaces(text, at);
  if (at >= text.length) return undefined;
  if (at > spaced && text.charCodeAt(at) === 91) at = pastSpaces(text, pastBound(text, at));
  const named = at > spaced || link.keyQuoted || text.charCodeAt(at) < 32 ? namedValueAt(text, from, at) : -1;
  if (named >= 0) return linkTo('pair', named);
  if (link.keyQuoted) {
    const next = text.charCodeAt(at);
    if (next === 44 && isAt(DECLARED_DEFAULT, text, from)) return linkTo('assign', DECLARED_DEFAULT.lastIndex);
    if (next === 46 && isAt(TYPED, text, at)) return linkTo('call', TYPED.lastIndex);
    if (next === 44 && isAt(FILLED_WITH, text, at)) return linkTo('pair', FILLED_WITH.lastIndex);
    if (next === 123 && isAt(BLOCK_DEFAULT, text, from)) return linkTo('assign', BLOCK_DEFAULT.lastIndex);
    if (at > spaced && text.startsWith('to ', at)) {
      const set = pastSpaces(text, at + 3);
      return isQuote(codeAt(text, set)) ? linkTo('assign', set) : undefined;
    }
    // `os.environ.get("X") or "v"`.
    const closer = text.charCodeAt(spaced - 1);
    if (at > spaced && (closer === 41 || closer === 93) && text.startsWith('or ', at))
      return linkTo('fallback', pastSpaces(text, at + 3));
  }
  const lead = codeBefore(text, keyStart);
  if (at > spaced && (lead === 60 || lead === 58 || (link.keyQuoted && isQuote(lead)))) {
    const content = pastAttributes(text, spaced);
    if (content > 0) return linkTo('element', content);
  }
  if (at > spaced && isOption(text, keyStart) && startsWord(text.charCodeAt(at)))
    return link.keyQuoted || isMentioned(text, keyStart, at) ? undefined : linkTo('option', at);
  return operatorAt(text, keyStart, at, at > spaced, plain);
}

/** Past the quotes, escaped or not, and brackets that close a key: `"key"`, `\"key\"`, `['key']`, `&quot;key&quot;`. */
function pastClosers(text: string, from: number): number {
  let at = from;
  for (let count = 0; count < 4; count += 1) {
    let quote = at;
    while (text.charCodeAt(quote) === 92 && quote - at < 7) quote += 1;
    const code = text.charCodeAt(quote);
    if (isQuote(code)) {
      link.keyQuoted = true;
      at = quote + 1;
    } else if (quote === at && (code === 93 || code === 41 || (code === 125 && isSubscript(text, at)))) at += 1;
    else if (quote === at && code === 38 && text.startsWith('&quot;', at)) {
      link.keyQuoted = true;
      at += 6;
    } else break;
  }
  return at;
}

/** `$name{key} = `: a brace that closes a subscript. */
function isSubscript(text: string, at: number): boolean {
  const operator = pastSpaces(text, at + 1);
  return text.charCodeAt(operator) === 61 && text.charCodeAt(operator + 1) !== 61;
}

const LONGEST_BOUND = 32;
/** Digits, a colon, `u`; the letters of a macro. */
const isOfBound = (code: number): boolean => (code >= 48 && code <= 58) || isUpper(code) || code === 95 || code === 117;

/** Past an array bound: `[64]`, `[0:3]`, `[16u]`, `[KEY_SIZE]`. */
function pastBound(text: string, at: number): number {
  let end = at + 1;
  while (end - at < LONGEST_BOUND && isOfBound(text.charCodeAt(end))) end += 1;
  return text.charCodeAt(end) === 93 ? end + 1 : at;
}

function startsWord(code: number): boolean {
  return code > 32 && code !== 61 && code !== 58 && code !== 44 && code !== 45;
}

// long: one case for each operator, as a table of what follows a name
function operatorAt(text: string, keyStart: number, at: number, spaced: boolean, plain: boolean): Link | undefined {
  const code = text.charCodeAt(at);
  const next = codeAt(text, at + 1);
  switch (code) {
    case 61: // =
      // `KEY==v`, `KEY=~v` on a line of configuration: the mark is the first of the value.
      if (plain && !spaced && (next === 61 || next === 126) && text.charCodeAt(at + 2) > 32)
        return isQuote(text.charCodeAt(at + 2)) ? undefined : linkTo('assign', at + 1);
      if (next === 61) return linkTo('compare', pastSpaces(text, text.charCodeAt(at + 2) === 61 ? at + 3 : at + 2));
      if (next === 126) return undefined;
      if (next === 62 && text.charCodeAt(at + 2) < 32 && isAt(DUMPED, text, at))
        return linkTo('assign', DUMPED.lastIndex);
      return linkTo('assign', pastSpaces(text, next === 62 ? at + 2 : at + 1));
    case 58: // :
      // `pass :name`: the verb and a symbol.
      if (
        spaced &&
        (isLower(next) || isUpper(next)) &&
        PASSED.test(text.slice(Math.max(0, keyStart - 1), keyStart + 5))
      )
        return undefined;
      return colonAt(text, at, next, plain);
    case 63: // ?
      if (next === 61) return linkTo('assign', pastSpaces(text, at + 2));
      if (next === 63) return linkTo('fallback', pastSpaces(text, text.charCodeAt(at + 2) === 61 ? at + 3 : at + 2));
      return next === 58 ? colonAt(text, at + 1, text.charCodeAt(at + 2), plain) : undefined;
    case 33: // !
      if (next === 61) return linkTo('compare', pastSpaces(text, text.charCodeAt(at + 2) === 61 ? at + 3 : at + 2));
      return next === 58 ? colonAt(text, at + 1, text.charCodeAt(at + 2), plain) : undefined;
    case 43: // +
    case 46: // .
      return next === 61 ? linkTo('assign', pastSpaces(text, at + 2)) : undefined;
    case 124: // |
      if (next === 124) return linkTo('fallback', pastSpaces(text, text.charCodeAt(at + 2) === 61 ? at + 3 : at + 2));
      if (next === 61) return linkTo('assign', pastSpaces(text, at + 2));
      return isIn(WORD, next) && (keyStart === 0 || isBreak(text.charCodeAt(keyStart - 1)))
        ? linkTo('prose', at + 1)
        : undefined;
    case 44: // ,
      // `"def f(): pass", `: the end of a statement in a literal.
      if (link.keyQuoted && PASSED_OVER.test(text.slice(Math.max(0, keyStart - 1), keyStart + 5))) return undefined;
      // `"desc:passwd", `: the name of something else in the same literal stands before it.
      if (link.keyQuoted && codeBefore(text, keyStart) === 58) return undefined;
      return linkTo('comma', pastSpaces(text, at + 1));
    case 40: // (
      if (link.keyQuoted) return undefined;
      return next === 41 && isAt(GIVEN, text, at)
        ? linkTo('compare', GIVEN.lastIndex)
        : linkTo('call', pastSpaces(text, at + 1));
    case 123: // {
      return isQuote(text.charCodeAt(at + 1)) ? linkTo('assign', at + 1) : spacedType(text, at, spaced);
    case 60: // <
      if (next === 60 && text.charCodeAt(at + 2) === 45) return linkTo('assign', pastSpaces(text, at + 3));
      return next === 45 && spaced ? linkTo('assign', pastSpaces(text, at + 2)) : undefined;
    case 45: // -
      if (next === 62 && link.keyQuoted) return linkTo('assign', pastSpaces(text, at + 2));
      if (next === 62 && spaced && isSpace(text.charCodeAt(at + 2))) return linkTo('prose', pastSpaces(text, at + 2));
      return spaced && isSpace(next) && !link.keyQuoted ? linkTo('prose', pastSpaces(text, at + 1)) : undefined;
    case 62: // >
      return elementAt(text, keyStart, at + 1);
    case 37:
    case 92:
    case 38: // %3D \u003d &gt; &#61;
      return encodedAt(text, at, next);
    case 0x2013: // dashes and an arrow
    case 0x2014:
    case 0x2192:
      return spaced && isSpace(next) ? linkTo('prose', pastSpaces(text, at + 1)) : undefined;
    default:
      return isQuote(code) && spaced ? linkTo('space', at) : spacedType(text, at, spaced);
  }
}

function colonAt(text: string, at: number, next: number, plain: boolean): Link | undefined {
  if (next === 61) return linkTo('assign', pastSpaces(text, at + 2));
  if (next === 58) {
    const end = text.charCodeAt(at + 2) === 58 ? at + 3 : at + 2;
    // LDIF: `userPassword:: dmFsdWU=`; Haskell's types have a space on both sides.
    if (end === at + 2 && isSpace(text.charCodeAt(end)))
      return linkTo(isIn(WORD, text.charCodeAt(at - 1)) ? 'colon' : 'prose', pastSpaces(text, end));
    return text.charCodeAt(end) === 61 ? linkTo('assign', pastSpaces(text, end + 1)) : undefined;
  }
  if (next === 45) return linkTo('fallback', at + 2);
  if ((next === 42 || next === 95) && isAt(EMPHASIS, text, at + 1)) return linkTo('colon', EMPHASIS.lastIndex);
  const valueAt = pastSpaces(text, at + 1);
  const first = text.charCodeAt(valueAt);
  // `getToken: () => 'v'`.
  if (first === 40 && text.startsWith('() => ', valueAt) && isQuote(text.charCodeAt(valueAt + 6)))
    return linkTo('compare', valueAt + 6);
  if (first === 123 && isAt(WRAPPED_VALUE, text, valueAt)) return linkTo('pair', WRAPPED_VALUE.lastIndex);
  if (first === 60 && isAt(SET_OFF, text, valueAt)) return linkTo('prose', SET_OFF.lastIndex);
  if (!plain) {
    const behindType = pastTypeAndEquals(text, valueAt);
    return behindType < 0 ? linkTo('colon', valueAt) : linkTo('assign', behindType);
  }
  if (first < 32 && isAt(LISTED_DEFAULT, text, valueAt)) return linkTo('pair', LISTED_DEFAULT.lastIndex);
  if (first === 33 && isAt(LOCAL_TAG, text, valueAt)) return undefined;
  return linkTo(
    'colon',
    (first === 38 || first === 33) && isAt(PROPERTY, text, valueAt) ? PROPERTY.lastIndex : valueAt,
  );
}

function spacedType(text: string, at: number, spaced: boolean): Link | undefined {
  if (!spaced) return undefined;
  const behindType = pastSpacedType(text, at);
  if (behindType >= 0) return linkTo('assign', behindType);
  const valueAt = proseValueStart(text, at);
  if (valueAt > 0) return linkTo('prose', valueAt);
  if (text.charCodeAt(at) === 116 && text.startsWith('to ', at) && !PASSED.test(text.slice(Math.max(0, at - 6), at)))
    return linkTo('prose', pastSpaces(text, at + 3));
  return startsWord(text.charCodeAt(at)) ? linkTo('space', at) : undefined;
}

/** `<password>` or `<entry key="password">`: only then does `>` lead to a value. */
function elementAt(text: string, keyStart: number, at: number): Link | undefined {
  const before = text.charCodeAt(keyStart - 1);
  if (before !== 60 && before !== 58 && !link.keyQuoted) return undefined;
  return linkTo('element', pastInnerTag(text, at));
}

function encodedAt(text: string, at: number, next: number): Link | undefined {
  if (next === 103 && text.startsWith('&gt;', at)) return linkTo('element', at + 4);
  return isAt(ENCODED_EQUALS, text, at) ? linkTo('assign', ENCODED_EQUALS.lastIndex) : undefined;
}
