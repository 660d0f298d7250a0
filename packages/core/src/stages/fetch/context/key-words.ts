/** Longest line that is read: a longer one is data, or made by tools. */
const MAX_LINE = 400;

/** A text in quotes. */
const literal = /"((?:[^"\\]|\\.){0,200})"|'((?:[^'\\]|\\.){0,200})'|`([^`]{0,200})`/g;
/** The whole text is one word: a key, an event, a file, a dotted name. */
const oneWord = /^[\p{L}_$][\p{L}\p{N}_$./-]{1,127}$/u;
/** A path of a file, or of a request. */
const path = /^(?=.*\/)[\p{L}\p{N}_.{}:$/-]{3,200}$/u;
/** A word inside a longer text that no prose has: `due_on`, `dueOn`, `cart.paid`. */
const codeWord =
  /(?<![\p{L}\p{N}_])\p{L}[\p{L}\p{N}]{0,60}(?:(?:[_.-]|(?<=[\p{Ll}\p{N}])(?=\p{Lu}))[\p{L}\p{N}]{1,60}){1,8}/gu;
/** `key:` and `key =` inside brackets, `key:` at the start of a line, `key = value,` in a list. */
const inlineKey =
  /(?:[{([,]\s{0,20}\.?([\p{L}_$][\p{L}\p{N}_$-]{1,127})\s?(?::(?![:=])|=(?![=>]))|^\s{0,200}(?:-\s)?([\p{L}_$][\p{L}\p{N}_$-]{1,127})\s?(?::(?![:=])|=(?![=>]).{0,400},\s*$))/gu;
/** `.member`, not called. */
const member = /(?:[\p{L}\p{N}_)\]]\??\.|->)([\p{L}_$][\p{L}\p{N}_$]{1,127})(?![\p{L}\p{N}_$]|\s*\()/gu;
/** A constant of code or of an environment. */
const constant = /(?<![\p{L}\p{N}_$])\p{Lu}[\p{Lu}\p{N}]{0,60}(?:_[\p{Lu}\p{N}]{1,60}){1,8}(?![\p{L}\p{N}_$])/gu;
/** A key that begins a line: `"chunk_mb": 64`, `ttl: 5`, `rope = {`, in a list or as its own statement. */
const leadingKey =
  /^\s{0,200}(?:-\s)?["']?([\p{L}_$][\p{L}\p{N}_$.-]{1,127})["']?\s?(:(?![:=])|=(?![=>]).{0,400},\s*$)/u;

function wordsOfLiterals(line: string, depth = 0): readonly string[] {
  return [...line.matchAll(literal)].flatMap(([, double, single, back]) => {
    const text = double ?? single ?? back ?? '';
    if (oneWord.test(text)) return [text.slice(text.lastIndexOf('/') + 1)];
    const inner = depth === 0 ? wordsOfLiterals(text.replaceAll('\\', ''), 1) : [];
    return [...inner, ...[...text.matchAll(codeWord)].map(([word]) => word)];
  });
}

/**
 * Words by which lines agree with code elsewhere and that no outline declares: texts in quotes that
 * are one word, words of code inside longer ones, keys written inside a line, and constants.
 */
export function listKeyWords(lines: readonly string[]): ReadonlySet<string> {
  const words = lines.flatMap((whole) => {
    const line = whole.slice(0, MAX_LINE);
    const keys = [...line.replace(literal, '""').matchAll(inlineKey)].map(
      ([, inside, leading]) => inside ?? leading ?? '',
    );
    const constants = [...line.matchAll(constant)].map(([word]) => word);
    return [...wordsOfLiterals(line), ...keys, ...constants];
  });
  return new Set(words);
}

/** Paths in quotes: `/v1/scores`, `levels/one.json`. */
export function listPaths(lines: readonly string[]): ReadonlySet<string> {
  const texts = lines.flatMap((line) =>
    [...line.slice(0, MAX_LINE).matchAll(literal)].map((found) => found[1] ?? found[2] ?? found[3] ?? ''),
  );
  return new Set(texts.filter((text) => path.test(text)));
}

/** The last step of a path that is a name: not `{id}`, not `v1`. */
export function lastNameOf(text: string): string | undefined {
  return text.split('/').findLast((step) => /^[\p{L}_][\p{L}\p{N}_.-]{2,}$/u.test(step));
}

/** Members that lines read without calling them. */
export function listMembers(lines: readonly string[]): ReadonlySet<string> {
  const bare = lines.map((line) => line.slice(0, MAX_LINE).replace(literal, '""'));
  return new Set(bare.flatMap((line) => [...line.matchAll(member)].map(([, name = '']) => name)));
}

/** Keys with which lines begin. */
export function listLeadingKeys(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => leadingKey.exec(line.slice(0, MAX_LINE))?.[1] ?? []));
}

/** True for a line that holds only a comment. */
export function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:define|include|if|el|end|undef|pragma)\b)|--|;|<!--|"""|''')/.test(line);
}
