import { describe, expect, it } from 'vitest';
import { madeUp, redactLine } from '../../testing/redact-line.js';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = part({ alg: 'HS256', typ: 'JWT' });
const payload = part({ sub: madeUp(20) });

describe('JSON web tokens', () => {
  it('RED-2: signed, unsigned, encrypted, padded and wrapped tokens are found', () => {
    const signed = `${header}.${payload}.${madeUp(43)}`;
    const samples = [
      signed,
      `${header}.${payload}`,
      `${part({ alg: 'dir', enc: 'A256GCM' })}..${madeUp(16)}.${madeUp(40)}.${madeUp(22)}`,
      `${header}.${payload}.${madeUp(41)}%3D`,
      Buffer.from(signed).toString('base64'),
    ];
    for (const sample of samples)
      expect(redactLine(`see "${sample}"`)).toEqual({ text: 'see "[REDACTED:jwt:1]"', rules: ['jwt:high'] });
  });

  it('RED-8: JSON in base64 and dotted names that are no token stay', () => {
    for (const text of [`data:${part({ name: 'map', items: [1, 2, 3] })}.map`, 'eyJustAnIdentifier.property.other'])
      expect(redactLine(text).text).toBe(text);
  });
});
