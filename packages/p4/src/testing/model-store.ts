import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  defaultTime,
  type P4SimulatorChange,
  type P4SimulatorFile,
  type P4SimulatorIntegration,
  type P4SimulatorModel,
} from './simulator-model.js';

/** A file with everything filled in. */
export interface StoredFile {
  path: string;
  action: P4SimulatorFile['action'];
  type: string;
  rev: number | 'none';
  content(): Buffer;
  readonly fileSize: number;
  readonly digest: string;
  from: { path: string; rev: number } | null;
  integratedFrom: readonly P4SimulatorIntegration[];
  isArchiveMissing: boolean;
  change: StoredChange;
}

export interface StoredChange extends Omit<P4SimulatorChange, 'files'> {
  client: string;
  time: number;
  files: StoredFile[];
}

/** Questions a server answers about its model. */
export interface ModelStore {
  /** A path as the server compares it. */
  fold(path: string): string;
  change(number: number): StoredChange | null;
  /** Newest first. */
  changes(): readonly StoredChange[];
  /** By `path`, `path#n`, `path@n` or `path@=n`; null where no such revision is. */
  revision(path: string, at: string): StoredFile | null;
  /** True where any submitted revision of the path exists. */
  knows(path: string): boolean;
  /** The latest revision of each file below `//dir/...`, or of one file, as `revision` finds them; by path. */
  latest(scope: string, at: string): readonly StoredFile[];
  access(user: string, path: string): 'none' | 'list' | 'read';
}

const gone = new Set<string>(['delete', 'move/delete', 'purge', 'archive']);

/** Reads a part of a file of this machine. */
export type ReadBytes = (file: string, at: number, bytes: number) => Buffer;

/** Fills in revisions, sizes and digests, and indexes the model. */
export function createModelStore(model: P4SimulatorModel, readBytes: ReadBytes): ModelStore {
  const fold = (path: string): string => (model.caseHandling === 'insensitive' ? path.toLowerCase() : path);
  const history = new Map<string, StoredFile[]>();
  const changes = new Map<number, StoredChange>();
  for (const change of [...model.changes].sort((a, b) => a.number - b.number)) {
    const stored: StoredChange = {
      ...change,
      client: change.client ?? `${change.user}-ws`,
      time: change.time ?? defaultTime,
      files: [],
    };
    for (const file of change.files) {
      const earlier = history.get(fold(file.path)) ?? [];
      const entry = storeFile(file, { change: stored, earlier, readBytes });
      stored.files.push(entry);
      if (change.status === 'submitted') history.set(fold(file.path), [...earlier, entry]);
    }
    changes.set(change.number, stored);
  }
  const store: ModelStore = {
    fold,
    change: (number) => changes.get(number) ?? null,
    changes: () => [...changes.values()].sort((a, b) => b.number - a.number),
    knows: (path) => history.has(fold(path)),
    revision(path, at) {
      const revisions = history.get(fold(path)) ?? [];
      if (at === '') return revisions.at(-1) ?? null;
      const number = Number(at.replace(/^(?:#|@=|@)/, ''));
      if (at.startsWith('#')) return revisions.find((file) => file.rev === number) ?? null;
      if (at.startsWith('@=')) return changes.get(number)?.files.find((file) => fold(file.path) === fold(path)) ?? null;
      return revisions.findLast((file) => file.change.number <= number) ?? null;
    },
    latest(scope, at) {
      const paths = isPattern(scope) ? [...history.keys()].filter((path) => covers(fold(scope), path)).sort() : [scope];
      return paths.flatMap((path) => store.revision(path, at) ?? []);
    },
    access(user, path) {
      const rule = model.protections?.findLast(
        (candidate) => (candidate.user ?? user) === user && covers(fold(candidate.path), fold(path)),
      );
      return rule?.access ?? 'read';
    },
  };
  return store;
}

interface FileSurroundings {
  change: StoredChange;
  earlier: readonly StoredFile[];
  readBytes: ReadBytes;
}

function storeFile(file: P4SimulatorFile, { change, earlier, readBytes }: FileSurroundings): StoredFile {
  const latest = earlier.at(-1)?.rev;
  const next = change.status === 'submitted' ? Number(latest ?? 0) + 1 : (latest ?? 'none');
  const content = (): Buffer => modelContent(file.content, readBytes);
  return {
    path: file.path,
    action: file.action,
    type: file.type ?? 'text',
    rev: file.rev ?? next,
    content,
    get fileSize() {
      return file.fileSize ?? content().length;
    },
    get digest() {
      return file.digest ?? md5(content());
    },
    from: file.from ?? null,
    integratedFrom: [file.integratedFrom ?? []].flat(),
    isArchiveMissing: file.isArchiveMissing === true,
    change,
  };
}

/** The bytes a model gives a file. */
export function modelContent(content: P4SimulatorFile['content'], readBytes: ReadBytes): Buffer {
  if (typeof content !== 'object') return Buffer.from(content ?? '');
  return 'base64' in content
    ? Buffer.from(content.base64, 'base64')
    : readBytes(content.file, content.at, content.bytes);
}

/** As servers show it: upper-case hex. */
export function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex').toUpperCase();
}

/** True for files that have no content at that revision. */
export function isGone(file: StoredFile): boolean {
  return gone.has(file.action);
}

/** Whether a rule or scope, `//dir/...`, `//dir/.../name`, `//dir/*` or a file, holds a path. */
export function covers(rule: string, path: string): boolean {
  if (!isPattern(rule)) return rule === path;
  if (rule.endsWith('/...') && !isPattern(rule.slice(0, -4))) return path.startsWith(rule.slice(0, -3));
  const literal = (text: string): string => text.replace(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll('*', '[^/]*');
  return new RegExp(`^${rule.split('...').map(literal).join('.*')}$`, 's').test(path);
}

function isPattern(scope: string): boolean {
  return /\.\.\.|\*/.test(scope);
}
