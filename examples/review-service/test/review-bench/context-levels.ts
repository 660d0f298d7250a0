import type { SettingsInput } from '@criticizer/core';

/** How much of the code round a change the model sees. */
export const contextLevels = ['hunks'] as const;
export type ContextLevel = (typeof contextLevels)[number];

/** The settings with this level. */
export function withContext(settings: SettingsInput, _level: ContextLevel): SettingsInput {
  return settings;
}
