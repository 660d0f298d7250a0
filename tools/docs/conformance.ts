// Reads docs/conformance.md: which requirement is met, where, and by what proof.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const conformancePage = 'docs/conformance.md';

/** How many requirements each family of the specification has. */
const families = {
  INV: 7,
  WQ: 12,
  OUT: 9,
  PR: 6,
  P4: 8,
  SEC: 5,
  ART: 7,
  RED: 10,
  ERR: 10,
  NOT: 11,
  AUD: 19,
  EGR: 5,
  INT: 4,
  GRD: 8,
  OPS: 6,
  CHN: 3,
};

/** Every requirement ID, in order. */
export const requirementIds: readonly string[] = Object.entries(families).flatMap(([family, count]) =>
  Array.from({ length: count }, (_, i) => `${family}-${i + 1}`),
);

export type Status = 'met' | 'partly' | 'open';
const statuses = new Set<string>(['met', 'partly', 'open']);

export interface Requirement {
  id: string;
  status: Status;
  /** Files and folders, from the root of the repository. */
  implementedIn: readonly string[];
  proof: string;
}

/**
 * The rows of the page's tables: `| ID | status | implemented in | proof |`. Throws on a row with
 * an ID and anything else wrong.
 */
export function parseConformance(page: string): Requirement[] {
  return page.split('\n').flatMap((text, i) => {
    const cells = text
      .trim()
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    const id = (cells[1] ?? '').replace(/[`*]/g, '');
    if (cells[0] !== '' || !/^[A-Z][A-Z0-9]*-\d+$/.test(id)) return [];
    const [status = '', files = '', proof = ''] = cells.slice(2);
    if (cells.length !== 6) throw new Error(`${conformancePage}:${i + 1}: ${id} has ${cells.length - 2} cells, not 4`);
    if (!statuses.has(status))
      throw new Error(`${conformancePage}:${i + 1}: ${id} is '${status}', not met, partly or open`);
    return [{ id, status: status as Status, implementedIn: paths(files), proof }];
  });
}

/** The paths a cell names: back-quoted, linked, or bare words with a slash. */
function paths(cell: string): string[] {
  const plain = cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`,;]/g, ' ');
  return plain.split(/\s+/).filter((word) => word.includes('/'));
}

/** Empty where the page is not there yet. */
export function readConformance(root: string): Requirement[] {
  const file = join(root, conformancePage);
  return existsSync(file) ? parseConformance(readFileSync(file, 'utf8')) : [];
}
