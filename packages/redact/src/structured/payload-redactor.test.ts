import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FULL_KEYS, FULL_SUFFIXES, PARTIAL_KEYS, PARTIAL_SUFFIXES } from '../lexicon/listed-keys.js';
import { HEX, madeUp } from '../testing/redact-line.js';
import { createPayloadRedactor } from './payload-redactor.js';

const redactor = createPayloadRedactor({ ruleVersion: 'v7' });
const of = (value: unknown): Record<string, unknown> => redactor.redact(value).value as Record<string, unknown>;
/** Names that ask for nothing, of every length the walk treats differently. */
const harmlessKey = fc.constantFrom(
  'a',
  'id',
  'region',
  'statusText',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '7',
  'type',
  'data',
  '',
);
const begin = (label: string): string => `-----BEGIN ${label}-----`;
const end = (label: string): string => `-----END ${label}-----`;

describe('payload redactor', () => {
  it('says which version of the port it fits', () => {
    expect(redactor.contract).toBe(1);
  });

  it('AUD-5: every listed key loses its whole value, in any case and spelling', () => {
    const keys = [
      'password',
      'passphrase',
      'secret',
      'client_secret',
      'api_key',
      'access_key',
      'private_key',
      'token',
      'refresh_token',
      'authorization',
      'set_cookie',
      'cookie',
      'session_id',
      'otp',
      'mfa_code',
      'pin',
    ];
    const camel = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    for (const key of keys) {
      for (const spelled of [key, camel(key), key.toUpperCase(), key.replaceAll('_', '-')]) {
        for (const value of ['x', 5, true, ['a'], { b: 'c' }])
          expect(of({ [spelled]: value })[spelled]).toBe('[REDACTED]');
      }
    }
    expect(of({ userPassword: 'x', csrfToken: 'y', hasPassword: true })).toMatchObject({
      userPassword: '[REDACTED]',
      csrfToken: '[REDACTED]',
      hasPassword: true,
    });
  });

  it('AUD-5: a listed key is one in whatever case its letters are, wherever its words are parted, alone or at the end of a name', () => {
    const keys = [...FULL_KEYS, ...Object.keys(PARTIAL_KEYS)];
    const heads = ['', 'user', 'billing_', 'OLD-', 'my.'];
    fc.assert(
      fc.property(
        fc.constantFrom(...keys),
        fc.constantFrom(...heads),
        fc.infiniteStream(fc.nat(5)),
        fc.constantFrom('', '2', '_2'),
        (key, head, choices, tail) => {
          const suffixed = head !== '' && (FULL_SUFFIXES.includes(key) || PARTIAL_SUFFIXES.includes(key));
          const spelled = [...key.replaceAll('_', '')].map((letter) => {
            const choice = choices.next().value ?? 0;
            if (choice === 0) return `_${letter}`;
            return choice < 3 ? letter.toUpperCase() : letter;
          });
          const name = `${suffixed ? `${head}_` : ''}${spelled.join('')}${tail}`;
          expect(of({ [name]: 'abcdefghi' })[name], name).not.toBe('abcdefghi');
        },
      ),
      { numRuns: 500 },
    );
    for (const name of [
      'passWord',
      'PassWord',
      'PASSword',
      'userPassWord',
      'userpassword',
      'ApiKEY',
      'eMail',
      'passwordConfirmation',
    ])
      expect(of({ [name]: 'abcdefghi' })[name], name).not.toBe('abcdefghi');
  });

  it('AUD-6: the password of an address goes, whatever the scheme, however short', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcXYZ019-._~!$&()*+,;=:%'), minLength: 1, maxLength: 12 });
    const scheme = fc.constantFrom('http', 'https', 'postgres', 'p4', 'rsh', 'a+b', 'JDBC:mysql');
    fc.assert(
      fc.property(scheme, word, fc.constantFrom('', 'u', 'x-oauth-basic'), (name, password, user) => {
        const url = `${name}://${user}:${password}@host.example/path?q=1`;
        const once = of({ url })['url'];
        expect(once).toBe(`${name}://${user}:[REDACTED]@host.example/path?q=1`);
        expect(of({ url: once })['url']).toBe(once);
      }),
      { numRuns: 500 },
    );
    expect(of({ url: 'scheme://u:pw@host' })['url']).toBe('scheme://u:[REDACTED]@host');
    const kept = ['http://[::1]:8080/a@b', 'http://host:8080/a', 'http://host/u:pw@x', 'see://', 'ssh://git@host/x'];
    for (const url of kept) expect(of({ url })['url']).toBe(url);
  });

  it('AUD-5: names that only resemble a key keep their values', () => {
    const value = {
      tokenCount: 3,
      passwordLength: 9,
      secretary: 'Ann',
      pinned: true,
      keyboard: 'de',
      spinner: 'on',
      mapping: 'a',
    };
    expect(of(value)).toMatchObject(value);
  });

  it('AUD-7: e-mail, phone, id numbers and cards are masked in their forms', () => {
    const card = '4'.padEnd(16, '1');
    expect(
      of({
        email: 'alice@example.com',
        phone: '(555) 123-4545',
        ssn: '123-45-6789',
        nationalId: 'AB1234567',
        tax_id: 123456789,
        creditCard: card,
        card_number: card.replace(/(.{4})/g, '$1 '),
      }),
    ).toMatchObject({
      email: 'a***@example.com',
      phone: '********45',
      ssn: '*****6789',
      nationalId: '*****4567',
      tax_id: '*****6789',
      creditCard: '411111******1111',
      card_number: '411111******1111',
    });
    expect(of({ email: 'not an address', phone: '1', ssn: '12', card_number: '99' })).toMatchObject({
      email: '[REDACTED]',
      phone: '[REDACTED]',
      ssn: '[REDACTED]',
      card_number: '[REDACTED]',
    });
  });

  it('AUD-6: JWT shapes, bearer tokens, PEM blocks of any label and Luhn-valid card numbers go from free text', () => {
    const jwt = `eyJ${madeUp(12)}.${madeUp(12)}.${madeUp(12)}`;
    expect(of({ note: `see ${jwt} now` })['note']).toBe('see [REDACTED] now');
    expect(of({ note: 'sent BEARER  a-b.c~d+e/f== there' })['note']).toBe('sent BEARER  [REDACTED] there');
    for (const label of ['PRIVATE KEY', 'RSA PRIVATE KEY'])
      expect(of({ note: `a ${begin(label)}\nabc\n${end(label)} b` })['note']).toBe('a [REDACTED] b');
    const card = '4'.padEnd(16, '1');
    expect(of({ note: `paid ${card.replace(/(.{4})/g, '$1-').slice(0, 19)} at 2024-01-01 10:00` })['note']).toBe(
      'paid 411111******1111 at 2024-01-01 10:00',
    );
    expect(of({ note: `order ${card.slice(0, 15)}2` })['note']).toBe(`order ${card.slice(0, 15)}2`);
  });

  it('SEC-3: secrets of the text rules go as well, in values and in keys', () => {
    const token = `ghp_${madeUp(36)}`;
    expect(of({ error: `401 for ${token}` })['error']).toBe('401 for [REDACTED]');
    expect(of({ url: `postgres://u:${madeUp(12)}@h/d` })['url']).toBe('postgres://u:[REDACTED]@h/d');
    expect(Object.keys(of({ [token]: 1, [`${token} `]: 2 }))).toEqual(['[REDACTED]', '[REDACTED] ', '_redaction_meta']);
  });

  it('AUD-8: the meta has its four fields, with JSON paths in order', () => {
    const { value, meta } = redactor.redact({
      user: { password: 'x', 'e-mail': 'a@b.io' },
      items: [{ note: 'bearer abc' }],
    });
    expect(meta).toEqual({
      rule_version: 'v7',
      fields_redacted_count: 2,
      patterns_redacted_count: 1,
      redacted_paths: ['$.user.password', '$.user["e-mail"]', '$.items[0].note'],
    });
    expect((value as Record<string, unknown>)['_redaction_meta']).toEqual(meta);
    expect(redactor.redact('bearer abc').value).toBe('bearer [REDACTED]');
  });

  it('AUD-8: what reads as a secret only once its neighbour is replaced is hidden in the same pass', () => {
    const marker = end('PRIVATE KEY');
    const redacted = of({ note: `${madeUp(40)}--password ]Basic ${marker}` })['note'];
    expect(redacted).toBe(`[REDACTED]--password [REDACTED] ${marker}`);
    expect(of({ note: redacted })['note']).toBe(redacted);
  });

  it('AUD-8: redaction is deterministic and idempotent, and leaves its input alone', () => {
    const key = fc.constantFrom(
      'password',
      'email',
      'phone',
      'ssn',
      'card_number',
      'note',
      'items',
      '__proto__',
      '_redaction_meta',
      'token',
      'a b',
    );
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'a@b.io',
        'bearer abc',
        '[REDACTED]',
        '[CIRCULAR]',
        '4'.padEnd(16, '1'),
        '+1 555 010 9999',
        'password=abc12345',
      ),
    );
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(key, tie('node'), { maxKeys: 4 }),
      ),
    })).node;
    fc.assert(
      fc.property(tree, (value) => {
        const before = JSON.stringify(value);
        const once = redactor.redact(value);
        expect(JSON.stringify(value)).toBe(before);
        expect(JSON.stringify(redactor.redact(value))).toBe(JSON.stringify(once));
        expect(JSON.stringify(redactor.redact(once.value))).toBe(JSON.stringify(once));
      }),
      { numRuns: 500 },
    );
  });

  it('AUD-5: whatever is given, it answers with JSON', () => {
    const cycle: Record<string, unknown> = { name: 'a' };
    cycle['self'] = cycle;
    const hostile = {
      cycle,
      get broken(): never {
        throw new Error('no');
      },
      toJSON: undefined,
      thrower: {
        toJSON: () => {
          throw new Error('no');
        },
      },
      converted: { toJSON: () => ({ password: 'x' }) },
      big: 10n,
      bytes: Buffer.from(madeUp(20)),
      floats: new Float64Array(2),
      date: new Date(0),
      invalid: new Date(Number.NaN),
      map: new Map<unknown, unknown>([['token', 'x']]),
      pairs: new Map<unknown, unknown>([[{}, 'x']]),
      set: new Set([1]),
      symbol: Symbol('s'),
      fn: () => 1,
      nan: Number.NaN,
      error: new Error('bearer abc'),
      proxy: new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
    };
    const value = of(hostile);
    expect(value).toMatchObject({
      cycle: { name: 'a', self: '[CIRCULAR]' },
      broken: '[UNREADABLE]',
      thrower: '[UNREADABLE]',
      converted: { password: '[REDACTED]' },
      big: '10',
      bytes: '[BINARY bytes=20]',
      floats: '[BINARY bytes=16]',
      date: '1970-01-01T00:00:00.000Z',
      invalid: null,
      map: { token: '[REDACTED]' },
      set: [1],
      nan: null,
      error: { name: 'Error', message: 'bearer [REDACTED]' },
      proxy: '[UNREADABLE]',
    });
    expect(JSON.stringify(value)).not.toContain(madeUp(20).slice(0, 8));
    expect(redactor.redact(undefined).value).toBeNull();
    expect(redactor.redact(Symbol('s')).value).toBeNull();
  });

  it('AUD-5: a __proto__ key is data, and depth has an end', () => {
    const parsed: unknown = JSON.parse('{"__proto__": {"password": "x", "polluted": 1}}');
    const value = of(parsed);
    expect(JSON.stringify(value)).toContain('"__proto__":{"password":"[REDACTED]","polluted":1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    let deep: unknown = 'end';
    for (let i = 0; i < 50_000; i += 1) deep = { d: deep };
    expect(JSON.stringify(of(deep))).toContain('[TRUNCATED]');
    expect(() => createPayloadRedactor({ version: 'x' } as never)).toThrow(TypeError);
  });

  it('AUD-5: nothing that an object hides from JSON comes along: symbols, prototypes, Buffers turned to JSON', () => {
    const secret = madeUp(20);
    class Session {
      readonly id = 7;
      get token(): string {
        return secret;
      }
    }
    const { value } = redactor.redact({
      [Symbol('raw')]: secret,
      session: new Session(),
      inherited: Object.create({ password: secret }) as unknown,
      bytes: JSON.parse(JSON.stringify(Buffer.from(secret))) as unknown,
      boxed: Object('bearer abc') as unknown,
      itself: {
        kept: 1,
        toJSON(): unknown {
          return this;
        },
      },
    });
    expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(secret.slice(0, 8));
    expect(value).toMatchObject({
      session: { id: 7 },
      inherited: {},
      bytes: '[BINARY bytes=20]',
      boxed: 'bearer [REDACTED]',
      itself: { kept: 1 },
    });
    expect(Object.getOwnPropertySymbols(value)).toEqual([]);
  });

  it('AUD-5: what JSON leaves out is no member of the copy, and what every object inherits neither', () => {
    const parsed = JSON.parse('{"__proto__": {"password": "x"}, "constructor": 1}') as Record<string, unknown>;
    Object.defineProperty(Object.prototype, 'inherited', {
      value: 'bearer abc',
      enumerable: true,
      configurable: true,
      writable: true,
    });
    try {
      const value = of({ gone: undefined, ...parsed, fn: () => 1, note: 'bearer abc' });
      expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'note', '_redaction_meta']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(JSON.stringify(value)).toContain('"__proto__":{"password":"[REDACTED]"}');
      expect(of({ kept: 1 })).toHaveProperty('_redaction_meta.patterns_redacted_count', 0);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'inherited');
    }
  });

  it('AUD-5: getters are read, and one that throws costs its own member alone', () => {
    const value = of({
      before: 1,
      get broken(): never {
        throw new Error('no');
      },
      get password(): never {
        throw new Error('no');
      },
      note: 'bearer abc',
    });
    expect(value).toMatchObject({
      before: 1,
      broken: '[UNREADABLE]',
      password: '[REDACTED]',
      note: 'bearer [REDACTED]',
    });
    const items = new Proxy(['a', 'b'], {
      get(target, key) {
        if (key === '0') throw new Error('no');
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(of({ items })['items']).toEqual(['[UNREADABLE]', 'b']);
  });

  it('AUD-5: what is huge is cut, and what is cut is not shown raw', () => {
    const secret = madeUp(20);
    const sparse: unknown[] = [];
    sparse[3] = 'bearer abc';
    expect(of({ sparse })['sparse']).toEqual([null, null, null, 'bearer [REDACTED]']);
    sparse[50_000_000] = secret;
    const long = of({ sparse })['sparse'] as unknown[];
    expect(long.length).toBeLessThan(201_000);
    expect(long.at(-1)).toBe('[TRUNCATED]');
    const wide = Object.fromEntries(Array.from({ length: 200_100 }, (_, at) => [`k${at}`, at < 200_050 ? 1 : secret]));
    const cut = redactor.redact([wide, new Set(Array.from({ length: 3 }, () => ({ secret })))]).value;
    expect(JSON.stringify(cut)).not.toContain(secret);
    expect(JSON.stringify(cut)).toContain('[TRUNCATED]');
  });

  it('AUD-8: two keys that read alike once redacted stay two members', () => {
    const value = of({ '[REDACTED]': 'first', [`ghp_${madeUp(36)}`]: 'second', [`ghp_${madeUp(36, HEX)}`]: 'third' });
    expect(value).toMatchObject({ '[REDACTED]': 'first', '[REDACTED]_2': 'second' });
    expect(Object.values(value)).toEqual(expect.arrayContaining(['first', 'second', 'third']));
  });

  it('AUD-8: without attachMeta the value is the copy alone, and a member of that name is read like any other', () => {
    const detached = createPayloadRedactor({ attachMeta: false });
    const { value, meta } = detached.redact({ password: 'x', _redaction_meta: { note: 'bearer abc' } });
    expect(value).toEqual({ password: '[REDACTED]', _redaction_meta: { note: 'bearer [REDACTED]' } });
    expect(meta).toMatchObject({ fields_redacted_count: 1, patterns_redacted_count: 1 });
    expect(of({ inner: { _redaction_meta: 'bearer abc' } })['inner']).toEqual({ _redaction_meta: 'bearer [REDACTED]' });
    expect(() => createPayloadRedactor({ attachMeta: 'no' as never })).toThrow(/attachMeta/);
  });

  it('AUD-5: by names alone, texts are left as they are', () => {
    const byNames = createPayloadRedactor({ attachMeta: false, texts: false });
    const { value, meta } = byNames.redact({ note: 'bearer abc', user: { email: 'ann@corp.example', password: 'x' } });
    expect(value).toEqual({ note: 'bearer abc', user: { email: 'a***@corp.example', password: '[REDACTED]' } });
    expect(meta.redacted_paths).toEqual(['$.user.email', '$.user.password']);
  });

  it('AUD-5: the walk reads a member as JSON does, whatever it is', () => {
    const payload = createPayloadRedactor({ attachMeta: false });
    // A whole number of 13 digits or more may be a card number: one double in some thousands is.
    const number = fc.double().filter((value) => Math.abs(value) < 1e12 || !Number.isSafeInteger(value));
    const values = [fc.string(), fc.integer(), number, fc.boolean(), fc.constant(null), fc.constant(undefined)];
    fc.assert(
      fc.property(
        fc.object({
          withDate: true,
          withNullPrototype: true,
          withSparseArray: true,
          maxDepth: 4,
          key: harmlessKey,
          values,
        }),
        (value) => {
          expect(JSON.stringify(payload.redact(value).value)).toBe(JSON.stringify(value));
        },
      ),
      { numRuns: 300 },
    );
  });
});
