/**
 * `for the root account is`, `for user 'ann' is`, `for ann:`, `für ann lautet`: whose it is. A
 * quote after a colon closes the text of a prompt.
 */
const OWNER =
  /(?:for|of|on|für|von|vom|de|del|du|pour|para)[ \t](?:[^\n"'`=;:]|(["'`])[\w.@-]{1,40}\1){1,48}?(?:[ \t](?:is|was|ist|lautet|est|es)(?::|[ \t](?:set|changed|reset)[ \t]to)?[ \t]{1,4}|:[ \t]{1,4}(?!["'])|:(?=[\w]))/iy;

/**
 * `is`, `was`, `is currently`, `was changed to`, `has been reset to:`, the same in German, French
 * and Spanish, and the mark that sets the value off.
 */
const SAYS =
  /(?:(?:is|was|ist|lautet|est|es)(?::|[ \t](?:currently|now|still|(?:set|changed|reset)[ \t]to:?)(?=[ \t]))?|has[ \t]been[ \t](?:set|changed|reset|updated)[ \t]to:?)[ \t]{1,4}(?:<(?:b|code|strong|em|kbd|tt)>|\*\*)?/y;

/**
 * Offset of the value that prose assigns to a name, in the text at `at`: `is …`, `for ann is …`. 0
 * where there is none.
 */
export function proseValueStart(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === 105 || first === 119 || first === 104 || first === 101 || first === 108) {
    SAYS.lastIndex = at;
    if (SAYS.test(text)) return SAYS.lastIndex;
  }
  if (!mayBeOwner(first | 32, text.charCodeAt(at + 1) | 32)) return 0;
  OWNER.lastIndex = at;
  return OWNER.test(text) ? OWNER.lastIndex : 0;
}

/** The small letters that OWNER starts with, and those that may follow each. */
function mayBeOwner(first: number, second: number): boolean {
  switch (first) {
    case 102: // for, für
      return second === 111 || second === 252;
    case 111: // of, on
      return second === 102 || second === 110;
    case 118: // von, vom
      return second === 111;
    case 100: // de, del, du
      return second === 101 || second === 117;
    case 112: // pour, para
      return second === 111 || second === 97;
    default:
      return false;
  }
}
