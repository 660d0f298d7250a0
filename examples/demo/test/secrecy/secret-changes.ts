import type { P4SimulatorChange, P4SimulatorFile, P4SimulatorModel } from '@criticizer/p4/testing';
import {
  jsonWebToken,
  randomText,
  type SecretInContext,
  secretInContext,
  vendorToken,
} from '@criticizer/redact/testing';
import fc from 'fast-check';
import { makeTicket } from '../../src/perforce/sample-change.js';

export interface SecretChanges {
  model: P4SimulatorModel;
  ticket: string;
  numbers: readonly number[];
  /** Values that must not be recovered, by what they are; a secret of several lines counts as one each. */
  planted: readonly { family: string; value: string }[];
  /** Words that could be passwords; the first `wordsPlanted` of them are. */
  dictionary: readonly string[];
  wordsPlanted: number;
  /** Depot paths with a secret in them: what a mail may name. */
  hiddenPaths: readonly string[];
  /** True for what stands in these changes beside the secrets. */
  isPublic(fragment: string): boolean;
}

const root = '//depot/orders/main';
const firstNumber = 5_000;
const consonants = 'bcdfghjklmnpqrstvwxz';

/** Words no language has, so that none stands anywhere by chance, and no rule knows one by its look. */
function makeWords(seed: number, count: number): string[] {
  const syllable = fc.tuple(randomText(consonants, 1), randomText('aeiou', 1)).map((letters) => letters.join(''));
  const word = fc
    .tuple(syllable, syllable, syllable, syllable, randomText(consonants, 1))
    .map((parts) => parts.join(''));
  const words = new Set<string>();
  for (let more = 0; words.size < count; more += 1)
    for (const one of fc.sample(word, { seed: seed + more, numRuns: count })) words.add(one);
  return [...words].slice(0, count);
}

/** A password from the dictionary, where people write them. */
const wordFiles: readonly ((word: string) => [name: string, content: string])[] = [
  (word) => ['app.ts', `connect({ user: 'svc', password: '${word}' });\n`],
  (word) => ['deploy.yaml', `db:\n  password: "${word}"\n`],
  (word) => ['.env', `DATABASE_URL=postgres://svc:${word}@db.example.test/main\n`],
  (word) => ['run.sh', `sshpass -p '${word}' ssh build@host.example uptime\n`],
];

/** Draws a finding from the rules that stand for a model. */
const faulty = (name: string): string =>
  `export function ${name}(items) {\n  for (let i = 0; i <= items.length; i++) use(items[i]);\n}\n`;

/** Changes that carry secrets of every family in contents, descriptions, paths, sources of moves and user names. */
export function makeSecretChanges(
  seed: number,
  options: { changes: number; filesEach: number; wordsEach: number; words: number },
): SecretChanges {
  const { changes: count, filesEach, wordsEach, words } = options;
  const contexts = fc
    .sample(secretInContext(), { seed, numRuns: count * filesEach * 4 })
    .filter(({ diff }) => diff !== true);
  const tokens = fc.sample(fc.oneof(vendorToken(), jsonWebToken()), { seed, numRuns: count * 5 });
  const dictionary = makeWords(seed, words);
  const planted: { family: string; value: string }[] = [];
  const hiddenPaths: string[] = [];
  const frames: string[] = [];
  let [context, token, word] = [0, 0, 0];

  const nextContext = (): SecretInContext => {
    const one = contexts[context++ % contexts.length] as SecretInContext;
    const { parts, family } = one.secret;
    planted.push(...parts.map((value) => ({ family, value })));
    frames.push(
      parts.reduce(
        (rest, part) => rest.replaceAll(part, '\n').replaceAll(JSON.stringify(part).slice(1, -1), '\n'),
        one.text,
      ),
    );
    return one;
  };
  const nextToken = (family: string): string => {
    const { text } = tokens[token++] as (typeof tokens)[number];
    planted.push({ family, value: text });
    return text;
  };
  const hide = (path: string): string => {
    hiddenPaths.push(path);
    return path;
  };
  const nextWord = (folder: string): P4SimulatorFile => {
    const value = dictionary[word] ?? '';
    planted.push({ family: 'dictionary word', value });
    const [name, content] = (wordFiles[word % wordFiles.length] as (typeof wordFiles)[number])(value);
    return { path: `${folder}/w${word++}/${name}`, action: 'add', content };
  };

  const moved = Array.from({ length: count }, (_, n) => hide(`${root}/c${n}/old/${nextToken('source of a move')}.js`));
  const changes = moved.map((source, n): P4SimulatorChange => {
    const folder = `${root}/c${n}`;
    const files = Array.from({ length: filesEach }, (_, at): P4SimulatorFile => {
      const { text, path } = nextContext();
      return { path: `${folder}/f${at}/${path ?? 'notes.txt'}`, action: 'add', content: `${text}\n` };
    });
    const inPaths: P4SimulatorFile[] = [
      { path: hide(`${folder}/${nextToken('directory')}/loop.js`), action: 'add', content: faulty('loop') },
      { path: hide(`${folder}/src/${nextToken('file name')}.js`), action: 'add', content: faulty('named') },
      {
        path: `${folder}/moved.js`,
        action: 'move/add',
        content: `${faulty('moved')}${faulty('more')}`,
        from: { path: source, rev: 1 },
      },
      { path: source, action: 'move/delete' },
    ];
    return {
      number: firstNumber + 1 + n,
      user: nextToken('user name'),
      status: 'submitted',
      description: `Part ${n}\n\n${nextContext().text}\n`,
      reviewers: [{ user: 'grace', email: 'grace@example.test', name: 'Grace Reviewer' }],
      files: [...files, ...inPaths, ...Array.from({ length: wordsEach }, () => nextWord(folder))],
    };
  });
  const base: P4SimulatorChange = {
    number: firstNumber,
    user: 'ada',
    status: 'submitted',
    description: 'What is moved later.',
    files: moved.map((path) => ({ path, action: 'add', content: faulty('moved') })),
  };
  const ticket = makeTicket();
  const users = [...new Set(['ada', 'reviewbot', ...changes.map(({ user }) => user)])].map((user, n) => ({
    user,
    email: `user${n}@example.test`,
    fullName: user,
    ticket,
  }));
  const frame = frames.join('\n');
  return {
    model: { users, changes: [base, ...changes] },
    ticket,
    numbers: changes.map(({ number }) => number),
    planted,
    dictionary,
    wordsPlanted: word,
    hiddenPaths,
    isPublic: (fragment) => frame.includes(fragment),
  };
}
