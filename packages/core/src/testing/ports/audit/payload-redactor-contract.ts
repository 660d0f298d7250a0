import assert from 'node:assert/strict';
import type { PayloadRedactor } from '../../../foundation/redactor.js';
import type { Runner } from '../../support/runner.js';

/** Full-redact keys of the audit guardrails, as hosts spell them (AUD-5). */
const secretKeys = [
  'password',
  'apiKey',
  'API_KEY',
  'client_secret',
  'refreshToken',
  'Authorization',
  'set-cookie',
  'sessionId',
  'private_key',
  'otp',
];

/** What every PayloadRedactor must do (AUD-5..8). `sample` makes a value no redactor has seen. */
export function describePayloadRedactorContract(
  { describe, it }: Runner,
  harness: { create(): PayloadRedactor; sample(): string },
): void {
  const redacted = (value: unknown) => {
    const { value: clean, meta } = harness.create().redact(value);
    return { text: JSON.stringify(clean), clean, meta };
  };

  describe('PayloadRedactor contract', () => {
    it('AUD-5: hides the value of every secret key, however it is spelt and however deep it lies', () => {
      for (const key of secretKeys) {
        const secret = harness.sample();
        const { text, meta } = redacted({
          kept: 'yes',
          [key]: secret,
          deep: [{ inner: { [key]: { nested: secret } } }],
        });
        assert.ok(!text.includes(secret), `${key} leaks`);
        assert.ok(text.includes('"kept":"yes"'));
        assert.ok(meta.fields_redacted_count >= 2, `${key} is not counted`);
      }
    });

    it('AUD-8: says what it did: version, counts, paths', () => {
      const redactor = harness.create();
      const { value, meta } = redactor.redact({ password: harness.sample() });
      assert.equal(meta.rule_version, redactor.ruleVersion);
      assert.equal(meta.redacted_paths.length, 1);
      assert.ok(JSON.stringify(value).includes('_redaction_meta'));
    });

    it('AUD-8: is deterministic and idempotent, and leaves its input alone', () => {
      const input = { password: harness.sample(), list: [1, 'two', null], email: 'someone@example.test' };
      const before = structuredClone(input);
      const redactor = harness.create();
      const once = redactor.redact(input).value;
      assert.deepEqual(input, before);
      assert.deepEqual(redactor.redact(input).value, once);
      assert.deepEqual(harness.create().redact(once).value, once);
    });

    it('gives plain JSON for whatever it is given, and never throws', () => {
      const circle: { self?: unknown } = {};
      circle.self = circle;
      const throwing = Object.defineProperty({}, 'trap', {
        enumerable: true,
        get() {
          throw new RangeError('trap');
        },
      });
      const deep = Array.from({ length: 5_000 }).reduce<unknown>((inner) => ({ inner }), 'leaf');
      const odd = [
        undefined,
        null,
        1n,
        Number.NaN,
        Symbol('s'),
        () => 1,
        new Date(Number.NaN),
        Buffer.from('x'),
        new Map([['a', 1]]),
        new Set([1]),
      ];
      for (const value of [
        ...odd,
        circle,
        throwing,
        deep,
        {
          toJSON: () => {
            throw new Error('no');
          },
        },
        JSON.parse('{"__proto__": {"polluted": 1}}'),
      ]) {
        const { value: clean } = harness.create().redact(value);
        assert.doesNotThrow(() => JSON.stringify(clean));
      }
      assert.equal(({} as { polluted?: number }).polluted, undefined);
    });
  });
}
