// The arrows between the rooms of each package, as the imports draw them:
//   node --import tsx tools/lint/room-arrows.ts            one line a package
//   node --import tsx tools/lint/room-arrows.ts --all      one line an arrow
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { listFiles } from '../list-files.js';
import { type PackageRooms, packageRooms } from './import-rules.js';

export interface Arrow {
  from: string;
  to: string;
  /** How many imports draw it. */
  imports: number;
  /** True where `to` stands above `from` in the order of the rooms. */
  runsUp: boolean;
}

/**
 * The arrows of one package, sorted. Tests, `testing` and public entries are left out: they may
 * import every room. Imports of types count.
 */
export function readArrows(root: string, name: string, { rooms }: PackageRooms): Arrow[] {
  const source = `packages/${name}/src/`;
  const longestFirst = [...rooms].sort((a, b) => b.length - a.length);
  const roomAt = (file: string): string | undefined =>
    longestFirst.find((room) => file === source + room || file.startsWith(`${source}${room}/`));
  const arrows = new Map<string, Arrow>();
  for (const file of listFiles(root, source.slice(0, -1), '.ts')) {
    const from = roomAt(file);
    if (from === undefined || /\.test\.ts$|\/index\.ts$/.test(file)) continue;
    for (const { fileName } of ts.preProcessFile(readFileSync(join(root, file), 'utf8')).importedFiles) {
      const to = fileName.startsWith('.') ? roomAt(join(dirname(file), fileName.replace(/\.js$/, '.ts'))) : undefined;
      if (to === undefined || to === from) continue;
      const arrow = arrows.get(`${from} ${to}`);
      const runsUp = rooms.indexOf(to) > rooms.indexOf(from);
      arrows.set(`${from} ${to}`, { from, to, imports: (arrow?.imports ?? 0) + 1, runsUp });
    }
  }
  return [...arrows.values()].sort((a, b) => a.from.localeCompare(b.from) || a.to.localeCompare(b.to));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  for (const [name, rooms] of Object.entries(packageRooms)) {
    const arrows = readArrows(root, name, rooms);
    const up = arrows.filter(({ runsUp }) => runsUp);
    console.log(`${name}: ${rooms.rooms.length} rooms, ${arrows.length} arrows, ${up.length} run back up`);
    for (const { from, to, imports, runsUp } of process.argv.includes('--all') ? arrows : up)
      console.log(`  ${runsUp ? 'UP ' : ''}${from} -> ${to} (${imports})`);
  }
}
