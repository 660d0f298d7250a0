/** `--name`, or `-name` after a space. */
export function isOption(text: string, keyStart: number): boolean {
  return (
    text.charCodeAt(keyStart) === 45 &&
    (text.charCodeAt(keyStart + 1) === 45 || keyStart === 0 || text.charCodeAt(keyStart - 1) <= 32)
  );
}

/** A flag of a build, which takes no value. */
const FLAG_OF_BUILD = /--?(?:with(?:out)?|enable|disable|no)-/y;
/** What manuals say behind an option. */
const TOLD =
  /(?:also|is|was|will|are|option|and|or|in|to|for|with|from|argument|flags?|parameters?|can|must|may|should|command|when|if|on|as|at|be|not|has)(?![\w-])/y;

/** True for an option that has no value: the word at `at` belongs to a sentence about it. */
export function isMentioned(text: string, keyStart: number, at: number): boolean {
  FLAG_OF_BUILD.lastIndex = keyStart;
  TOLD.lastIndex = at;
  return FLAG_OF_BUILD.test(text) || TOLD.test(text);
}
