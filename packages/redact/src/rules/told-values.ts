/** `for the root account is`, `for user 'ann' is`, `for ann:`, `für ann lautet`: whose it is. A quote after a colon closes the text of a prompt. */
const OWNER =
  /(?:for|of|on|für|von|vom|de|del|du|pour|para)[ \t](?:[^\n"'`=;:]|(["'`])[\w.@-]{1,40}\1){1,48}?(?:[ \t](?:is|was|ist|lautet|est|es)(?::|[ \t](?:set|changed|reset)[ \t]to)?[ \t]{1,4}|:[ \t]{1,4}(?!["'])|:(?=[\w]))/iy;

/** `is`, `was`, `is currently`, `was changed to`, `has been reset to:`, the same in German, French and Spanish, and the mark that sets the value off. */
const SAYS =
  /(?:(?:is|was|ist|lautet|est|es)(?::|[ \t](?:currently|now|still|(?:set|changed|reset)[ \t]to:?)(?=[ \t]))?|has[ \t]been[ \t](?:set|changed|reset|updated)[ \t]to:?)[ \t]{1,4}(?:<(?:b|code|strong|em|kbd|tt)>|\*\*)?/y;

/** The letters that OWNER starts with, small, and those that may follow each. */
const OWNER_HEADS = new Map(['foü', 'ofn', 'vo', 'deu', 'poa'].map((head) => [head.charCodeAt(0), head.slice(1)]));

/** Where the value starts that prose tells of a name, in what stands at `at`: `is …`, `for ann is …`. 0 where it tells none. */
export function toldAt(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === 105 || first === 119 || first === 104 || first === 101 || first === 108) {
    SAYS.lastIndex = at;
    if (SAYS.test(text)) return SAYS.lastIndex;
  }
  if (!OWNER_HEADS.get(first | 32)?.includes(text.charAt(at + 1).toLowerCase())) return 0;
  OWNER.lastIndex = at;
  return OWNER.test(text) ? OWNER.lastIndex : 0;
}
