import type { RedactedChange } from '../../changes/redacted-change.js';

const keyOf = (file: string | null, rule: string): string => JSON.stringify([file, rule]);

/** How many places of a file a rule of redaction found; `file` null: the description, the user or a job. */
export type SecretCounts = (file: string | null, rule: string) => number;

/** Counts them over the whole change, those that no finding is about too. */
export function countSecrets({ secrets = [], files }: Pick<RedactedChange, 'secrets' | 'files'>): SecretCounts {
  const counts = new Map<string, number>();
  const add = (file: string | null, rule: string): void => {
    counts.set(keyOf(file, rule), (counts.get(keyOf(file, rule)) ?? 0) + 1);
  };
  for (const { rule } of secrets) add(null, rule);
  for (const { path, secrets: own = [] } of files) for (const { rule } of own) add(path, rule);
  return (file, rule) => counts.get(keyOf(file, rule)) ?? 0;
}
