import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRedactor } from '@criticizer/redact';
import { expect, it } from 'vitest';
import { plantIn } from '../../../../tools/prove/planted-fault.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Every TypeScript source, defaults and tests included, of packages and examples. */
function sources(): string[] {
  return ['packages', 'examples'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((one) => {
      if (!one.isDirectory()) return [];
      return ['src', 'test'].flatMap((part) => {
        const within = `${root}${folder}/${one.name}/${part}`;
        return listed(within).map((file) => `${within}/${file}`);
      });
    }),
  );
}

function listed(folder: string): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.split(sep).join('/'));
    return names.filter((name) => name.endsWith('.ts') && !name.includes('fixtures/'));
  } catch {
    return []; // no such part
  }
}

it('SEC-2: no source, default or test holds a credential', { timeout: 60_000 }, () => {
  const redactor = createRedactor({ fingerprintKey: randomBytes(32) });
  const files = sources();
  expect(files.length).toBeGreaterThan(400);
  const found: string[] = [];
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    const text = plantIn(file, () => source) ?? source;
    for (const { rule, start, end, line, confidence } of redactor.scan(text)) {
      // A word such as `b` or `word` in the place of a password is a sample of the form, not a credential.
      const sample = rule === 'uri-password' && /^[a-z]{1,4}$/.test(text.slice(start, end));
      if (confidence === 'high' && !sample) found.push(`${file.slice(root.length)}:${line} ${rule}`);
    }
  }
  expect(found).toEqual([]);
});
