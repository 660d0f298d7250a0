import { generateKeyPairSync } from 'node:crypto';
import type { LabelledText } from '../corpus/labelled-text.ts';
import type { Random } from '../corpus/random.ts';

const LABELS = ['RSA ', 'EC ', 'OPENSSH ', 'DSA ', 'ENCRYPTED ', ''];
const DASHES = '-----';

function body(random: Random, lines: number): string[] {
  const list = Array.from({ length: lines }, () => random.text('base64', 64));
  list[0] = `MII${(list[0] as string).slice(3)}`;
  return [...list, `${random.text('alnum', 20 + random.below(30))}==`];
}

type Shape = readonly [
  rule: string,
  path: string,
  write: (begin: string, lines: readonly string[], end: string) => string,
];

const SHAPES: readonly Shape[] = [
  ['plain', 'id.pem', (begin, lines, end) => [begin, ...lines, end, ''].join('\n')],
  ['crlf', 'id.pem', (begin, lines, end) => [begin, ...lines, end, ''].join('\r\n')],
  [
    'indented yaml',
    'a.yaml',
    (begin, lines, end) => ['key: |', ...[begin, ...lines, end].map((line) => `    ${line}`), 'next: 1'].join('\n'),
  ],
  [
    'escaped json',
    'a.json',
    (begin, lines, end) => `{"private_key": "${[begin, ...lines, end, ''].join('\\n')}", "x": 1}`,
  ],
  ['twice escaped', 'a.log', (begin, lines, end) => `{\\"k\\": \\"${[begin, ...lines, end].join('\\\\n')}\\"}`],
  ['added lines', 'a.diff', (begin, lines, end) => [begin, ...lines, end].map((line) => `+${line}`).join('\n')],
  ['removed lines', 'a.diff', (begin, lines, end) => [begin, ...lines, end].map((line) => `-${line}`).join('\n')],
  [
    'c string',
    'a.c',
    (begin, lines, end) => `const char *k =\n${[begin, ...lines, end].map((line) => `  "${line}\\n"`).join('\n')};`,
  ],
  [
    'js concatenation',
    'a.js',
    (begin, lines, end) => `const k = ${[begin, ...lines, end].map((line) => `'${line}\\n'`).join(' +\n  ')};`,
  ],
  [
    'java concatenation',
    'A.java',
    (begin, lines, end) => `String k = ${[begin, ...lines, end].map((line) => `"${line}"`).join('\n    + ')};`,
  ],
  [
    'python parentheses',
    'a.py',
    (begin, lines, end) => `k = (\n${[begin, ...lines, end].map((line) => `    '${line}\\n'`).join('\n')}\n)`,
  ],
  ['triple quotes', 'a.py', (begin, lines, end) => `k = """${[begin, ...lines, end].join('\n')}"""`],
  [
    'comment stars',
    'a.java',
    (begin, lines, end) => ['/**', ...[begin, ...lines, end].map((line) => ` * ${line}`), ' */'].join('\n'),
  ],
  ['hash comments', 'a.sh', (begin, lines, end) => [begin, ...lines, end].map((line) => `# ${line}`).join('\n')],
  ['one line, spaces', '.env', (begin, lines, end) => `KEY="${[begin, ...lines, end].join(' ')}"`],
  ['xml', 'a.xml', (begin, lines, end) => `<key>${[begin, ...lines, end].join('\n')}</key>`],
  ['end cut off', 'id.pem', (begin, lines) => [begin, ...lines.slice(0, 6)].join('\n')],
  ['begin cut off', 'id.pem', (_, lines, end) => [...lines, end].join('\n')],
  [
    'log',
    'a.log',
    (begin, lines, end) => [begin, ...lines, end].map((line) => `2024-05-01T10:11:12Z app[1]: ${line}`).join('\n'),
  ],
  ['heredoc', 'a.sh', (begin, lines, end) => ['cat > k <<EOF', begin, ...lines, end, 'EOF', 'chmod 600 k'].join('\n')],
  [
    'proc type',
    'id.pem',
    (begin, lines, end) => [begin, 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,00', '', ...lines, end].join('\n'),
  ],
  [
    'array of lines',
    'a.json',
    (begin, lines, end) => `{"k": [\n${[begin, ...lines, end].map((line) => `  "${line}"`).join(',\n')}\n]}`,
  ],
  [
    'terraform heredoc',
    'a.tf',
    (begin, lines, end) => `  k = <<-EOT\n    ${[begin, ...lines, end].join('\n    ')}\n  EOT`,
  ],
  [
    'short lines',
    'id.pem',
    (begin, lines, end) => [begin, ...lines.flatMap((line) => line.match(/.{1,32}/g) ?? []), end].join('\n'),
  ],
];

/**
 * Private keys in the shapes in which they stand in files, changes and logs; base64 text of chance
 * in the place of a key's.
 */
export function keyTexts(random: Random, scale: number): LabelledText[] {
  return Array.from({ length: scale }).flatMap(() =>
    SHAPES.flatMap(([rule, path, write]) => {
      const label = `${random.pick(LABELS)}PRIVATE KEY${DASHES}`;
      const lines = body(random, 8 + random.below(18));
      const text = write(`${DASHES}BEGIN ${label}`, lines, `${DASHES}END ${label}`);
      const kept = lines.filter((line) => text.includes(line));
      const pieces =
        rule === 'short lines'
          ? lines.flatMap((line) => line.match(/.{1,32}/g) ?? []).filter((piece) => /\w/.test(piece))
          : kept;
      let from = 0;
      const spans = pieces.map((piece): [number, number] => {
        const start = text.indexOf(piece, from);
        from = start + piece.length;
        return [start, from];
      });
      return [{ family: 'pem', rule, text, spans, path, diff: rule.endsWith(' lines') && path === 'a.diff' }];
    }),
  );
}

/** Real keys of small curves: their bodies are so short that no long line stands in them. */
export function curveKeys(count: number): LabelledText[] {
  return Array.from({ length: count }, () => {
    const text = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const line = text.split('\n')[1] as string;
    const start = text.indexOf(line);
    return { family: 'pem', rule: 'ed25519', text, spans: [[start, start + line.length]], path: 'id.pem' };
  });
}
