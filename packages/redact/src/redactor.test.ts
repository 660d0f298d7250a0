import { describe, expect, it } from 'vitest';
import type { Rule } from './grammar/rule.js';
import { RedactionError } from './redaction-error.js';
import { createRedactor } from './redactor.js';
import type { DefinedRule } from './rules/define-rule.js';
import { BASE64, madeUp } from './testing/redact-line.js';

const fingerprintKey = 'fingerprint-key-of-the-tests';
const token = `ghp_${madeUp(36)}`;
const other = `ghp_${madeUp(36).replace(/./, 'Z')}`;

describe('redactor', () => {
  it('says which version of the port it fits', () => {
    expect(createRedactor({ fingerprintKey }).contract).toBe(1);
  });

  it('RED-1: a secret has one placeholder in every text of a session, another secret another', () => {
    const session = createRedactor({ fingerprintKey }).session();
    expect(session.redact(`a ${token}`).text).toBe('a [REDACTED:github-token:1]');
    expect(session.redact(`b ${other} ${token}`).text).toBe('b [REDACTED:github-token:2] [REDACTED:github-token:1]');
    expect(session.redact(`"password": "${token}"`, { path: 'a.json' }).text).toBe(
      '"password": "[REDACTED:github-token:1]"',
    );
  });

  it('RED-8: findings carry place, confidence and a keyed fingerprint, never the value', () => {
    const text = `one\ntwo ${token}\n`;
    const { findings, counts } = createRedactor({ fingerprintKey }).session().redact(text);
    expect(findings).toHaveLength(1);
    const [finding] = findings;
    expect(finding).toMatchObject({
      rule: 'github-token',
      start: 8,
      end: 8 + token.length,
      line: 2,
      confidence: 'high',
    });
    expect(finding?.fingerprint).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify(findings)).not.toContain(token.slice(4, 12));
    expect(counts).toEqual({ 'github-token': 1 });
    const underOtherKey = createRedactor({ fingerprintKey: new Uint8Array(32).fill(7) }).scan(text);
    expect(underOtherKey[0]?.fingerprint).not.toBe(finding?.fingerprint);
  });

  it('RED-10: a rule that throws stops the text with a code and without its content', () => {
    const broken: Rule = {
      triggers: ['boom'],
      confirm(scan) {
        throw new Error(scan.text);
      },
    };
    const session = createRedactor({ fingerprintKey, rules: [{ rule: broken } as DefinedRule] }).session();
    expect(() => session.redact('no trigger here')).not.toThrow();
    try {
      session.redact(`boom ${token}`);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(RedactionError);
      expect(error).toMatchObject({ code: 'REDACTION_RULE_FAILED' });
      expect(
        `${error} ${(error as RedactionError).stack} ${JSON.stringify((error as RedactionError).cause)}`,
      ).not.toContain(token);
    }
  });

  it('RED-1: a text of which a copy is read, since it is dense with keys, is redacted as one that is not', () => {
    const redact = (text: string) => createRedactor({ fingerprintKey }).session().redact(text, { path: 'a.env' }).text;
    const lines = Array.from({ length: 2000 }, (_, at) => `password_${at}=`).join('\n');
    const secret = `password=${madeUp(20)}`;
    expect(redact(`${lines}\n${secret}\n— ${token}\n`)).toBe(
      `${lines}\n${redact(secret)}\n— [REDACTED:github-token:1]\n`,
    );
  });

  it('RED-1: placeholders of an earlier pass are left alone, also beside new secrets', () => {
    const redactor = createRedactor({ fingerprintKey });
    const text = `password = "[REDACTED:password:4]" ${token}`;
    expect(redactor.session().redact(text).text).toBe('password = "[REDACTED:password:4]" [REDACTED:github-token:1]');
    expect(redactor.scan('password = "[REDACTED:password:4]"')).toEqual([]);
  });

  it('RED-8: text glued to a copied placeholder is still hidden', () => {
    const { text } = createRedactor({ fingerprintKey })
      .session()
      .redact(`password = "[REDACTED:password:1]${madeUp(14)}"`);
    expect(text).toBe('password = "[REDACTED:password:1]"');
  });

  it('RED-1: what reads as a secret only once its neighbour is replaced is hidden in the same pass', () => {
    const redactor = createRedactor({ fingerprintKey });
    const key = madeUp(35, BASE64);
    const marker = `-----END ${'PRIVATE KEY'}-----`;
    // The body of the key and `https--password` are one word until the body goes; then a long
    // option and its value are left.
    const text = `${key}https--password ]Basic ${marker} ${token}`;
    const { text: redacted, findings, counts } = redactor.session().redact(text);
    expect(redacted).toBe(
      `[REDACTED:private-key:1]--password [REDACTED:password:1] ${marker} [REDACTED:github-token:1]`,
    );
    expect(redactor.session().redact(redacted)).toEqual({ text: redacted, findings: [], counts: {} });
    expect(findings.map(({ start, end, line }) => [text.slice(start, end), line])).toEqual([
      [`${key}https`, 1],
      [']Basic', 1],
      [token, 1],
    ]);
    expect(counts).toEqual({ 'private-key': 1, password: 1, 'github-token': 1 });
  });

  it('RED-4: a placeholder forged into a key hides no line of it', () => {
    const line = madeUp(64, BASE64);
    const pem = `-----BEGIN ${'PRIVATE KEY'}-----\n${line}\n${line} [REDACTED:${'a'.repeat(20)}:1]\n-----END ${'PRIVATE KEY'}-----\n`;
    const redactor = createRedactor({ fingerprintKey });
    const { text } = redactor.session().redact(pem);
    expect(text).not.toContain(line.slice(0, 8));
    expect(text.split('\n')).toHaveLength(pem.split('\n').length);
    expect(redactor.session().redact(text).text).toBe(text);
  });

  it('ART-6: equal policies have equal hashes, others differ', () => {
    const hash = (policy: Parameters<typeof createRedactor>[0]['policy']): string =>
      createRedactor({ fingerprintKey, policy }).rules.policyHash;
    expect(hash({ internalHosts: ['a', 'b'] })).toBe(hash({ packs: ['default'], internalHosts: ['b', 'a', 'A'] }));
    expect(hash({ packs: ['pii'] })).not.toBe(hash({}));
    expect(createRedactor({ fingerprintKey }).rules.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('RED-2: the strict pack reads weaker names', () => {
    const text = `auth: "${madeUp(11)}"\n`;
    expect(createRedactor({ fingerprintKey }).scan(text)).toEqual([]);
    expect(createRedactor({ fingerprintKey, policy: { packs: ['strict'] } }).scan(text)).toHaveLength(1);
  });

  it('RED-1: wrong options are refused by name', () => {
    const build = (options: unknown) => () => createRedactor(options as Parameters<typeof createRedactor>[0]);
    for (const wrong of [
      undefined,
      {},
      { fingerprintKey: 'short' },
      { fingerprintKey, rule: [] },
      { fingerprintKey, rules: [{}] },
      { fingerprintKey, policy: { packs: ['all'] } },
      { fingerprintKey, policy: { pii: { mail: true } } },
      { fingerprintKey, policy: { internalHosts: ['a b'] } },
    ]) {
      expect(build(wrong)).toThrow(TypeError);
    }
    expect(build({ fingerprintKey, policy: { emails: true } })).toThrow(
      /^createRedactor: policy\.emails: unknown option; known are packs, internalHosts/,
    );
  });
});
