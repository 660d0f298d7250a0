import { describe, expect, it } from 'vitest';
import { nextMode, strongestMode } from './mode-ladder.js';

describe('the mode ladder', () => {
  it('begins at the strongest mode whatever the order given', () => {
    expect(strongestMode(['prompt', 'tool'])).toBe('tool');
    expect(() => strongestMode([])).toThrow(TypeError);
  });
  it('goes down over what the provider lacks, and ends', () => {
    expect(nextMode('json_schema', ['json_schema', 'tool', 'json_object', 'prompt'])).toBe('tool');
    expect(nextMode('json_schema', ['json_schema', 'prompt'])).toBe('prompt');
    expect(nextMode('tool', ['json_schema', 'tool'])).toBeNull();
    expect(nextMode('prompt', ['json_schema', 'prompt'])).toBeNull();
  });
});
