import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStandIn } from './benign-values.js';

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
  ['env:NAME', 'env(NAME)', 'vault:a/b', 'file:/a/b', 'secrets.NAME', 'arn:aws:name', 'data:abc'],
  ['process.env.NAME', 'os.environ', 'getenv_of_name', 'getenv', 'std::env::var', 'env::var', 'ENV[abc]', 'config.name', 'this.name'],
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
    const characters = fc.array(fc.constantFrom(...'BCDFGHJKLMNPQRSTVWZ23456789+/=_~!&;'), { minLength: 12, maxLength: 300 });
    const varied = characters.filter((drawn) => new Set(drawn.slice(0, 12)).size > 4).map((drawn) => `K7${drawn.join('')}`);
    fc.assert(fc.property(varied, (value) => !isStandIn(value)));
  });
});
