import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertySettings } from './seeded-fast-check.js';

const half = (): number => 0.5;

describe('seeds of properties', () => {
  it('are one and the same in an ordinary run, whatever chance says', () => {
    expect(propertySettings({}, half)).toEqual(propertySettings({}, () => 0.1));
    expect(propertySettings({}, half).factor).toBe(1);
  });

  it('are drawn in a soak, or named', () => {
    expect(propertySettings({ MODE: 'soak' }, half).seed).toBe(1_073_741_823);
    expect(propertySettings({ CRITICIZER_PROPERTY_SEED: 'random' }, half).seed).toBe(1_073_741_823);
    const named = { MODE: 'soak', CRITICIZER_PROPERTY_SEED: '-7', CRITICIZER_PROPERTY_RUNS: '2.5' };
    expect(propertySettings(named, half)).toEqual({ seed: -7, factor: 2.5 });
    for (const wrong of [
      { CRITICIZER_PROPERTY_SEED: 'two' },
      { CRITICIZER_PROPERTY_SEED: '' },
      { CRITICIZER_PROPERTY_RUNS: '0' },
    ])
      expect(() => propertySettings(wrong, half)).toThrow(/^CRITICIZER_PROPERTY_/);
  });

  it('reach every test that imports fast-check', () => {
    const { seed, factor } = propertySettings(process.env, half);
    const runs = fc.check(
      fc.property(fc.integer(), () => true),
      { numRuns: 4 },
    );
    expect(runs.numRuns).toBe(4 * factor);
    if (process.env['CRITICIZER_PROPERTY_SEED'] !== 'random' && process.env['MODE'] !== 'soak')
      expect(runs.seed).toBe(seed);
  });
});
