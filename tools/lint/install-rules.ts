// What an install may do: fetch packages by name and hash, and run none of their scripts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One line for each breach, in the workspace and in bench/, which is one of its own; empty where all is well. */
export function checkInstall(root: string): string[] {
  const bench = join(root, 'bench');
  const inBench = existsSync(join(bench, 'package.json'))
    ? checkWorkspace(bench).map((line) => `${line} (bench/)`)
    : [];
  return [...checkWorkspace(root), ...inBench];
}

function checkWorkspace(root: string): string[] {
  const read = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');
  const found: string[] = [];
  const lines = read('pnpm-lock.yaml').split('\n');
  if (lines.length < 2) found.push('lockfile: pnpm-lock.yaml is missing');
  const url = lines.findIndex((line) => /\w+:\/\//.test(line));
  if (url >= 0) found.push(`lockfile-without-urls: pnpm-lock.yaml:${url + 1} holds a URL (a registry of one machine)`);
  for (const [i, line] of lines.entries())
    if (/^ {4}resolution:/.test(line) && !line.includes('integrity:'))
      found.push(`lockfile-integrity: pnpm-lock.yaml:${i + 1} has no hash`);

  const workspace = read('pnpm-workspace.yaml');
  const allowed = /^allowBuilds:\n((?: +.*\n?)*)/m.exec(workspace)?.[1] ?? '';
  for (const entry of allowed.split('\n').filter((line) => line.trim() !== ''))
    if (!/: false$/.test(entry)) found.push(`no-install-scripts: pnpm-workspace.yaml allows a build: ${entry.trim()}`);
  const loosening = /onlyBuiltDependencies|dangerouslyAllowAllBuilds/.exec(
    workspace + read('package.json') + read('.npmrc'),
  );
  if (loosening) found.push(`no-install-scripts: ${loosening[0]} is set`);
  // pnpm notes the packages whose scripts it held back unasked; pnpm 12 would fail on them.
  const [, ignored = ''] = /"?ignoredBuilds"?:\s*\[([^\]]*)\]/.exec(read('node_modules/.modules.yaml')) ?? [];
  if (ignored.trim() !== '')
    found.push(`no-install-scripts: list as false in pnpm-workspace.yaml's allowBuilds: ${ignored.trim()}`);
  return found;
}
