import fc from 'fast-check';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALNUM = LOWER + UPPER + DIGITS;
const HEX = '0123456789abcdef';
const BASE64 = `${ALNUM}+/`;
const BASE64URL = `${ALNUM}-_`;

/**
 * A secret no one else holds, by family. `parts` are the pieces that must not survive; `text` is
 * how it is written down.
 */
export interface GeneratedSecret {
  family: string;
  text: string;
  parts: readonly string[];
  /** True where the shape alone convicts it: a guard must block on it. */
  unmistakable: boolean;
}

/**
 * Uniform characters from a seed: fast-check's own strings lean towards short and repetitive ones,
 * which no generator of secrets makes.
 */
export function randomText(alphabet: string, length: number): fc.Arbitrary<string> {
  return fc.integer({ min: 1, max: 0x7fffffff }).map((seed) => textFromSeed(seed, alphabet, length));
}

/** The text that a seed stands for; equal seeds give equal text. */
export function textFromSeed(seed: number, alphabet: string, length: number): string {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    let mixed = state ^ (state >>> 15);
    mixed = Math.imul(mixed, 0x2c1b3c6d);
    return ((mixed ^ (mixed >>> 12)) >>> 0) / 2 ** 32;
  };
  let text = '';
  for (let i = 0; i < length; i += 1) text += alphabet.charAt(Math.floor(next() * alphabet.length));
  return text;
}

/** As `randomText`, with a letter of each case and two digits for certain, as far as the alphabet has them. */
function mixedText(alphabet: string, length: number): fc.Arbitrary<string> {
  const certain = [DIGITS, UPPER, LOWER, DIGITS]
    .map((kind) => [...kind].filter((character) => alphabet.includes(character)).join(''))
    .filter((kind) => kind !== '');
  return fc
    .tuple(randomText(alphabet, length - certain.length), ...certain.map((kind) => randomText(kind, 1)))
    .map(([body, ...extras]) => body.slice(0, 2) + extras.join('') + body.slice(2));
}

/** Public formats of vendors: head, alphabet, length of the rest. */
const VENDOR_FORMATS: readonly (readonly [head: string, alphabet: string, length: number])[] = [
  ['ghp_', ALNUM, 36],
  ['gho_', ALNUM, 36],
  ['github_pat_', ALNUM, 82],
  ['glpat-', BASE64URL, 20],
  ['xoxb-', `${DIGITS}${ALNUM}`, 40],
  ['sk_live_', ALNUM, 24],
  ['rk_test_', ALNUM, 40],
  ['AKIA', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16],
  ['AIza', BASE64URL, 35],
  ['npm_', ALNUM, 36],
  ['sk-ant-api03-', BASE64URL, 95],
  ['sk-proj-', BASE64URL, 100],
  ['dop_v1_', HEX, 64],
  ['shpat_', HEX, 32],
  ['hf_', LOWER + UPPER, 34],
  ['pypi-AgEIcHlwaS5vcmc', BASE64URL, 80],
  ['dckr_pat_', BASE64URL, 27],
  ['hvs.', BASE64URL, 90],
  ['figd_', BASE64URL, 40],
  ['GOCSPX-', BASE64URL, 28],
  ['lin_api_', ALNUM, 40],
  ['rubygems_', HEX, 48],
  ['tskey-api-', ALNUM, 30],
];

/** Tokens with a vendor's head. */
export function vendorToken(): fc.Arbitrary<GeneratedSecret> {
  return fc.constantFrom(...VENDOR_FORMATS).chain(([head, alphabet, length]) =>
    mixedText(alphabet, length)
      .map((body) => (/[-_]$/.test(body) ? `${body.slice(0, -1)}a` : body))
      .map((body) => ({ family: 'vendor-token', text: head + body, parts: [head + body], unmistakable: true })),
  );
}

/** Signed JSON web tokens with made-up claims. */
export function jsonWebToken(): fc.Arbitrary<GeneratedSecret> {
  return fc
    .tuple(fc.constantFrom('HS256', 'RS256', 'ES256', 'none'), mixedText(ALNUM, 24), mixedText(BASE64URL, 43))
    .map(([alg, subject, signature]) => {
      const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const text = `${encode({ alg, typ: 'JWT' })}.${encode({ sub: subject })}.${signature}`;
      return { family: 'json-web-token', text, parts: [text], unmistakable: true };
    });
}

const KEY_LABELS = [
  'PRIVATE KEY',
  'RSA PRIVATE KEY',
  'EC PRIVATE KEY',
  'OPENSSH PRIVATE KEY',
  'ENCRYPTED PRIVATE KEY',
  'DSA PRIVATE KEY',
];

/** Private keys of 64 columns; `cut` takes the END or the BEGIN line away, as a diff's context does. */
export function privateKey(): fc.Arbitrary<GeneratedSecret> {
  return fc
    .record({
      label: fc.constantFrom(...KEY_LABELS),
      lines: fc.array(mixedText(BASE64, 64), { minLength: 2, maxLength: 6 }),
      last: mixedText(BASE64, 30),
      cut: fc.constantFrom('none', 'none', 'end', 'begin'),
    })
    .map(({ label, lines, last, cut }) => {
      const body = [...lines, `${last}==`];
      const parts = cut === 'end' ? lines : body;
      const begin = cut === 'begin' ? [] : [`-----BEGIN ${label}-----`];
      const end = cut === 'end' ? [] : [`-----END ${label}-----`];
      return { family: 'private-key', text: [...begin, ...parts, ...end].join('\n'), parts, unmistakable: true };
    });
}

/**
 * Passwords as people and generators make them: letters, digits and punctuation that needs no
 * escape in a string literal.
 */
export function password(): fc.Arbitrary<GeneratedSecret> {
  return fc
    .integer({ min: 10, max: 32 })
    .chain((length) => mixedText(`${ALNUM}!@#%^*-_+=.~`, length))
    .map((body) => ({
      family: 'password',
      text: `p${body.replace(/[^A-Za-z0-9]$/, 'q')}`,
      parts: [`p${body.replace(/[^A-Za-z0-9]$/, 'q')}`],
      unmistakable: false,
    }));
}

/** Opaque keys and tokens without a head. */
export function opaqueToken(): fc.Arbitrary<GeneratedSecret> {
  return fc
    .tuple(fc.constantFrom(ALNUM, HEX, BASE64URL), fc.integer({ min: 24, max: 64 }))
    .chain(([alphabet, length]) => mixedText(alphabet, length))
    .map((body) => {
      const text = `k${body.replace(/[-_]$/, '7')}`;
      return { family: 'opaque-token', text, parts: [text], unmistakable: false };
    });
}

/** Several tokens without a head, longer than a line of base64 is wide at least. */
export function tokenList(): fc.Arbitrary<GeneratedSecret> {
  return fc
    .integer({ min: 44, max: 64 })
    .chain((length) => fc.array(mixedText(ALNUM, length), { minLength: 2, maxLength: 9 }))
    .map((parts) => ({ family: 'token-list', text: parts.join('\n'), parts, unmistakable: false }));
}

const SCHEMES = [
  'postgres',
  'postgresql',
  'mysql',
  'mongodb+srv',
  'redis',
  'amqps',
  'smtp',
  'ftp',
  'https',
  'ssh',
  'jdbc:mysql',
];

/** Connection URIs; the password is the secret, percent-encoded where the syntax asks for it. */
export function connectionUri(): fc.Arbitrary<GeneratedSecret> {
  return fc.tuple(fc.constantFrom(...SCHEMES), password()).map(([scheme, secret]) => {
    const encoded = encodeURIComponent(secret.text);
    return {
      family: 'connection-uri',
      text: `${scheme}://svc:${encoded}@db.internal:5432/main`,
      parts: [encoded],
      unmistakable: true,
    };
  });
}

/** User and password in base64, as basic authorization sends them. */
export function basicCredentials(): fc.Arbitrary<GeneratedSecret> {
  return password().map((secret) => {
    const text = Buffer.from(`svc:${secret.text}`).toString('base64');
    return { family: 'basic-credentials', text, parts: [text], unmistakable: false };
  });
}

/** Perforce tickets: 32 upper-case hex digits, secret by where they stand alone. */
export function perforceTicket(): fc.Arbitrary<GeneratedSecret> {
  return mixedText('0123456789ABCDEF', 32).map((text) => ({
    family: 'perforce-ticket',
    text,
    parts: [text],
    unmistakable: false,
  }));
}

/** Keys of a cloud storage account: 64 bytes in base64. */
export function accountKey(): fc.Arbitrary<GeneratedSecret> {
  return mixedText(BASE64, 86).map((body) => ({
    family: 'account-key',
    text: `${body}==`,
    parts: [`${body}==`],
    unmistakable: false,
  }));
}
