import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';

export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()} ${arch()}`,
});

const paths = createRequire(import.meta.url).resolve.paths('any') ?? [];

/** A package's version as installed. */
export function versionOf(name: string): string {
  const manifest = paths.map((folder) => join(folder, name, 'package.json')).find((file) => existsSync(file));
  if (manifest === undefined) return 'not installed';
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
