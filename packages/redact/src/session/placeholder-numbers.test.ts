import { describe, expect, it } from 'vitest';
import { createPlaceholderNumbers } from './placeholder-numbers.js';

const secret = (rule: string, fingerprint: string) => ({ rule, fingerprint });

describe('placeholder numbers', () => {
  it('RED-1: equal secrets share a placeholder, others of the rule count on, each rule for itself', () => {
    const numbers = createPlaceholderNumbers();
    const first = numbers.draft([secret('a', '1'), secret('a', '2'), secret('b', '3'), secret('a', '1')]);
    expect(first.placeholders).toEqual(['[REDACTED:a:1]', '[REDACTED:a:2]', '[REDACTED:b:1]', '[REDACTED:a:1]']);
    first.keep();
    expect(numbers.draft([secret('a', '4'), secret('b', '2')]).placeholders).toEqual([
      '[REDACTED:a:3]',
      '[REDACTED:a:2]',
    ]);
  });

  it('RED-1: a draft that is not kept uses up no number', () => {
    const numbers = createPlaceholderNumbers();
    numbers.draft([secret('a', '1')]);
    expect(numbers.draft([secret('a', '2')]).placeholders).toEqual(['[REDACTED:a:1]']);
  });
});
