/** Longest word that is searched for, in characters. */
const MAX_WORD_CHARS = 128;
const wordShape = /^[\p{L}\p{N}_$][\p{L}\p{N}_$.-]*$/u;
const isPartOfWord = /[\p{L}\p{N}_$]/u;
/** `$` may be the mark of a variable: `$Tick` holds `Tick`. */
const isPartBefore = /[\p{L}\p{N}_]/u;

/** True for what `ContextSession.search` takes: an identifier, a key, a file name; no blanks, no wildcards. */
export function isSearchWord(word: string): boolean {
  return word.length <= MAX_WORD_CHARS && wordShape.test(word);
}

/**
 * Throws `TypeError` unless there is a word and every one is searchable; names none of them, as they
 * come from raw code.
 */
export function checkSearchWords(words: readonly string[]): void {
  if (words.length === 0 || !words.every(isSearchWord))
    throw new TypeError('search: words: expected identifiers, keys or file names of at most 128 characters');
}

/** A test for lines that hold one of the words whole: `Tick` is in `a.Tick()` and `$Tick`, not in `TickRate`. */
export function createWordMatcher(words: readonly string[]): (line: string) => boolean {
  checkSearchWords(words);
  return (line) => words.some((word) => holdsWord(line, word));
}

function holdsWord(line: string, word: string): boolean {
  for (let at = line.indexOf(word); at !== -1; at = line.indexOf(word, at + 1)) {
    const before = [...line.slice(Math.max(0, at - 2), at)].at(-1) ?? ' ';
    const after = [...line.slice(at + word.length, at + word.length + 2)][0] ?? ' ';
    if (!isPartBefore.test(before) && !isPartOfWord.test(after)) return true;
  }
  return false;
}
