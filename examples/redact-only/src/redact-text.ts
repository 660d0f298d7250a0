// Redacts a file or standard input. usage: redact-text.ts [FILE] [--path NAME] the text comes out,
// a summary goes to standard error; exit code 1 when it could not be made safe
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { createRedactor } from '@criticizer/redact';
import { readFingerprintKey } from './fingerprint-key.js';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { path: { type: 'string' } } });
const [file] = positionals;
const given = file === undefined ? await text(process.stdin) : await readFile(file, 'utf8');

// #region text
const redactor = createRedactor({
  fingerprintKey: readFingerprintKey(),
  policy: { packs: ['pii'], overrides: [{ paths: ['*.md'], disable: ['password'] }] },
});
const { text: clean, counts } = redactor.session().redact(given, { path: values.path ?? file });
const left = redactor.scan(clean).filter((finding) => finding.confidence === 'high');
// #endregion

if (left.length > 0) {
  console.error(`not safe to print: ${left.map((finding) => `${finding.rule} on line ${finding.line}`).join(', ')}`);
  process.exitCode = 1;
} else {
  process.stdout.write(clean);
  console.error(JSON.stringify(counts));
}
