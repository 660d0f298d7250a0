import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../src/', import.meta.url));
/** An import or a re-export that stays when the types are gone. */
const statement = /^(?:import|export)\s+(?!type\b)(?:[^'"]*?\sfrom\s+)?'([^']+)';/gm;
const onlyTypes = /^(?:import|export)\s+\{\s*type [^}]*\}/;

/** What loading an entry loads: files of core and packages of others. */
function loadedBy(entry: string): { rooms: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [join(src, entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const [whole, specifier = ''] of readFileSync(file, 'utf8').matchAll(statement)) {
      const names = onlyTypes.test(whole)
        ? whole.slice(whole.indexOf('{') + 1, whole.indexOf('}')).split(',')
        : ['value'];
      if (names.every((name) => name.trim() === '' || name.trim().startsWith('type '))) continue;
      if (specifier.startsWith('.')) waiting.push(join(dirname(file), specifier.replace(/\.js$/, '.ts')));
      else if (!specifier.startsWith('node:')) packages.add(specifier);
    }
  }
  const rooms = [...files]
    .map((file) => relative(src, file).split('/'))
    .map(([room, file]) => (file ? (room ?? '') : '.'));
  return { rooms: new Set(rooms), packages };
}

const review = ['changes', 'egress', 'http', 'llm', 'prompt', 'review', 'stages'];

describe('the doors of core', () => {
  it('the host’s door has at most 60 names', () => {
    const lists = readFileSync(join(src, 'index.ts'), 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm);
    const names = [...lists].flatMap(([, list = '']) => list.split(',').filter((name) => name.trim() !== ''));
    expect(names.length).toBeGreaterThan(40);
    expect(names.length).toBeLessThanOrEqual(60);
  });

  it.each([
    ['doors/queue.ts', [...review, 'artifacts', 'audit', 'outbox', 'secrets']],
    ['doors/audit.ts', [...review, 'artifacts', 'outbox', 'worker', 'secrets']],
    // Of changes only the patterns and words that p4 shares with core's own context reader.
    ['doors/internal.ts', review.filter((room) => room !== 'changes')],
  ])('%s loads only its own rooms, and no undici', (entry, forbidden) => {
    const { rooms, packages } = loadedBy(entry);
    expect([...rooms].filter((room) => forbidden.includes(room))).toEqual([]);
    expect([...packages].filter((name) => name !== 'zod')).toEqual([]);
  });

  it('the door for authors of parts loads no undici and no model', () => {
    const { rooms, packages } = loadedBy('doors/ports.ts');
    expect([...rooms].filter((room) => ['http', 'llm', 'prompt', 'review', 'worker'].includes(room))).toEqual([]);
    expect([...packages].filter((name) => name !== 'zod')).toEqual([]);
  });

  it('sees undici where it is loaded', () => {
    expect(loadedBy('doors/http.ts').packages).toContain('undici');
  });
});
