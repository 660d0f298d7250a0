// Every leak found so far, as a generated sample. A new one is added here first, and red, before it is cured (RED-9).
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createRedactor, type RedactionContext } from './redactor.js';
import { createPayloadRedactor } from './structured/payload-redactor.js';
import { BASE64, HEX, madeUp } from './testing/redact-line.js';
import { textFromSeed } from './testing/secret-generators.js';

interface Leak {
  /** What was let through. */
  what: string;
  /** The text it stood in, and the pieces of it that must not survive. */
  sample(seed: number): { text: string; secrets: readonly string[] } & RedactionContext;
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const begin = `-----BEGIN ${'PRIVATE'} KEY-----`;
const end = `-----END ${'PRIVATE'} KEY-----`;
const secretOf = (length: number, seed: number, alphabet?: string): string => madeUp(length, alphabet, seed);

const leaks: readonly Leak[] = [
  {
    what: 'a cloud key of capitals alone, taken for a word',
    sample: (seed) => {
      const key = `AK${'IA'}${textFromSeed(seed, CAPITALS, 16)}`;
      return { text: `id = ${key}`, secrets: [key] };
    },
  },
  {
    what: 'a private key with a forged placeholder among its lines',
    sample: (seed) => {
      const lines = [secretOf(64, seed, BASE64), secretOf(64, seed + 1, BASE64)];
      return { text: [begin, lines[0], `${lines[1]} [REDACTED:${'a'.repeat(20)}:1]`, end].join('\n'), secrets: lines };
    },
  },
  {
    what: 'an option that is one only once the key before it is replaced',
    sample: (seed) => {
      const [key, word] = [secretOf(35, seed, BASE64), secretOf(12, seed + 1)];
      return { text: `${key}https--password ${word} ${end}`, secrets: [key, word] };
    },
  },
  {
    what: 'text glued to a placeholder that was copied from a review',
    sample: (seed) => {
      const word = secretOf(14, seed);
      return { text: `password = "[REDACTED:password:1]${word}"`, secrets: [word] };
    },
  },
  {
    what: 'the password of a command behind the minus of a diff',
    sample: (seed) => {
      const word = secretOf(16, seed);
      return {
        text: `@@ -1 +0,0 @@\n-sshpass -p '${word}' ssh build@host.example uptime`,
        secrets: [word],
        path: 'run.sh',
        diff: true,
      };
    },
  },
  {
    what: 'a Perforce ticket given to p4 behind the minus of a diff',
    sample: (seed) => {
      const ticket = secretOf(32, seed, HEX.toUpperCase());
      return { text: `@@ -1 +0,0 @@\n-p4 -u build -P ${ticket} sync`, secrets: [ticket], path: 'login.sh', diff: true };
    },
  },
  {
    what: 'a password with a dot in it, taken for where a value stands in an object',
    sample: (seed) => {
      const word = `p${secretOf(12, seed)}.D${secretOf(8, seed + 1)}`;
      return { text: `#define DB_PASSWORD "${word}"`, secrets: [word], path: 'app.h' };
    },
  },
];

interface PayloadLeak {
  what: string;
  sample(secret: string): unknown;
}

const payloadLeaks: readonly PayloadLeak[] = [
  {
    what: 'a Buffer that went through JSON before',
    sample: (secret) => ({ body: JSON.parse(JSON.stringify(Buffer.from(secret))) as unknown }),
  },
  { what: 'a member under a symbol', sample: (secret) => ({ id: 1, [Symbol('session')]: secret }) },
  {
    what: 'a member of the name of our own meta, further down',
    sample: (secret) => ({ inner: { _redaction_meta: { password: secret } } }),
  },
  {
    what: 'an unquoted password in the midst of a message',
    sample: (secret) => ({ message: `401 with password=${secret} at login` }),
  },
  { what: 'a key that is a secret itself', sample: (secret) => ({ [`ghp_${secret}`]: { uses: 1 } }) },
];

describe('leaks found so far', () => {
  const redactor = createRedactor({ fingerprintKey: 'fingerprint-key-of-the-tests' });
  it.each(leaks)('RED-9: $what', ({ sample }) => {
    for (let seed = 1; seed <= 25; seed += 1) {
      const { text, secrets, path, diff } = sample(seed * 7919);
      const redacted = redactor.session().redact(text, { path, diff }).text;
      for (const secret of secrets)
        for (let at = 0; at + 8 <= secret.length; at += 1) expect(redacted).not.toContain(secret.slice(at, at + 8));
      expect(redacted.split('\n')).toHaveLength(text.split('\n').length);
    }
  });

  it.each(payloadLeaks)('RED-9: in a payload, $what', ({ sample }) => {
    const payload = createPayloadRedactor();
    const secret = madeUp(36);
    const bytes = JSON.stringify([...Buffer.from(secret)]).slice(1, -1);
    const shown = inspect(payload.redact(sample(secret)).value, {
      depth: null,
      maxArrayLength: null,
      breakLength: Number.POSITIVE_INFINITY,
    });
    expect(shown).not.toContain(secret.slice(0, 8));
    expect(shown.replaceAll(' ', '')).not.toContain(bytes.slice(0, 20));
  });
});
