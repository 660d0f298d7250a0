import { type LabelledText, labelledText } from './labelled-text.ts';
import type { Random } from './random.ts';

const LABELS = ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED ', 'ANY '];
const BEFORE = 'function before(order) {\n  return order.total;\n}\n';
const AFTER = '\nfunction after(items) {\n  for (const item of items) process(item);\n  return items.length;\n}\n';

interface Key {
  begin: string;
  end: string;
  lines: readonly string[];
}

type Shape = readonly [
  rule: string,
  write: (key: Key) => { text: string; values: readonly string[]; path?: string; diff?: boolean },
];

const whole = (key: Key): string[] => [key.begin, ...key.lines, key.end];
const each = (key: Key, write: (line: string) => string) => ({
  text: whole(key).map(write).join('\n'),
  values: key.lines,
});

/** How private keys stand in files: every shape must be hidden whole and nothing round it. */
const SHAPES: readonly Shape[] = [
  ['plain', (key) => each(key, (line) => line)],
  ['crlf', (key) => ({ text: whole(key).join('\r\n'), values: key.lines })],
  ['indented', (key) => ({ ...each(key, (line) => `      ${line}`), path: 'secret.yaml' })],
  [
    'yaml block',
    (key) => ({
      text: `tls:\n  key: |\n${whole(key)
        .map((line) => `    ${line}`)
        .join('\n')}\n  port: 443`,
      values: key.lines,
      path: 'a.yaml',
    }),
  ],
  ['tabs', (key) => each(key, (line) => `\t${line}`)],
  [
    'armor headers',
    (key) => ({
      text: [key.begin, 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-256-CBC,0011', '', ...key.lines, key.end].join('\n'),
      values: key.lines,
    }),
  ],
  [
    'blank lines',
    (key) => ({
      text: [key.begin, '', ...key.lines.flatMap((line) => [line, '']), key.end].join('\n'),
      values: key.lines,
    }),
  ],
  [
    'one line, escaped',
    (key) => ({ text: `"private_key": "${whole(key).join('\\n')}\\n",`, values: key.lines, path: 'service.json' }),
  ],
  [
    'one line, escaped twice',
    (key) => ({ text: `x = "{\\"key\\": \\"${whole(key).join('\\\\n')}\\\\n\\"}"`, values: key.lines }),
  ],
  ['one line, escaped crlf', (key) => ({ text: `key: "${whole(key).join('\\r\\n')}"`, values: key.lines })],
  ['one line, spaces', (key) => ({ text: `PRIVATE_KEY="${whole(key).join(' ')}"`, values: key.lines, path: '.env' })],
  [
    'one line, nothing between',
    (key) => ({ text: `k = '${key.begin}${key.lines.join('')}${key.end}'`, values: key.lines }),
  ],
  ['literals, plus', (key) => each(key, (line) => `    "${line}\\n" +`)],
  ['literals, adjacent', (key) => ({ ...each(key, (line) => `    "${line}\\n"`), path: 'a.c' })],
  ['literals, dot', (key) => ({ ...each(key, (line) => `    '${line}' . "\\n" .`), path: 'a.php' })],
  ['literals, array', (key) => ({ ...each(key, (line) => `  '${line}',`), path: 'a.js' })],
  ['literals, ampersand', (key) => ({ ...each(key, (line) => `  "${line}" & vbCrLf & _`), path: 'a.vb' })],
  [
    'template literal',
    (key) => ({ text: `const key = \`${whole(key).join('\n')}\`;`, values: key.lines, path: 'a.ts' }),
  ],
  ['triple quotes', (key) => ({ text: `KEY = """${whole(key).join('\n')}"""`, values: key.lines, path: 'a.py' })],
  ['line continuation', (key) => each(key, (line) => `${line}\\n\\`)],
  ['comment slashes', (key) => each(key, (line) => `// ${line}`)],
  ['comment star', (key) => each(key, (line) => ` * ${line}`)],
  ['comment hash', (key) => each(key, (line) => `# ${line}`)],
  ['quoted mail', (key) => each(key, (line) => `> ${line}`)],
  ['log prefix', (key) => each(key, (line) => `2024-01-01T10:00:00.123Z [main] INFO  ${line}`)],
  ['syslog prefix', (key) => each(key, (line) => `Jan  2 03:04:05 web01 app[123]: ${line}`)],
  ['diff added', (key) => ({ ...each(key, (line) => `+${line}`), diff: true })],
  ['diff removed', (key) => ({ ...each(key, (line) => `-${line}`), diff: true })],
  ['diff context', (key) => ({ ...each(key, (line) => ` ${line}`), diff: true })],
  ['diff without word of it', (key) => each(key, (line) => `+${line}`)],
  ['diff indented', (key) => ({ ...each(key, (line) => `+    ${line}`), diff: true })],
  [
    'diff mixed',
    (key) => ({
      text: whole(key)
        .map((line, i) => (i % 3 === 1 ? `-${line}` : i % 3 === 2 ? `+${line}` : ` ${line}`))
        .join('\n'),
      values: key.lines,
      diff: true,
    }),
  ],
  [
    'end cut off',
    (key) => ({ text: [key.begin, ...key.lines.slice(0, -1)].join('\n'), values: key.lines.slice(0, -1) }),
  ],
  ['begin cut off', (key) => ({ text: [...key.lines, key.end].join('\n'), values: key.lines })],
  [
    'escaped, end cut off',
    (key) => ({ text: `key = "${[key.begin, ...key.lines.slice(0, -1)].join('\\n')}`, values: key.lines.slice(0, -1) }),
  ],
  ['escaped, begin cut off', (key) => ({ text: `${[...key.lines, key.end].join('\\n')}"`, values: key.lines })],
  ['html breaks', (key) => ({ text: `<p>${whole(key).join('<br>')}</p>`, values: key.lines })],
  [
    'in base64',
    (key) => {
      const value = Buffer.from(whole(key).join('\n')).toString('base64');
      return { text: `tls.key: ${value}`, values: [value], path: 'secret.yaml' };
    },
  ],
  [
    'in base64, lines',
    (key) => {
      const lines = Buffer.from(whole(key).join('\n'))
        .toString('base64')
        .match(/.{1,76}/g) as string[];
      return { text: `key.pem: |\n${lines.map((line) => `  ${line}`).join('\n')}`, values: lines };
    },
  ],
  [
    'percent-encoded',
    (key) => {
      const lines = key.lines.map((line) => encodeURIComponent(line));
      return {
        text: `key=${[encodeURIComponent(key.begin), ...lines, encodeURIComponent(key.end)].join('%0A')}&x=1`,
        values: lines,
      };
    },
  ],
];

function keyOf(label: string, random: Random, width = 64): Key {
  const lines = Array.from({ length: 3 + random.below(10) }, () => random.text('base64', width));
  return {
    begin: `-----BEGIN ${label}PRIVATE KEY-----`,
    end: `-----END ${label}PRIVATE KEY-----`,
    lines: [
      `MII${(lines[0] as string).slice(3)}`,
      ...lines.slice(1),
      `${random.text('base64', 20 + random.below(30))}==`,
    ],
  };
}

/** Private keys of every kind in every shape, between lines of code. */
export function privateKeys(random: Random): LabelledText[] {
  const texts: LabelledText[] = [];
  const add = (
    rule: string,
    body: string,
    values: readonly string[],
    more: { path?: string | undefined; diff?: boolean | undefined } = {},
  ) => {
    const frame = (code: string): string => (more.diff ? code.replace(/^(?=.)/gm, ' ') : code);
    const { family, text, spans } = labelledText('pem', rule, frame(BEFORE) + body + frame(AFTER), values);
    texts.push({
      family,
      rule,
      text,
      spans,
      ...(more.path ? { path: more.path } : {}),
      ...(more.diff ? { diff: true } : {}),
    });
  };
  for (const label of LABELS) {
    for (const [rule, write] of SHAPES) {
      const { text, values, ...more } = write(keyOf(label, random, rule === 'plain' ? 76 : 64));
      add(rule, text, values, more);
    }
  }
  const pgp = keyOf('', random);
  const block = pgp.begin.replace('PRIVATE KEY', 'PGP PRIVATE KEY BLOCK');
  add(
    'openpgp',
    [block, 'Version: GnuPG v2', '', ...pgp.lines, pgp.end.replace('PRIVATE KEY', 'PGP PRIVATE KEY BLOCK')].join('\n'),
    pgp.lines,
  );
  const ssh2 = keyOf('', random, 70);
  add(
    'ssh2',
    [
      '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----',
      'Comment: "a"',
      ...ssh2.lines,
      '---- END SSH2 ENCRYPTED PRIVATE KEY ----',
    ].join('\n'),
    ssh2.lines,
  );
  const putty = keyOf('', random);
  const text = [
    'PuTTY-User-Key-File-3: ssh-rsa',
    'Encryption: none',
    'Comment: a',
    'Public-Lines: 1',
    random.text('base64', 64),
    `Private-Lines: ${putty.lines.length}`,
    ...putty.lines,
    `Private-MAC: ${random.text('hex', 64)}`,
  ];
  add('putty', text.join('\n'), putty.lines);
  const bare = Buffer.from(`openssh-key-v1\0${random.text('alnum', 300)}`)
    .toString('base64')
    .match(/.{1,70}/g) as string[];
  add('openssh body alone', bare.join('\n'), bare);
  for (const kty of ['EC', 'OKP']) {
    const [x, d] = [random.text('base64url', 43), random.text('base64url', 43)];
    add('jwk', `{"kty":"${kty}","crv":"P-256","d":"${d}","x":"${x}"}`, [d]);
  }
  return texts;
}
