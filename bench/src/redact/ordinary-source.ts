import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the tree; the path tells its kind. */
export interface SourceFile {
  path: string;
  text: string;
}

/** Most files of a change are no longer than this. */
export const SMALL = 16_384;

export const isSmall = ({ text }: SourceFile): boolean => text.length <= SMALL;

const workspace = fileURLToPath(new URL('../../..', import.meta.url));
/** Sources of many languages that most machines have; those that are missing are left out. */
const ROOTS = [
  'packages',
  'docs',
  'bench/node_modules/.pnpm',
  'node_modules/.pnpm',
  '/usr/include',
  '/usr/lib/node_modules',
  '/usr/lib/python3',
  '/usr/lib/python3.11',
  '/usr/share/perl',
  '/usr/share/cmake-3.25',
  '/usr/share/doc',
];
/** Their subject is redaction or the search for secrets: they are full of made-up ones, which are there to be found. */
const ABOUT_SECRETS = /^(?:redact$|fast-redact@|@pinojs\+redact@|@?secretlint)/;
const EXTENSIONS =
  'js mjs cjs ts mts tsx py pyi pl pm h hpp c cpp cc cs java go rb rs php lua sql sh bat ps1 cmake tcl vim json yaml yml toml ini cfg conf properties xml html md rst txt lock css scss svg map proto po';
const LARGEST_FILE = 600_000;
const MAX_DEPTH = 14;

/**
 * A tree of about `bytes` of ordinary source, the same on every run on one machine: every language
 * gets an equal share as far as it goes, files in the order of their paths' digests, none twice.
 * The lock files of this workspace are in it, packages about secrets are not.
 */
export function ordinarySource(bytes: number): SourceFile[] {
  const extensions = new Set(EXTENSIONS.split(' '));
  const found = ROOTS.flatMap((root) => listFiles(join(root.startsWith('/') ? '' : workspace, root), extensions, 0));
  const ordered = found
    .map((path) => [digest(relative(workspace, path)), path] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const share = bytes / 14;
  const taken = new Map<string, number>();
  const seen = new Set<string>();
  const tree: SourceFile[] = [];
  let total = 0;
  const take = (path: string): void => {
    const text = readText(path);
    if (text === undefined || seen.has(digest(text))) return;
    seen.add(digest(text));
    tree.push({ path, text });
    total += text.length;
    const extension = extensionOf(path);
    taken.set(extension, (taken.get(extension) ?? 0) + text.length);
  };
  for (const lock of ['pnpm-lock.yaml', 'bench/pnpm-lock.yaml']) take(join(workspace, lock));
  for (const [, path] of ordered) {
    if (total >= bytes) break;
    if ((taken.get(extensionOf(path)) ?? 0) < share) take(path);
  }
  return tree;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const extensionOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

function listFiles(folder: string, extensions: ReadonlySet<string>, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return entry.name === '.git' || ABOUT_SECRETS.test(entry.name) ? [] : listFiles(path, extensions, depth + 1);
      return entry.isFile() && extensions.has(extensionOf(entry.name)) ? [path] : [];
    });
  } catch {
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    if (size === 0 || size > LARGEST_FILE) return undefined;
    const bytes = readFileSync(path);
    return bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}
