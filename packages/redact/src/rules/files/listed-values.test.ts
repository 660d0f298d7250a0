import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notKept, redactLine } from '../../testing/redact-line.js';

const V = madeUp(20);
const W = madeUp(20, undefined, 11);

describe('lists of secrets', () => {
  it('RED-3: literals under a name for several secrets, on one line and on several', () => {
    const places: readonly (readonly [path: string, write: (v: string, w: string) => string])[] = [
      ['a.py', (v, w) => `API_KEYS = ["${v}", "${w}"]`],
      ['a.py', (v, w) => `API_KEYS = [\n    '${v}',\n    '${w}',\n]`],
      ['a.py', (v, w) => `PASSWORD_LIST = ["${v}", "${w}"]`],
      ['a.toml', (v, w) => `tokens = [\n  "${v}",\n  "${w}"\n]`],
      ['a.json', (v, w) => `{"passwords": ["${v}", "${w}"], "port": 1}`],
      ['a.go', (v, w) => `var apiKeys = []string{"${v}", "${w}"}`.replace('= []', ':= []').replace('var ', '')],
      ['a.java', (v, w) => `private_keys = Arrays.asList("${v}", "${w}");`],
      ['a.ts', (v, w) => `+  accessTokens: [\n+    '${v}',\n+    '${w}',\n+  ],`],
      ['a.yaml', (v, w) => `passwords:\n  - ${v}\n  - "${w}"\nport: 1`],
    ];
    for (const [path, write] of places)
      expect(redactLine(write(V, W), path).text.replaceAll(/\[REDACTED:[a-z]+:/g, '[REDACTED:')).toBe(
        write('[REDACTED:1]', '[REDACTED:2]'),
      );
    expect(redactLine(`api_keys: ['${madeUp(32, HEX)}']`, 'a.yaml').text).toBe("api_keys: ['[REDACTED:key:1]']");
  });

  it('RED-8: names, words of a language, samples and short digests stay', () => {
    expect(
      notKept([
        ['a.py', 'SENSITIVE_KEYS = ("password", "token1")'],
        ['a.py', 'special_tokens = ["[CLS]", "<s>", "user_id2"]'],
        ['a.js', "const tokens = ['IF', 'x2', 'OAuth2TokenRefreshHandler', 'sha256'];"],
        ['a.json', '{"passwords": ["letmein1", "changeme2", "<password>"]}'],
        ['a.yaml', 'secrets:\n  - db-credentials-v2\n  - source: tls2\n'],
        ['a.ts', `const cacheKeys = ['${madeUp(20, HEX)}'];`],
        ['a.ts', `const rowKeys = ['${V}'];`],
      ]),
    ).toEqual([]);
  });
});
