import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('WQ-3: no statement binds a bare LIMIT, which would plan it anew at each run', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('sqlite-session.ts'),
  );
  const limits = files.flatMap(
    (name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8').match(/LIMIT \?(?: \+ 0)?/g) ?? [],
  );
  expect(limits.length).toBeGreaterThan(5);
  expect(limits.filter((limit) => limit !== 'LIMIT ? + 0')).toEqual([]);
});
