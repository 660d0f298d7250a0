import { silentLogger } from '@criticizer/core';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../config/usage-error.js';
import { type LoadModule, loadTokenCounter } from './load-token-counter.js';

const load = (model: string, tokenizer: Parameters<typeof loadTokenCounter>[0]['tokenizer'], from?: LoadModule) =>
  loadTokenCounter({ model, tokenizer, prefix: 'LLM_' }, silentLogger, from);

const failing =
  (code: string): LoadModule =>
  () => {
    throw Object.assign(new Error(code), { code });
  };

describe('loadTokenCounter', () => {
  it.each(['gpt-4o', 'gpt-4.1-mini', 'openai/gpt-oss-20b'])('PR-3: counts for %s, which it knows', (model) => {
    const counter = load(model, 'auto');
    expect(counter?.count('hello world')).toBe(2);
    // One long run is counted in slices, and a special token is plain text.
    expect(counter?.count(`${'a'.repeat(200_000)}<|endoftext|>`)).toBeGreaterThan(20_000);
  });

  it.each(['qwen3-coder', 'claude-sonnet', 'meta/llama', '../mapping', 'GPT 4o', ''])(
    'PR-3: counts nothing for %j, which it does not know',
    (model) => {
      expect(load(model, 'auto')).toBeNull();
    },
  );

  it('PR-3: an encoding that is named counts for every model, and none is loaded where none is wanted', () => {
    expect(load('house-model', 'o200k_base')?.name).toBe('o200k_base');
    expect(load('gpt-4o', 'none', failing('never'))).toBeNull();
  });

  it('PR-3: without the package only a named encoding is a mistake; a damaged one always fails', () => {
    const missing = failing('MODULE_NOT_FOUND');
    expect(load('gpt-4o', 'auto', missing)).toBeNull();
    expect(() => load('gpt-4o', 'cl100k_base', missing)).toThrow(UsageError);
    expect(() => load('gpt-4o', 'auto', failing('ERR_INVALID_PACKAGE_CONFIG'))).toThrow('ERR_INVALID');
  });
});
