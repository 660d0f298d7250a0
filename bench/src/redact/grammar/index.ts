import { type LabelledText, labelledText } from '../corpus/labelled-text.ts';
import { type Random, seededRandom } from '../corpus/random.ts';
import { drawn, humanPassword, plainWord, strongPassword } from './draw.ts';
import { curveKeys, keyTexts } from './keys.ts';
import { CASES, PASSWORD_NAMES, PLAIN_NAMES, SECRET_NAMES, type Words } from './names.ts';
import { ADDRESSES, COMMANDS, FILES, HEADERS, NEARBY } from './nearby.ts';
import { QUOTED, type Template, UNQUOTED } from './templates.ts';
import { MARKED, NAMED } from './vendor-formats.ts';

/**
 * A labelled corpus of its own: written from the grammars of languages and configuration formats
 * and from what vendors document about their tokens, before the rules were read, and not grown with
 * them. Equal seeds give equal texts, but for a few real keys.
 */
export function grammarCorpus(seed: number, scale: number): LabelledText[] {
  const random = seededRandom(seed);
  const texts: LabelledText[] = [];
  for (let round = 0; round < scale; round += 1)
    texts.push(
      ...assignments(random),
      ...vendors(random),
      ...places(random),
      ...webTokens(random),
      ...keyTexts(random, 1),
    );
  return [...texts, ...curveKeys(scale)];
}

function assignments(random: Random): LabelledText[] {
  const texts: LabelledText[] = [];
  const both: readonly (readonly [Template, boolean])[] = [
    ...QUOTED.map((template) => [template, true] as const),
    ...UNQUOTED.map((template) => [template, false] as const),
  ];
  for (const [template, quoted] of both) {
    const add = (family: string, names: readonly Words[], value: string): void => {
      texts.push(written(family, template, random.pick(names), value));
    };
    add('password-assign, strong', PASSWORD_NAMES, strongPassword(random, quoted));
    add('password-assign, human', PASSWORD_NAMES, humanPassword(random, quoted));
    if (quoted) add('password-assign, word', PASSWORD_NAMES, plainWord(random));
    add('keyed-assign', SECRET_NAMES, randomToken(random));
    add('bare-assign', PLAIN_NAMES, randomToken(random));
  }
  return texts;
}

function randomToken(random: Random): string {
  const [alphabet, length] = random.pick([
    ['alnum', 24],
    ['alnum', 32],
    ['alnum', 40],
    ['base64url', 32],
    ['base64url', 43],
    ['hex', 32],
    ['hex', 40],
    ['hex', 64],
    ['a-z0-9', 32],
  ] as const);
  return random.text(alphabet, length);
}

function written(family: string, [rule, path, template]: Template, name: Words, value: string): LabelledText {
  const before = Object.entries(CASES).reduce(
    (text, [style, write]) => text.replaceAll(`{${style}}`, write(name)),
    template,
  );
  return labelledText(
    family,
    rule,
    before.replace('{v}', () => value),
    [value],
    path || undefined,
  );
}

function vendors(random: Random): LabelledText[] {
  const marked = MARKED.flatMap(([vendor, format]) =>
    [0, 1].map(() => {
      const value = drawn(format, random);
      // A plain name, so that the format alone tells.
      const template = random.pick([...QUOTED, ...UNQUOTED].filter(([rule]) => !/block|escaped|char array/.test(rule)));
      return { ...written('vendor-prefix', template, random.pick(PLAIN_NAMES), value), rule: vendor };
    }),
  );
  const named = NAMED.flatMap(([vendor, format]) =>
    [0, 1].map(() => {
      const template = random.pick([...QUOTED, ...UNQUOTED]);
      return {
        ...written(
          'keyed-assign, vendor',
          template,
          [vendor.replace('.', ''), ...random.pick(SECRET_NAMES)],
          drawn(format, random),
        ),
        rule: vendor,
      };
    }),
  );
  const nearby = NEARBY.flatMap((template) =>
    [0, 1, 2].map(() => {
      const [vendor, format] = random.pick(NAMED);
      const word = vendor.replace('.', '');
      const value = drawn(format, random);
      const text = template[2]
        .replaceAll('{w}', word)
        .replaceAll('{W}', word.charAt(0).toUpperCase() + word.slice(1))
        .replace('{v}', () => value);
      return labelledText('near-keyword', template[0], text, [value], template[1]);
    }),
  );
  return [...marked, ...named, ...nearby];
}

const FAMILIES: readonly (readonly [string, readonly Template[], (random: Random) => string])[] = [
  ['auth-header', HEADERS, randomToken],
  [
    'command-line',
    COMMANDS,
    (random) => (random.below(2) === 0 ? strongPassword(random, false) : humanPassword(random, false)),
  ],
  [
    'url-auth',
    ADDRESSES,
    (random) => (random.below(2) === 0 ? strongPassword(random, false) : humanPassword(random, false)),
  ],
  [
    'credential-file',
    FILES,
    (random) => (random.below(2) === 0 ? strongPassword(random, false) : humanPassword(random, false)),
  ],
];

function places(random: Random): LabelledText[] {
  return FAMILIES.flatMap(([family, templates, draw]) =>
    templates.flatMap(([rule, path, template]) =>
      [0, 1].map(() => filled(family, rule, path, template, draw(random), random)),
    ),
  );
}

/** Fills every place of a template; all that is drawn is secret. */
function filled(
  family: string,
  rule: string,
  path: string,
  template: string,
  value: string,
  random: Random,
): LabelledText {
  const values: string[] = [];
  const draw: Readonly<Record<string, () => string>> = {
    v: () => value,
    b: () => Buffer.from(`\u0000ann\u0000${value}`).toString('base64'),
    b64: () => Buffer.from(`ann:${value}`).toString('base64'),
    t: () => randomToken(random),
    k: () => drawn('<base64:86>==', random),
    k40: () => random.text('base64', 40),
    e: () => drawn('<base64:43>=', random),
    s: () => encodeURIComponent(drawn('<base64:43>=', random)),
    h: () => random.text('hex', 32),
    U: () => random.text('A-Z0-9', 9),
    I16: () => random.text('base32', 16),
    T: () => random.text('HEX', 32),
    d8: () => random.text('digits', 8),
    d10: () => random.text('digits', 10),
    d18: () => random.text('digits', 18),
    a7: () => random.text('a-z0-9', 7),
    a24: () => random.text('alnum', 24),
    a33: () => random.text('base64url', 33),
    a68: () => random.text('alnum', 68),
    g: () => drawn('<uuid:36>', random),
    g2: () => drawn('<uuid:36>', random),
    g3: () => drawn('<uuid:36>', random),
    s8: () => random.text('alnum', 8),
    s16: () => random.text('alnum', 16),
    h22: () => random.text('alnum', 22),
    h86: () => random.text('alnum', 86),
  };
  const text = template.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const next = draw[name]?.();
    if (next === undefined) return place;
    // Team, channel and bot numbers, tenants and salts are no secret.
    if (!/^(?:U|d\d+|g\d?|s8|s16)$/.test(name)) values.push(next);
    return next;
  });
  return labelledText(family, rule, text, values, path);
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function webTokens(random: Random): LabelledText[] {
  const claims = {
    sub: random.text('digits', 9),
    iat: 1_700_000_000 + random.below(1e6),
    name: random.text('lower', 9),
  };
  const signed = `${part({ alg: random.pick(['HS256', 'RS256', 'ES256']), typ: 'JWT' })}.${part(claims)}.${random.text('base64url', 43)}`;
  const unsigned = `${part({ typ: 'JWT', alg: 'none' })}.${part(claims)}.`;
  const encrypted = [
    part({ alg: 'RSA-OAEP', enc: 'A256GCM' }),
    ...[342, 16, 80, 22].map((length) => random.text('base64url', length)),
  ].join('.');
  const places: readonly Template[] = [
    ['bare', 'notes.txt', '{v}'],
    ['string', 'a.js', "x('{v}')"],
    ['query', 'notes.txt', 'https://a.example/?t={v}'],
    ['log', 'run.log', 'got {v}, going on'],
    ['yaml', 'a.yaml', 'thing: {v}'],
    ['xml', 'a.xml', '<t>{v}</t>'],
  ];
  return places.flatMap((place) => [
    ...[signed, unsigned, encrypted].map((value) => written('jwt', place, ['x'], value)),
    { ...written('jwt', place, ['x'], Buffer.from(signed).toString('base64').replaceAll('=', '')), rule: 'in base64' },
  ]);
}
