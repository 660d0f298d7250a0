import { z } from 'zod';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { Change, ChangedFile, ChangeSummary } from '../changes/change.js';
import { CriticizerError } from '../foundation/errors.js';
import type { Outputs } from '../stores/job.js';

/** Names of what the fetch stage leaves behind. */
export const rawSnapshot = 'fetch.raw';
export const redactedSnapshot = 'fetch.redacted';
/**
 * An output of a review job: not an artifact's id, but the fetched change's `contentDigest`: what
 * was reviewed, whatever the job was submitted for.
 */
export const fetchedContent = 'fetch.content';

const storedSchema = z.object({
  serverId: z.string(),
  number: z.number(),
  changelistId: z.string(),
  kind: z.enum(['submitted', 'pending', 'shelved']),
  user: z.string(),
  description: z.string(),
  changedAt: z.coerce.date(),
  userMail: z.string().nullable(),
  reviewerMails: z.array(z.string()),
  jobs: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), oldPath: z.string().nullable() })),
});

/** The raw change as stored: JSON, dates as ISO text. */
export function encodeChange(change: Change): Uint8Array {
  return Buffer.from(JSON.stringify(change), 'utf8');
}

/** The raw change back from its stored form: ours, authenticated, so only its dates need making. */
export function decodeChange(body: Uint8Array): Change {
  const stored = JSON.parse(Buffer.from(body).toString('utf8')) as Omit<Change, 'changedAt'> & { changedAt: string };
  return { ...stored, changedAt: new Date(stored.changedAt) };
}

/** A file's depot paths, unredacted. */
export type TruePaths = Pick<ChangedFile, 'path' | 'oldPath'>;

/** What later stages need of the raw change: whom it concerns and its true paths, in the change's order. */
export interface StoredChange {
  summary: ChangeSummary;
  files: readonly TruePaths[];
}

/** The artifact a stage before this one committed. A job without it cannot go on from here: `OUTPUT_MISSING`. */
export function outputOf(outputs: Outputs, name: string): string {
  const id = outputs[name];
  if (id === undefined)
    throw new CriticizerError('OUTPUT_MISSING', `An earlier stage left no "${name}".`, {
      category: 'not_found',
      details: { name },
    });
  return id;
}

export async function readStoredChange(artifacts: Artifacts, outputs: Outputs): Promise<StoredChange> {
  const { body } = await artifacts.read(outputOf(outputs, rawSnapshot));
  const { files, ...summary } = storedSchema.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  return { summary, files };
}
