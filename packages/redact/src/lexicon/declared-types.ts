import { DOT, endOfRun, isDigit, isSpace, pastSpaces, WORD } from './charset.js';

/**
 * `: string = `, `: &str = `, `: []const u8 = `, `: [u8; 16] = `, `: std_logic_vector(7 downto 0)
 * := `: a type between name and value.
 */
const TYPE_THEN_EQUALS =
  /(?:&?\[\w{1,8}(?:; ?\w{1,16})?\][ \t]{1,8}=[ \t]{0,8}|\w{1,24}\(\d{1,4} (?:down)?to \d{1,2}\)[ \t]{0,8}:=[ \t]{0,8})|(?:\[\](?:const )?)?(?:&(?:'[a-z]{1,12} )?(?:mut )?)?[A-Za-z_][\w.]{0,40}(?:<[\w, .?]{0,40}>)?[?!*&]{0,2}(?:\[\])?(?: \| (?:null|undefined|None))?(?:[ \t]{1,8}:?=(?![=>])[ \t]{0,8}|=(?=["'`]))/y;
/** ` string = `, ` VARCHAR2(30) := `, ` { get; set; } = `. */
const SPACED_TYPE =
  /(?:(?:As |constant |CONSTANT )?\*?[A-Za-z][\w.]{0,30}(?:\(\d{1,5}(?: \w{1,8})?\))?|\{[ \w;]{0,40}\})[ \t]{1,8}:?=(?![=>])[ \t]{0,8}/y;
/** ` TYPE string VALUE `, ` PIC X(20) VALUE `: how ABAP and COBOL declare. */
const DECLARED_VALUE =
  /(?:(?:type|like|length|pic|picture)[ \t]{1,8}[\w().-]{1,30}[ \t]{1,24}){1,2}value[ \t]{1,8}(?:is[ \t]{1,4})?(?=["'])/iy;
const LONGEST_TYPE = 41;
const LONGEST_SPACED_TYPE = 40;

/** Where the value starts behind a type that starts at `at`, and an equals sign; -1 where there is none. */
export function pastTypeAndEquals(text: string, at: number): number {
  const end = endOfRun(WORD | DOT, text, at, LONGEST_TYPE);
  // Neither a reference nor a name with `=` or what belongs to a type behind it.
  if (end >= text.length || !' \t=<?!*&[('.includes(text.charAt(end))) return -1;
  if (end > at && isSpace(text.charCodeAt(end)) && !'=:|'.includes(text.charAt(pastSpaces(text, end)))) return -1;
  TYPE_THEN_EQUALS.lastIndex = at;
  return TYPE_THEN_EQUALS.test(text) ? TYPE_THEN_EQUALS.lastIndex : -1;
}

/** The same for a type that only spaces part from its name. */
export function pastSpacedType(text: string, at: number): number {
  if (mayDeclareValue(text.charCodeAt(at) | 32, text.charCodeAt(at + 1) | 32)) {
    DECLARED_VALUE.lastIndex = at;
    if (DECLARED_VALUE.test(text)) return DECLARED_VALUE.lastIndex;
  }
  if (!maySpacedType(text, at)) return -1;
  SPACED_TYPE.lastIndex = at;
  return SPACED_TYPE.test(text) ? SPACED_TYPE.lastIndex : -1;
}

/** ty, li, le, pi: the words DECLARED_VALUE starts with. */
const mayDeclareValue = (first: number, second: number): boolean =>
  (first === 116 && second === 121) ||
  (first === 108 && second === 101) ||
  ((first === 108 || first === 112) && second === 105);

/** One word, and no `=` behind it: no SPACED_TYPE. */
function maySpacedType(text: string, at: number): boolean {
  const end = endOfRun(WORD | DOT, text, at, LONGEST_SPACED_TYPE);
  if (end === at || (text.charCodeAt(at) === 65 && text.startsWith('As ', at)) || isConstant(text, at, end))
    return true;
  const after = text.charCodeAt(pastSpaces(text, end));
  return after === 61 || after === 58 || (after === 40 && isDigit(text.charCodeAt(end + 1)));
}

const isConstant = (text: string, at: number, end: number): boolean =>
  end - at === 8 && text.slice(at, end).toLowerCase() === 'constant';
