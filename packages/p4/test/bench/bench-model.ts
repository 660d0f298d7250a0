import type { P4SimulatorChange, P4SimulatorModel } from '../../src/testing/index.js';

/** Numbers of the changes a model for measuring has. */
export const benchChanges = { small: 1, base: 2, edited: 3 } as const;

/**
 * A server with a change that edits `files` files of `bytes` bytes each: of their lines the third
 * of every `every` lines.
 */
export function editedFiles({
  files,
  bytes,
  every,
}: {
  files: number;
  bytes: number;
  every: number;
}): P4SimulatorModel {
  const path = (at: number): string => `//depot/main/dir${at % 100}/file${at}.txt`;
  const side = (number: number, action: 'add' | 'edit', word: string): P4SimulatorChange => ({
    number,
    user: 'ann',
    description: `${action} ${files} files`,
    status: 'submitted',
    files: Array.from({ length: files }, (_, at) => ({
      path: path(at),
      action,
      content: text(at, { bytes, every, word }),
    })),
  });
  return {
    users: [{ user: 'ann', email: 'ann@mail.example', fullName: 'Ann' }],
    changes: [smallChange, side(benchChanges.base, 'add', 'before'), side(benchChanges.edited, 'edit', 'after')],
  };
}

/** A server with a change of very many files, whose contents nobody should ask for. */
export function addedFiles(files: number): P4SimulatorModel {
  const added = Array.from({ length: files }, (_, at) => ({
    path: `//depot/main/dir${at % 100}/file${at}.txt`,
    action: 'add' as const,
    fileSize: 2048,
    digest: at.toString(16).toUpperCase().padStart(32, '0'),
  }));
  const change: P4SimulatorChange = {
    number: benchChanges.edited,
    user: 'ann',
    description: 'many',
    status: 'submitted',
    files: added,
  };
  return { users: [{ user: 'ann', email: 'ann@mail.example', fullName: 'Ann' }], changes: [smallChange, change] };
}

const smallChange: P4SimulatorChange = {
  number: benchChanges.small,
  user: 'ann',
  description: 'small',
  status: 'submitted',
  files: [{ path: '//depot/main/small.txt', action: 'add', content: 'one\n' }],
};

function text(file: number, { bytes, every, word }: { bytes: number; every: number; word: string }): string {
  const lines: string[] = [];
  for (let length = 0, at = 1; length < bytes; at += 1) {
    const line =
      at % every === 3 ? `line ${at} of ${file} as it was ${word}\n` : `line ${at} of ${file}, which stays as it is\n`;
    lines.push(line);
    length += line.length;
  }
  return lines
    .join('')
    .slice(0, bytes - 1)
    .concat('\n');
}
