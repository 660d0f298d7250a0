import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { defaultTime, type P4SimulatorChange, type P4SimulatorFile, type P4SimulatorModel } from './simulator-model.js';

/** A file with everything filled in. */
export interface StoredFile {
  path: string;
  action: P4SimulatorFile['action'];
  type: string;
  rev: number | 'none';
  content: Buffer;
  fileSize: number;
  readonly digest: string;
  from: { path: string; rev: number } | null;
  change: StoredChange;
}

export interface StoredChange extends Omit<P4SimulatorChange, 'files'> {
  client: string;
  time: number;
  files: StoredFile[];
}

/** Questions a server answers about its model. */
export interface ModelStore {
  change(number: number): StoredChange | null;
  /** Newest first. */
  changes(): readonly StoredChange[];
  /** By `path`, `path#n`, `path@n` or `path@=n`; null where no such revision is. */
  revision(path: string, at: string): StoredFile | null;
  /** True where any submitted revision of the path exists. */
  knows(path: string): boolean;
  access(user: string, path: string): 'none' | 'list' | 'read';
}

const gone = new Set<string>(['delete', 'move/delete', 'purge', 'archive']);

/** Fills in revisions, sizes and digests, and indexes the model. */
export function createModelStore(model: P4SimulatorModel): ModelStore {
  const fold = (path: string): string => (model.caseHandling === 'insensitive' ? path.toLowerCase() : path);
  const history = new Map<string, StoredFile[]>();
  const changes = new Map<number, StoredChange>();
  for (const change of [...model.changes].sort((a, b) => a.number - b.number)) {
    const stored: StoredChange = { ...change, client: change.client ?? `${change.user}-ws`, time: change.time ?? defaultTime, files: [] };
    for (const file of change.files) {
      const earlier = history.get(fold(file.path)) ?? [];
      const entry = storeFile(file, stored, earlier);
      stored.files.push(entry);
      if (change.status === 'submitted') history.set(fold(file.path), [...earlier, entry]);
    }
    changes.set(change.number, stored);
  }
  return {
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
    access(user, path) {
      const rule = model.protections?.findLast(
        (candidate) => (candidate.user ?? user) === user && covers(fold(candidate.path), fold(path)),
      );
      return rule?.access ?? 'read';
    },
  };
}

function storeFile(file: P4SimulatorFile, change: StoredChange, earlier: readonly StoredFile[]): StoredFile {
  const content = typeof file.content === 'object' ? Buffer.from(file.content.base64, 'base64') : Buffer.from(file.content ?? '');
  const latest = earlier.at(-1)?.rev;
  const next = change.status === 'submitted' ? Number(latest ?? 0) + 1 : (latest ?? 'none');
  return {
    path: file.path,
    action: file.action,
    type: file.type ?? 'text',
    rev: file.rev ?? next,
    content,
    fileSize: file.fileSize ?? content.length,
    get digest() {
      return file.digest ?? createHash('md5').update(content).digest('hex').toUpperCase();
    },
    from: file.from ?? null,
    change,
  };
}

/** True for files that have no content at that revision. */
export function isGone(file: StoredFile): boolean {
  return gone.has(file.action);
}

function covers(rule: string, path: string): boolean {
  return rule.endsWith('/...') ? path.startsWith(rule.slice(0, -3)) : rule === path;
}
