// Counts what code does with texts, so that a test of linear time needs no clock: counts do not
// change with the load of a machine.

/**
 * How many characters of a text a regular expression passed over: to the end of its match, or to
 * the end of the text.
 */
function passedOver(expression: RegExp, text: string, from: number, match: RegExpExecArray | null): number {
  if (match !== null) return match.index + match[0].length - from + 1;
  return expression.sticky ? 1 : text.length - from + 1;
}

// long: wraps the methods of String and RegExp, one after the other
/**
 * Runs `run` and gives the number of characters that it read, compared, searched or copied through
 * the methods of String and RegExp. Steps inside one match of an expression are not counted:
 * `linear-expressions.test.ts` of redact judges those.
 */
export function countTextWork(run: () => unknown): number {
  const text = String.prototype;
  const { charCodeAt, codePointAt, slice, substring, startsWith, endsWith, indexOf, lastIndexOf, includes } = text;
  const { exec } = RegExp.prototype;
  let work = 0;
  const wrapped: [object, string, unknown][] = [
    [
      text,
      'charCodeAt',
      function (this: string, at: number) {
        work += 1;
        return charCodeAt.call(this, at);
      },
    ],
    [
      text,
      'codePointAt',
      function (this: string, at: number) {
        work += 1;
        return codePointAt.call(this, at);
      },
    ],
    [
      text,
      'slice',
      function (this: string, from?: number, to?: number) {
        const copy = slice.call(this, from, to);
        work += copy.length + 1;
        return copy;
      },
    ],
    [
      text,
      'substring',
      function (this: string, from: number, to?: number) {
        const copy = substring.call(this, from, to);
        work += copy.length + 1;
        return copy;
      },
    ],
    [
      text,
      'startsWith',
      function (this: string, head: string, at?: number) {
        work += head.length;
        return startsWith.call(this, head, at);
      },
    ],
    [
      text,
      'endsWith',
      function (this: string, tail: string, at?: number) {
        work += tail.length;
        return endsWith.call(this, tail, at);
      },
    ],
    [
      text,
      'indexOf',
      function (this: string, word: string, from = 0) {
        const at = indexOf.call(this, word, from);
        work += Math.max(1, (at < 0 ? this.length : at) - Math.max(0, from));
        return at;
      },
    ],
    [
      text,
      'lastIndexOf',
      function (this: string, word: string, from = this.length) {
        const at = lastIndexOf.call(this, word, from);
        work += Math.max(1, Math.min(from, this.length) - Math.max(0, at));
        return at;
      },
    ],
    [
      text,
      'includes',
      function (this: string, word: string, from = 0) {
        const at = indexOf.call(this, word, from);
        work += Math.max(1, (at < 0 ? this.length : at) - Math.max(0, from));
        return at >= 0;
      },
    ],
    [
      RegExp.prototype,
      'exec',
      function (this: RegExp, given: string) {
        const from = this.global || this.sticky ? this.lastIndex : 0;
        const match = exec.call(this, given);
        work += passedOver(this, given, from, match);
        return match;
      },
    ],
  ];
  const originals = {
    charCodeAt,
    codePointAt,
    slice,
    substring,
    startsWith,
    endsWith,
    indexOf,
    lastIndexOf,
    includes,
    exec,
  };
  const set = (owner: object, name: string, value: unknown): void =>
    void Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  for (const [owner, name, value] of wrapped) set(owner, name, value);
  try {
    run();
  } finally {
    for (const [owner, name] of wrapped) set(owner, name, originals[name as keyof typeof originals]);
  }
  return work;
}
