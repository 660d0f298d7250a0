import { describe, expect, it } from 'vitest';
import { countLine, countTests } from './postgres-tests.js';

describe('the count of a run', () => {
  it('is read from its last line', () => {
    expect(countTests('noise\n12 passed, 0 failed, 3 skipped\n', 0)).toEqual({ passed: 12, failed: 0, skipped: 3 });
    expect(countTests('12 passed, 2 failed', 1)).toEqual({ passed: 12, failed: 2, skipped: 0 });
  });

  it('is never a success where the run ended badly, early, or without a test', () => {
    expect(countTests('12 passed, 0 failed', 1).failed).toBe(1);
    expect(countTests('12 passed, 0 failed', null).failed).toBe(1);
    expect(countTests('0 passed, 0 failed, 5 skipped', 0).failed).toBe(1);
    expect(countTests('12 passed, 0 failed\nthen it broke', 0).failed).toBe(1);
    expect(countTests('', 0).failed).toBe(1);
  });

  it('is told in one line', () => {
    const given = { output: '', passed: 3, failed: 0, seconds: 1.04 };
    expect(countLine({ ...given, skipped: 0 })).toBe('3 passed, 0 failed, 1.0 s');
    expect(countLine({ ...given, skipped: 2 })).toBe('3 passed, 0 failed, 2 skipped, 1.0 s');
  });
});
