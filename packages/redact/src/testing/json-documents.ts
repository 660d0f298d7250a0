import fc from 'fast-check';

/** Names of members: some tell a secret, some do not. */
const NAMES = ['password', 'secret', 'apiKey', 'token', 'value', 'env', 'args', 'cmd', 'note', 'name', 'headers', 'id'];

type Json = null | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * JSON that holds other texts as its strings, as manifests, notebooks and logs do: code, commands
 * and JSON once more, with lists, nulls and bare numbers under telling names between them.
 */
export function jsonDocument(texts: fc.Arbitrary<{ text: string }>): fc.Arbitrary<{ text: string; path: string }> {
  const text = texts.map((one) => one.text);
  const { object } = fc.letrec<{ member: Json; object: Json }>((tie) => ({
    member: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant(null),
      fc.integer({ min: 100_000, max: 99_999_999 }),
      text,
      text.map((inner) => JSON.stringify({ password: 12_345_678, text: inner })),
      fc.array(tie('member'), { minLength: 1, maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom(...NAMES), tie('member'), { minKeys: 1, maxKeys: 4 }),
  }));
  return fc
    .tuple(object, fc.constantFrom(0, 2), fc.constantFrom('config.json', 'notebook.ipynb'))
    .map(([document, indent, path]) => ({ text: JSON.stringify(document, null, indent), path }));
}
