import { describe, expect, it } from 'vitest';
import { passesLuhn } from '../../lexicon/checksums.js';
import { createRedactor } from '../../redactor.js';
import { madeUp, redactLine, redactPersonal } from '../../testing/redact-line.js';

function cardNumber(): string {
  const body = `4${madeUp(14, '0123456789')}`;
  return ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => body + digit).find(passesLuhn) ?? '';
}

describe('personal data and internal names', () => {
  it('RED-6: e-mail addresses go when the policy says so, and stay by default', () => {
    expect(redactPersonal('Mail bob.b+x@mail.example.org.').text).toBe('Mail [REDACTED:email:1].');
    expect(redactLine('Mail bob@example.org.').rules).toEqual([]);
    expect(redactPersonal('@Override user@host a@b').text).toBe('@Override user@host a@b');
  });

  it('RED-7: private addresses go, public ones and versions stay', () => {
    expect(redactPersonal('10.1.2.3 192.168.0.1 172.16.9.9 fd12:3456::1').rules).toHaveLength(4);
    for (const text of ['8.8.8.8', 'v10.1.2', '110.1.2.3', '10.1.2.3.4', '172.32.0.1', 'fde0', '10.300.1.1'])
      expect(redactPersonal(text).text).toBe(text);
  });

  it('RED-7: listed hosts and suffixes go, longer names stay', () => {
    const session = createRedactor({
      fingerprintKey: 'key of the rule tests',
      policy: { internalHosts: ['build01', '*.corp.example'] },
    }).session();
    expect(session.redact('ssh build01 git.corp.example').text).toBe(
      'ssh [REDACTED:internal-host:1] [REDACTED:internal-host:2]',
    );
    for (const text of ['build012 rebuild01', 'corp.example', 'a.corp.example.org'])
      expect(session.redact(text).text).toBe(text);
  });

  it('AUD-6: card numbers that pass Luhn go, others stay', () => {
    const card = cardNumber();
    expect(redactPersonal(`card ${card.replace(/(.{4})/g, '$1 ').trim()}.`).text).toBe('card [REDACTED:pan:1].');
    const wrong = card.slice(0, -1) + String((Number(card.at(-1)) + 1) % 10);
    expect(redactPersonal(`card ${wrong}`).rules).toEqual([]);
  });
});
