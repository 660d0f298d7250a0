// Sources of integrated and moved files of a shelf: `describe` and `filelog` name none of them.
import { errorFacts, isCriticizerError, type Logger } from '@criticizer/core/ports';
import { foldAscii, parseDepotPath } from '../client/depot-path.js';
import type { DescribedChange, DescribedFile, P4Action } from '../client/describe.js';
import type { P4Client } from '../client/p4-client.js';
import { fieldText, type P4Fields } from '../client/p4-output.js';
import { readRecords } from '../client/read-records.js';
import { isOverRowLimit } from '../client/server-limits.js';
import type { AllowList } from '../policy/allow-list.js';
import { isIntegration } from './integrations.js';
import { type FileRevision, operandsPerBatch } from './read-digests.js';

interface ResolveRecord extends FileRevision {
  /** `merge from`, `moved from`. */
  action: string;
}

export interface ShelfSourcesOptions {
  change: Pick<DescribedChange, 'number' | 'status'>;
  allowList: AllowList;
  signal: AbortSignal;
  logger: Logger;
}

/**
 * Fills in `from` of a shelf's integrated and moved files that have none, by the resolve records that
 * the server keeps with the shelf. A source counts only where it is the only one, submitted and
 * inside the allow-list. Where the server does not answer the question the files stay as they are, to
 * be reviewed in full, and a line is logged. Asks nothing of other changes. Rejects with what
 * `P4Client.run` rejects with for failures that are not about this question.
 */
export async function nameShelfSources(
  client: P4Client,
  files: readonly DescribedFile[],
  options: ShelfSourcesOptions,
): Promise<readonly DescribedFile[]> {
  const { change, allowList } = options;
  if (change.status !== 'pending') return files;
  const unnamed = files.filter(
    ({ action, from, unaskable }) => mayHaveSource(action) && from === null && unaskable === undefined,
  );
  if (unnamed.length === 0) return files;
  const records = await readResolveRecords(client, unnamed, options);
  const movedAway = new Set(files.flatMap(({ action, path }) => (action === 'move/delete' ? [foldAscii(path)] : [])));
  const sources = new Map<DescribedFile, FileRevision>();
  for (const file of unnamed) {
    const ofFile = records.get(foldAscii(file.path)) ?? [];
    const source =
      file.action === 'move/add'
        ? findOnly(ofFile.filter(({ path }) => movedAway.has(foldAscii(path))))
        : findIntegrated(ofFile, file.path);
    if (source !== null && allowList.check(source.path).allowed) sources.set(file, source);
  }
  return files.map((file) => ({ ...file, from: sources.get(file) ?? file.from }));
}

function mayHaveSource(action: P4Action): boolean {
  return action === 'move/add' || isIntegration.has(action);
}

/** The one revision whose content came in. Null where a record waits to be resolved: it tells of no content yet. */
function findIntegrated(records: readonly ResolveRecord[], own: string): FileRevision | null {
  if (records.some(({ action }) => action === 'unresolved')) return null;
  // `ignored` took nothing; a newer revision of the file itself is no other branch.
  const incoming = records.filter(({ action, path }) => action.endsWith(' from') && foldAscii(path) !== foldAscii(own));
  return findOnly(incoming);
}

/** One source can have several records, of its content and of its type. */
function findOnly(records: readonly ResolveRecord[]): FileRevision | null {
  const [first, ...others] = records;
  if (first === undefined) return null;
  const isSame = ({ path, revision }: FileRevision): boolean => path === first.path && revision === first.revision;
  return first.revision > 0 && others.every(isSame) ? { path: first.path, revision: first.revision } : null;
}

/** By the folded path of the file that was integrated or moved. */
async function readResolveRecords(
  client: P4Client,
  files: readonly DescribedFile[],
  { change, signal, logger }: ShelfSourcesOptions,
): Promise<ReadonlyMap<string, readonly ResolveRecord[]>> {
  const records = new Map<string, readonly ResolveRecord[]>();
  const command = {
    name: 'fstat' as const,
    flags: ['-e', String(change.number), '-Or', '-Rs'],
    operands: files.map(({ path }) => path),
    operandsPerBatch,
  };
  const onWarning = (_message: unknown, error: { code: string }): boolean => isUnanswered.has(error.code);
  try {
    for (const fields of await readRecords(client, command, { signal, onWarning })) {
      const path = fieldText(fields, 'depotFile');
      if (path !== null) records.set(foldAscii(path), readRecordsOfFile(fields));
    }
  } catch (error) {
    if (!isAboutQuestion(error)) throw error;
    const says = 'the sources of shelved integrations cannot be read; they are reviewed in full';
    logger.info({ event: 'p4.sources_unread', change: change.number, files: files.length, ...errorFacts(error) }, says);
    return new Map();
  }
  return records;
}

function readRecordsOfFile(fields: P4Fields): ResolveRecord[] {
  const records: ResolveRecord[] = [];
  for (let at = 0; fields.has(`resolveAction${at}`); at += 1) {
    const path = fieldText(fields, `resolveFromFile${at}`) ?? '';
    // Of a shelf (`@=12`), `none` or nothing: no submitted revision, and so no source.
    const revision = Number(/^#?([0-9]{1,10})$/.exec(fieldText(fields, `resolveEndFromRev${at}`) ?? '')?.[1] ?? 0);
    const action = fieldText(fields, `resolveAction${at}`) ?? '';
    records.push({ action, path, revision: parseDepotPath(path).ok ? revision : 0 });
  }
  return records;
}

/** True where the server answers no such question; false for failures that any command could have met. */
function isAboutQuestion(error: unknown): boolean {
  if (!isCriticizerError(error)) return false;
  // A runner of an older release does not know the options.
  if (error.code === 'P4_RUNNER_REFUSED') return error.details['part'] === 'command';
  return isUnanswered.has(error.code) || isOverRowLimit(error);
}

/**
 * Answers that are about this question alone: servers may not know the options, want a workspace for
 * them, or say of a file that it has nothing to tell.
 */
const isUnanswered: ReadonlySet<string> = new Set([
  'P4_FILE_NOT_FOUND',
  'P4_PERMISSION_DENIED',
  'P4_OUT_OF_SCOPE',
  'P4_INCOMPATIBLE',
  'P4_UNCLASSIFIED_WARNING',
  'P4_FAILED',
]);
