/**
 * Files that are longer than the rule allows, or hold a function that is. The list only shrinks:
 * an entry that is no longer needed fails `npm run lint`, and a new one needs a reason in review.
 */
export const filesNotYetSplit: readonly string[] = ['packages/core/src/settings.ts'];
