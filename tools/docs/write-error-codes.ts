// Writes packages/core/src/foundation/error-codes.ts from docs/reference/errors.md: npm run docs:codes
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCodesSource, readCodeRows } from './error-codes.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rows = readCodeRows(readFileSync(join(root, 'docs/reference/errors.md'), 'utf8'));
writeFileSync(join(root, 'packages/core/src/foundation/error-codes.ts'), errorCodesSource(rows));
