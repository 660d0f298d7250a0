// Puts the regions of source files into the documents that show them: node --import tsx tools/docs/write-docs.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillSnippets, listDocuments } from './doc-fences.js';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
for (const file of listDocuments(root)) {
  const text = readFileSync(join(root, file), 'utf8');
  const filled = fillSnippets(root, text);
  if (filled === text) continue;
  writeFileSync(join(root, file), filled);
  console.log(`wrote ${file}`);
}
