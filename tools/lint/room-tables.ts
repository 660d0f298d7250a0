// The table of rooms in each package's README, compared with the rules that hold it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedRooms, packageRooms } from './import-rules.js';

export interface RoomRow {
  room: string;
  /** What the last column says: null for `all` and for a folder that no rule is about. */
  mayImport: readonly string[] | null;
}

const head = /^\| folder of `src` \| what lives there \| may import \|\n\| --- \| --- \| --- \|\n/m;
/** Folders of every package, with rules of their own in import-rules.ts, where a package has none for them. */
const besideTheRooms = new Set(['sql', 'testing', 'doors']);

/** The rows of the table; none where the page has no such table. */
export function parseRoomTable(page: string): RoomRow[] {
  const at = head.exec(page);
  if (at === null) return [];
  const text = page.slice(at.index + at[0].length);
  const rows: RoomRow[] = [];
  for (const line of text.split('\n')) {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const room = /^`([^`]+)`$/.exec(cells[1] ?? '')?.[1];
    if (room === undefined) break;
    rows.push({ room, mayImport: readCell(cells[3] ?? '', rows) });
  }
  return rows;
}

/** `all above but a, b`, `all`, or the rooms that the cell names between back-quotes. */
function readCell(cell: string, above: readonly RoomRow[]): readonly string[] | null {
  const named = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  if (cell === 'all') return null;
  if (!cell.startsWith('all above')) return named;
  return above.map(({ room }) => room).filter((room) => !named.includes(room));
}

/** One line for each difference between the README of a package and its rules; empty where they agree. */
export function compareRoomTables(root: string): string[] {
  return Object.entries(packageRooms).flatMap(([name, rooms]) => {
    const file = `packages/${name}/README.md`;
    const hasRules = (room: string): boolean => rooms.rooms.includes(room) || !besideTheRooms.has(room);
    const rows = parseRoomTable(readFileSync(join(root, file), 'utf8')).filter(({ room }) => hasRules(room));
    const listed = rows.map(({ room }) => room).join(', ');
    // Files that stand as rooms may be left out: they import what all others do.
    const missing = rooms.rooms.filter((room) => !room.endsWith('.ts') && !rows.some((row) => row.room === room));
    const unknown = rows.filter(({ room }) => !rooms.rooms.includes(room));
    const order = rooms.rooms.filter((room) => rows.some((row) => row.room === room)).join(', ');
    return [
      ...missing.map((room) => `${file}: no row for ${room}`),
      ...unknown.map(({ room }) => `${file}: ${room} is no room of the rules`),
      ...(missing.length + unknown.length === 0 && order !== listed ? [`${file}: the order is not ${order}`] : []),
      ...rows
        .filter((row) => !unknown.includes(row))
        .flatMap((row) => compareRow(file, row, allowedRooms(rooms, row.room))),
    ];
  });
}

function compareRow(file: string, { room, mayImport }: RoomRow, allowed: readonly string[]): string[] {
  if (mayImport === null) return [];
  const [says, holds] = [[...mayImport].sort().join(', '), [...allowed].sort().join(', ')];
  return says === holds ? [] : [`${file}: ${room} may import '${holds}' by the rules, '${says}' by the table`];
}
