import { newestSubmittedChanges } from '../client/list-changes.js';
import type { P4Client } from '../client/p4-client.js';
import { defaultMaxChangeFiles } from '../fetch/fetcher-options.js';
import type { AllowList } from '../policy/allow-list.js';
import { judgeFile } from '../policy/path-policy.js';
import { describeChanges } from '../watch/describe-changes.js';
import type { WatchedChange } from '../watch/watched-change.js';

/** What the allow-list would have made of the newest submitted changes. */
export interface AllowListOutcome {
  /** Changes whose files could be listed. */
  judged: number;
  /** Every file inside the list. */
  inside: number;
  /** Some inside, some not. */
  mixed: number;
  outside: number;
  /** The server listed no file: it hides them from this user. */
  unlisted: number;
  /** How many of their files each allow rule admitted, in the order of the rules. */
  rules: readonly { rule: string; files: number }[];
}

/** Judges by the paths that `describe` lists; no content is asked for. */
export function judgeChanges(changes: readonly WatchedChange[], allowList: AllowList): AllowListOutcome {
  const counts = { judged: 0, inside: 0, mixed: 0, outside: 0, unlisted: 0 };
  const files = new Map(allowList.allow.map((rule) => [rule, 0]));
  for (const { files: listed } of changes) {
    if (listed.length === 0) {
      counts.unlisted += 1;
      continue;
    }
    let admitted = 0;
    for (const file of listed) {
      const verdict = judgeFile(file, allowList);
      if (!verdict.allowed) continue;
      admitted += 1;
      files.set(verdict.rule, (files.get(verdict.rule) ?? 0) + 1);
    }
    counts.judged += 1;
    counts[admitted === 0 ? 'outside' : admitted === listed.length ? 'inside' : 'mixed'] += 1;
  }
  return { ...counts, rules: [...files].map(([rule, count]) => ({ rule, files: count })) };
}

/** The newest submitted changes, described. */
export async function describeNewest(
  client: P4Client,
  { changes, signal }: { changes: number; signal: AbortSignal },
): Promise<readonly WatchedChange[]> {
  const numbers = await newestSubmittedChanges(client, changes, signal);
  return describeChanges(client, numbers, {
    shelved: false,
    contentDigest: null,
    maxFiles: defaultMaxChangeFiles,
    signal,
  });
}
