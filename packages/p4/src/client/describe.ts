import { Buffer } from 'node:buffer';
import { CriticizerError } from '@criticizer/core/ports';
import { type DepotPathDefect, parseDepotPathBytes, parseUnaskablePath, type UnaskablePath } from './depot-path.js';
import { fieldNumber, fieldText, type P4Fields } from './p4-output.js';

const actions = [
  'add',
  'edit',
  'delete',
  'branch',
  'integrate',
  'move/add',
  'move/delete',
  'import',
  'purge',
  'archive',
] as const;
/** An action as the server names it. */
export type P4Action = (typeof actions)[number];

/** One file of `describe`. */
export interface DescribedFile {
  path: string;
  /** Set where no command can name the file: its content cannot be had. */
  unaskable?: UnaskablePath | undefined;
  action: P4Action;
  fileType: string;
  /** Of a submitted change the new revision, of a shelf the base; null where the server says `none`. */
  revision: number | null;
  /** Of the new side; null where the server does not say. */
  bytes: number | null;
  /** MD5, upper-case hex; null where the server does not say. */
  digest: string | null;
  from: { path: string; revision: number | null } | null;
  /** Its content is that of `from`. Absent: not, or not known. */
  isTakenOver?: boolean | undefined;
}

/** A change as `describe` tells it, before any policy. */
export interface DescribedChange {
  number: number;
  /** The number it had before it was submitted, where submitting gave it another. */
  originalNumber: number | null;
  user: string;
  changedAt: Date;
  description: string;
  status: 'submitted' | 'pending';
  /**
   * The server hides description and files from this user. The type `restricted` alone hides
   * nothing from users who may list one of the files: the placeholder decides, unless a user typed
   * it, which the list of files shows.
   */
  isHidden: boolean;
  jobs: string[];
  files: DescribedFile[];
  /** Paths no rule can judge: the change must be refused. */
  malformed: { defect: DepotPathDefect; bytes: Buffer }[];
}

const hiddenDescription = '<description: restricted, no permission to view>';

/**
 * Reads the tagged record of one change. `path` (the common directory) is not read: it can disclose
 * what the list of files hides. `decode` reads the description; by default as UTF-8, with U+FFFD for
 * what is none. Throws `P4_MALFORMED_OUTPUT` for a record of another change, with a
 * gap in its files, or with an unknown status or action.
 */
export function parseDescribe(
  fields: P4Fields,
  number: number,
  decode: (bytes: Buffer) => string = (bytes) => bytes.toString('utf8'),
): DescribedChange {
  const status = fieldText(fields, 'status');
  const time = fieldNumber(fields, 'time');
  const user = fieldText(fields, 'user');
  if (fieldNumber(fields, 'change') !== number) throw malformed('another changelist');
  if ((status !== 'submitted' && status !== 'pending') || time === null || user === null)
    throw malformed('no status, time or user');
  const description = decode(fields.get('desc') ?? Buffer.alloc(0));
  const list = parseFiles(fields);
  const oldNumber = fieldNumber(fields, 'oldChange');
  return {
    number,
    originalNumber: oldNumber === number ? null : oldNumber,
    user,
    changedAt: new Date(time * 1000),
    description,
    status,
    isHidden: description.trim() === hiddenDescription && list.files.length + list.malformed.length === 0,
    jobs: parseJobs(fields),
    ...list,
  };
}

function parseFiles(fields: P4Fields): Pick<DescribedChange, 'files' | 'malformed'> {
  const files: DescribedFile[] = [];
  const malformedPaths: DescribedChange['malformed'] = [];
  const readPath = (bytes: Buffer): Pick<DescribedFile, 'path' | 'unaskable'> => {
    const parsed = parseDepotPathBytes(bytes);
    if (parsed.ok) return { path: parsed.path };
    const unaskable = parseUnaskablePath(bytes);
    if (unaskable !== null) return { path: unaskable.path, unaskable };
    malformedPaths.push({ defect: parsed.defect, bytes });
    return { path: '' };
  };
  let count = 0;
  for (const key of fields.keys()) if (/^depotFile[0-9]+$/.test(key)) count += 1;
  for (let at = 0; at < count; at += 1) {
    const pathBytes = fields.get(`depotFile${at}`);
    const action = actions.find((known) => known === fieldText(fields, `action${at}`));
    const fileType = fieldText(fields, `type${at}`);
    if (pathBytes === undefined) throw malformed('a gap in the list of files');
    if (action === undefined || fileType === null) throw malformed('a file of unknown action or type');
    const fromBytes = fields.get(`fromFile${at}`);
    const source = fromBytes === undefined ? undefined : readPath(fromBytes);
    files.push({
      ...readPath(pathBytes),
      action,
      fileType,
      revision: fieldNumber(fields, `rev${at}`),
      bytes: fieldNumber(fields, `fileSize${at}`),
      digest: parseDigest(fieldText(fields, `digest${at}`)),
      from:
        source === undefined || source.unaskable !== undefined
          ? null // what no command can name is no side to compare with
          : { path: source.path, revision: lastRevision(fieldText(fields, `fromRev${at}`)) },
    });
  }
  return { files, malformed: malformedPaths };
}

function parseJobs(fields: P4Fields): string[] {
  const jobs: string[] = [];
  for (let at = 0; fields.has(`job${at}`); at += 1) jobs.push(fieldText(fields, `job${at}`) ?? '');
  return jobs;
}

function parseDigest(text: string | null): string | null {
  return text !== null && /^[0-9A-Fa-f]{32}$/.test(text) ? text.toUpperCase() : null;
}

/** `#3`, or the end of a range `#1,#3`. */
function lastRevision(text: string | null): number | null {
  const match = /#?([0-9]{1,10})$/.exec(text ?? '');
  return match === null ? null : Number(match[1]);
}

function malformed(why: string): CriticizerError {
  return new CriticizerError('P4_MALFORMED_OUTPUT', `The answer to describe cannot be read: ${why}.`, {
    category: 'upstream',
  });
}
