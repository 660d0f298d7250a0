import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLocation, isProse, isStandIn } from './benign-values.js';

/** One of each kind that stands for a value. */
const STAND_INS = [
  [
    '$NAME',
    '$' + '{NAME}',
    '$(command)',
    'a$' + '{NAME}b',
    '%NAME%',
    '%(name)',
    '%s',
    '{{ name }}',
    'a{{b}}c',
    '{% name %}',
    '<%= name %>',
    '#{name}',
  ],
  [
    '@@name',
    '@{name}',
    '!Ref name',
    '{name}',
    '<your value>',
    '[name]',
    ':name',
    '?',
    'ENC[abc]',
    '--name',
    '*name*',
    'name=%s',
    '(?:abc)',
    '[a-z]+',
  ],
  [
    '{$NAME.PART}',
    "{$this->values['name']}",
    '{env:NAME}',
    '{Ref: Name}',
    '%{string:Name}',
    '<?php name',
    '!RC4:!ADH',
    '!RC4',
    'urn:a:b',
    'MYTOKEN1',
  ],
  ['env:NAME', 'env(NAME)', 'vault:a/b', 'file:/a/b', 'secrets.NAME', 'arn:aws:name', 'data:abc'],
  [
    'process.env.NAME',
    'os.environ',
    'getenv_of_name',
    'getenv',
    'std::env::var',
    'env::var',
    'ENV[abc]',
    'config.name',
    'this.name',
  ],
  ['an_example_1', 'SampleOf1', 'change-me-1', 'yourPassword1', 'redacted1', 'not_set_1', 'abc\u2026'],
  ['abxxxxxcd1', 'ABXXXXX1', '***abc1', 'abc1***', '...abc1', 'abc1...'],
  ['password', 'NULL', 'string[]', 'utf-8', 'api_key', 'ed25519'],
  ['aaaaaa', 'ababab', '%5d', '"%-3.2f"'],
].flat();

describe('isStandIn', () => {
  it.each(STAND_INS)('%s stands for a value', (value) => {
    expect(isStandIn(value)).toBe(true);
  });

  it('what a generator makes stands for none, whatever its alphabet', () => {
    const characters = fc.array(fc.constantFrom(...'BCDFGHJKLMNPQRSTVWZ23456789+/=_~!&;'), {
      minLength: 12,
      maxLength: 300,
    });
    const varied = characters
      .filter((drawn) => new Set(drawn.slice(0, 12)).size > 4)
      .map((drawn) => `K7${drawn.join('')}`);
    fc.assert(fc.property(varied, (value) => !isStandIn(value)));
  });
});

describe('isProse and isLocation', () => {
  it.each([
    'Rantr\u00e9 ou mo \u010duvan',
    '\u00bfOlvid\u00f3 la clave?',
    'Kodsigr\u00e9 :',
    'Ger-tremena:',
    'ex: https://host.test/reset',
    '\u672a\u62cd\u5165\u5bc6\u78bc\u3002',
    '\u0938\u0930\u094d\u0935\u0930\u091a\u093e \u092a\u093e\u0938\u0935\u0930\u094d\u0921 $1 \u0938\u0930\u094d\u0935\u0930',
  ])('%s is text of a translation', (value) => {
    expect(isProse(value)).toBe(true);
  });

  it.each(['\u043f\u0430\u0440\u043e\u043b\u044c1', '\u5bc6\u78bc1234', 'h\u00e4ngematte', 'ab:cd:'])(
    '%s may be a password',
    (value) => {
      expect(isProse(value)).toBe(false);
    },
  );

  it('RED-8: a file named from its folder is a place; base64 with slashes is none', () => {
    expect(isLocation('dist/credentials/SomeOAuth2Api.credentials.js')).toBe(true);
    expect(isLocation('aB3/xY9+kL2/mN8')).toBe(false);
  });
});
