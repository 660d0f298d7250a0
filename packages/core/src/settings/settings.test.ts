import { describe, expect, it } from 'vitest';
import { resolveSettings, type SettingsInput } from './settings.js';

const refused = (input: unknown): string => {
  try {
    resolveSettings(input as SettingsInput);
  } catch (error) {
    return error instanceof TypeError ? error.message : 'not a TypeError';
  }
  return 'accepted';
};

describe('settings', () => {
  it('fills every default from nothing and freezes all of it', () => {
    const settings = resolveSettings();
    expect(settings.retry).toEqual({
      maxAttemptsPerStage: 5,
      maxLostLeases: 3,
      parkMs: 60_000,
      outageAfter: 3,
      initialMs: 1_000,
      multiplier: 2,
      maxMs: 60_000,
    });
    expect(Object.isFrozen(settings.intake.skipTags)).toBe(true);
  });

  it('ART-1: refuses to keep raw artifacts longer than 7 days and redacted ones longer than 30', () => {
    const day = 86_400_000;
    expect(resolveSettings().artifacts).toEqual({ rawTtlMs: 7 * day, redactedTtlMs: 30 * day });
    expect(refused({ artifacts: { rawTtlMs: 7 * day + 1 } })).toContain('settings.artifacts.rawTtlMs');
    expect(refused({ artifacts: { redactedTtlMs: 31 * day } })).toContain('settings.artifacts.redactedTtlMs');
  });

  it('names an unknown key, where it stands, and the keys known there', () => {
    expect(refused({ worker: { concurency: 3 } })).toContain(
      'settings.worker: unknown key "concurency"; known keys are concurrency, prefetch',
    );
    expect(refused({ wroker: {} })).toContain('settings: unknown key "wroker"; known keys are worker, retry');
    expect(refused({ egress: { policy: [{ paths: ['//a/...'], provider: [] }] } })).toContain(
      'known keys are paths, providers',
    );
  });

  it('names every wrong setting at once', () => {
    const message = refused({ retry: { multiplier: 0 }, llm: { maxChunks: 'many' } });
    expect(message).toContain('settings.retry.multiplier');
    expect(message).toContain('settings.llm.maxChunks');
  });

  it('holds settings together that depend on each other', () => {
    expect(refused({ worker: { pollMinMs: 500, pollMaxMs: 100 } })).toContain('pollMaxMs');
  });
});
