import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { packageRooms } from './import-rules.js';
import { compareRoomTables, parseRoomTable } from './room-tables.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const head = '| folder of `src` | what lives there | may import |\n| --- | --- | --- |\n';

/** Folders of `source` that are no room, and files in a folder that holds rooms only. */
function findStrays(source: string, known: readonly string[], folder = ''): string[] {
  return readdirSync(join(source, folder)).flatMap((entry) => {
    const path = folder === '' ? entry : `${folder}/${entry}`;
    if (!statSync(join(source, path)).isDirectory()) return folder === '' ? [] : [path];
    if (known.includes(path) || readdirSync(join(source, path)).length === 0) return [];
    return known.some((room) => room.startsWith(`${path}/`)) ? findStrays(source, known, path) : [path];
  });
}

describe('the tables of rooms', () => {
  it('say what the import rules hold', () => {
    expect(compareRoomTables(root)).toEqual([]);
  });

  it('are there for every package, and every folder is a room of the rules', () => {
    const packages = readdirSync(join(root, 'packages'));
    expect(Object.keys(packageRooms).sort()).toEqual(packages.sort());
    const strays = packages.flatMap((name) => {
      const known = [...(packageRooms[name]?.rooms ?? []), 'sql', 'testing', 'doors'];
      return findStrays(join(root, 'packages', name, 'src'), known).map((stray) => `${name}/src/${stray}`);
    });
    expect(strays).toEqual([]);
  });

  it.each([
    ['nothing', '', []],
    ['rooms by name', '`a`, and `b`: they are needed', ['a', 'b']],
    ['all above', 'all above', ['a', 'b']],
    ['all above but some', 'all above but `a`', ['b']],
    ['all', 'all', null],
  ])('are read: %s', (_, cell, mayImport) => {
    const rows = parseRoomTable(`text\n${head}| \`a\` | x | |\n| \`b\` | x | |\n| \`c\` | x | ${cell} |\n\nmore`);
    expect(rows).toEqual([
      { room: 'a', mayImport: [] },
      { room: 'b', mayImport: [] },
      { room: 'c', mayImport },
    ]);
  });
});
