import { z } from 'zod';
import type { Change, ChangedFile, ChangeSummary } from '../../changes/change.js';
import type { ChangeContext } from '../../changes/change-context.js';
import { CriticizerError } from '../../foundation/errors.js';
import { parseStoredJson, readStoredForm, type StoredForm } from '../../foundation/stored-form.js';
import type { OutputReader } from './run-outputs.js';

/** Outputs of the fetch stage. The change without its contents, raw: what recipients and policies need. */
export const changeSummary = 'fetch.summary';
/** The contents of its files, raw: read only where the change must be redacted anew. */
export const changeFiles = 'fetch.files';
/** The redacted change. */
export const redactedSnapshot = 'fetch.redacted';
/**
 * An output of a review job: not an artifact's id, but the fetched change's `contentDigest`: what
 * was reviewed, whatever the job was submitted for.
 */
export const fetchedContent = 'fetch.content';

/** Depot paths of a file, or of a piece of context, unredacted. */
export type TruePaths = Pick<ChangedFile, 'path' | 'oldPath'>;

/** What stages need of the raw change: whom it concerns and its true paths, in the change's order. */
export interface StoredSummary {
  summary: ChangeSummary;
  files: readonly TruePaths[];
  /** One for each piece of its context. */
  context: readonly TruePaths[];
  rest: Pick<Change, 'visibility' | 'deniedFiles' | 'contentDigest'>;
}

function invalidChange(path: string): CriticizerError {
  return new CriticizerError('STORED_CHANGE_INVALID', 'A stored change does not have the expected form.', {
    category: 'validation',
    details: { path },
  });
}

const summarySchema = z
  .object({
    format: z.literal(1),
    serverId: z.string(),
    number: z.number(),
    originalNumber: z.number().optional(),
    changelistId: z.string(),
    kind: z.enum(['submitted', 'pending', 'shelved']),
    user: z.string(),
    description: z.string(),
    changedAt: z.coerce.date(),
    userMail: z.string().nullable(),
    reviewerMails: z.array(z.string()),
    jobs: z.array(z.string()),
    visibility: z.enum(['complete', 'partial-possible']),
    deniedFiles: z.number(),
    contentDigest: z.string(),
    files: z.array(z.object({ path: z.string(), oldPath: z.string().nullable() })),
    context: z.array(z.string()).default([]),
  })
  .transform(
    ({ format: _format, files, context, visibility, deniedFiles, contentDigest, ...summary }): StoredSummary => ({
      summary,
      files,
      context: context.map((path) => ({ path, oldPath: null })),
      rest: { visibility, deniedFiles, contentDigest },
    }),
  );

const summaryForm: StoredForm<StoredSummary> = {
  name: 'change summary',
  formats: { 1: summarySchema },
  invalid: invalidChange,
};

/** Ours, authenticated, and large: only what tells it from another document is checked. */
const filesForm: StoredForm<Pick<Change, 'files' | 'context'>> = {
  name: 'list of changed files',
  formats: {
    1: z
      .object({
        format: z.literal(1),
        files: z.custom<readonly ChangedFile[]>(Array.isArray),
        context: z.custom<ChangeContext>((value) => typeof value === 'object').optional(),
      })
      .transform(({ format: _format, ...contents }) => contents),
  },
  invalid: invalidChange,
};

const encode = (value: object): Uint8Array => Buffer.from(JSON.stringify(value), 'utf8');

/** The path of each piece of a context. */
export function listContextPaths(context: Change['context']): readonly TruePaths[] {
  return context?.pieces.map(({ file }) => ({ path: context.files[file]?.path ?? '', oldPath: null })) ?? [];
}

/** The change without contents, as stored: JSON, dates as ISO text. */
export function encodeSummary({ files, context, ...change }: Change): Uint8Array {
  const paths = listContextPaths(context).map(({ path }) => path);
  return encode({
    format: 1,
    ...change,
    files: files.map(({ path, oldPath }) => ({ path, oldPath })),
    ...(paths.length === 0 ? {} : { context: paths }),
  });
}

/** The files with hunks and whole texts, and its context, as stored. */
export function encodeFiles({ files, context }: Change): Uint8Array {
  return encode({ format: 1, files, context });
}

/** Throws `STORED_CHANGE_INVALID` or `STORED_FORMAT_UNKNOWN` (validation), and what the artifact store throws. */
export async function readSummary(outputs: OutputReader): Promise<StoredSummary> {
  return readStoredForm(parseStoredJson(await outputs.read(changeSummary)), summaryForm);
}

/** The raw change as it was fetched. Throws what `readSummary` throws. */
export async function readChange(outputs: OutputReader): Promise<Change> {
  const { summary, rest } = await readSummary(outputs);
  const contents = readStoredForm(parseStoredJson(await outputs.read(changeFiles, { forget: true })), filesForm);
  return { ...summary, ...rest, ...contents };
}
