import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { readPath } from './path-kind.js';

describe('path kinds', () => {
  it('RED-8: names of files and depot paths tell how unquoted values read', () => {
    const kinds = {
      '//depot/main/.env#3': 'config',
      'a/b/package-lock.json': 'lock',
      'C:\\ws\\App.cs': 'source',
      'x.min.js': 'opaque',
      'lib/config.inc': 'source',
      'README.md': 'unknown',
      '//depot/go.sum@77': 'lock',
      Dockerfile: 'config',
      '.muttrc': 'config',
      '//depot/Assets/Settings.asset#2': 'config',
      'etc/ppp/chap-secrets': 'config',
      'src/.rc': 'unknown',
      'config/locales/de.yml': 'opaque',
      '//depot/web/src/i18n/app/messages.json#4': 'opaque',
      'lang/pt_BR/auth.php#12': 'opaque',
      'po/it.po': 'opaque',
      'lang/compiler.php': 'source',
      'locales/load.ts': 'source',
      'src/main/resources/application.yml': 'config',
    };
    for (const [path, kind] of Object.entries(kinds)) expect(readPath(path).kind).toBe(kind);
    expect(readPath(undefined).kind).toBe('unknown');
  });

  it('RED-8: neither long names nor long paths stay in memory', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heapMiB = (): number => {
      collect();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    const before = heapMiB();
    for (let n = 0; n < 400; n += 1) {
      // Joined by Buffer: one text of its own each.
      readPath(Buffer.alloc(100_000, `${n} `).toString());
      readPath(`${Buffer.alloc(100_000, `${n} `)}/a-name-of-its-own-${n}.ts`);
    }
    expect(heapMiB() - before).toBeLessThan(10);
  });
});
