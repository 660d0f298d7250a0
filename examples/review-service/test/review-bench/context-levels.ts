import type { SettingsInput } from '@criticizer/core';

/** How much of the code round a change the model sees, by `review.context.level`. */
export const contextLevels = ['hunks', 'sections', 'wide'] as const;
export type ContextLevel = (typeof contextLevels)[number];

/** The settings with this level, for models outside the house too: the corpus is nobody's secret. */
export function withContext(settings: SettingsInput, level: ContextLevel): SettingsInput {
  const publicHosts = level === 'wide' ? level : 'sections';
  return {
    ...settings,
    review: { ...settings.review, context: { ...settings.review?.context, level, publicHosts } },
  };
}
