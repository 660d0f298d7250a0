// What models and the ways to them do to a review: kinds of damage, each with what must come of it.
import type { Finding } from '../../review/review-result.js';

/** Findings as a model writes them, and the reply that holds them whole. */
export interface SampleReply {
  findings: readonly Finding[];
  /** Versions and summary: all of the document but its findings. */
  envelope: Readonly<Record<string, string>>;
}

/** A source of chance: from 0 up to, and without, 1. */
export type Chance = () => number;

/**
 * What may come of a damaged reply. `all`: every finding, as it was. `some`: findings as they were,
 * and a doubt where one is lost. `none`: no review at all.
 */
export type Survives = 'all' | 'some' | 'none';

export interface ReplyDamage {
  survives: Survives;
  /** The reply ended early, as the provider says. Default: it says that it is complete. */
  isCut?: boolean;
  damage(reply: SampleReply, chance: Chance): string;
}

const write = ({ findings, envelope }: SampleReply, indent?: number): string =>
  JSON.stringify({ ...envelope, findings }, null, indent);
const pretty = (reply: SampleReply): string => write(reply, 2);
const at = (text: string, chance: Chance, from = 0): number => from + Math.floor(chance() * (text.length - from));
const empty = ({ envelope }: SampleReply): string => JSON.stringify({ ...envelope, findings: [] });

/** The document with its strings written by `form`, which gets each as JSON has it. */
function rewriteStrings(text: string, form: (string: string) => string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, form);
}

/** The document with other findings than its own: fields added, changed or left out. */
const withFindings = (
  reply: SampleReply,
  change: (finding: Finding, index: number) => Readonly<Record<string, unknown>>,
): string => JSON.stringify({ ...reply.envelope, findings: reply.findings.map(change) });

/** One finding, drawn, with another value; the others as they are. */
function spoilOne(reply: SampleReply, chance: Chance, spoil: (finding: Finding) => object): string {
  const spoiled = Math.floor(chance() * reply.findings.length);
  return withFindings(reply, (finding, index) => ({ ...(index === spoiled ? spoil(finding) : finding) }));
}

/** Nobody can tell that an optional field was there: only other lines are lost. */
function removeLine(text: string, chance: Chance): string {
  const lines = text.split('\n');
  const needed = [...lines.keys()].filter(
    (index) => !/"(?:end_line|suggestion|confidence|summary)"/.test(lines[index] ?? ''),
  );
  lines.splice(needed[Math.floor(chance() * needed.length)] ?? 0, 1);
  return lines.join('\n');
}

const unescapeIn = (text: string, pattern: RegExp, by: string): string =>
  rewriteStrings(text, (string) => string.replaceAll(pattern, by));

/** The reply lost nothing: the same review in another dress, or in a JSON that is nearly one. */
const dresses: Readonly<Record<string, ReplyDamage['damage']>> = {
  'as it is': (reply) => write(reply),
  'with line breaks': (reply) => pretty(reply),
  'Windows line breaks': (reply) => pretty(reply).replaceAll('\n', '\r\n'),
  'in a fence': (reply) => `\`\`\`json\n${pretty(reply)}\n\`\`\``,
  'in a fence without a language': (reply) => `\`\`\`\n${write(reply)}\n\`\`\``,
  'in a fence never closed': (reply) => `\`\`\`json\n${pretty(reply)}`,
  'prose round it': (reply) => `Here is my review of the change.\n\n${pretty(reply)}\n\nLet me know if you need more.`,
  'prose and a fence': (reply) => `Sure! The review:\n\`\`\`json\n${pretty(reply)}\n\`\`\`\nDone.`,
  'braces in the prose': (reply) => `In \${{ github.ref }} and if (x) { y } I see:\n${write(reply)}`,
  'thoughts before': (reply) => `<think>First {"a": 1}, then the loop.</think>\n${write(reply)}`,
  'a byte order mark': (reply) => `\uFEFF${write(reply)}`,
  'blanks round it': (reply) => `\n\n   ${write(reply)}  \n\t\n`,
  'in an object': (reply) => `{"review": ${write(reply)}}`,
  'in a list': (reply) => `[${write(reply)}]`,
  'as a string': (reply) => JSON.stringify(write(reply)),
  'said twice': (reply) => `${write(reply)}\n${write(reply)}`,
  'trailing commas': (reply) => pretty(reply).replaceAll(/(?<=["\d}\]])\n(\s*[}\]])/g, ',\n$1'),
  'comments at line ends': (reply) => pretty(reply).replaceAll(/,\n/g, ', // next\n'),
  'comments in blocks': (reply) => pretty(reply).replaceAll(/\[\n/g, '[ /* the findings */\n'),
  'single quotes': (reply) =>
    rewriteStrings(write(reply), (one) => `'${one.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`),
  'typographic quotes': (reply) => rewriteStrings(write(reply), (one) => `“${one.slice(1, -1)}”`),
  'keys without quotes': (reply) => pretty(reply).replaceAll(/^(\s*)"(\w+)":/gm, '$1$2:'),
  'no comma between findings': (reply) => pretty(reply).replaceAll(/\},\n(\s*)\{/g, '}\n$1{'),
  'no comma between fields': (reply) => pretty(reply).replaceAll(/",\n(\s*)"category"/g, '"\n$1"category"'),
  'an ellipsis at the end': (reply) => pretty(reply).replace(/\n {2}\]/, ',\n    ...\n  ]'),
  'raw line breaks in texts': (reply) => unescapeIn(write(reply), /(?<!\\)\\n/g, '\n'),
  'raw tabs in texts': (reply) => unescapeIn(write(reply), /(?<!\\)\\t/g, '\t'),
  'bare backslashes of paths': (reply) => unescapeIn(write(reply), /\\\\(?=\w)/g, '\\'),
  'bare quotes in texts': (reply) => unescapeIn(write(reply), /(?<= )\\"(\w+)\\"(?= )/g, '"$1"'),
  'null for what is absent': (reply) =>
    withFindings(reply, (one) => ({ suggestion: null, end_line: null, rule_id: null, confidence: null, ...one })),
  'Python’s words': (reply) => withFindings(reply, (one) => ({ rule_id: null, ...one })).replaceAll(':null', ': None'),
  'NaN for what is absent': (reply) =>
    withFindings(reply, (one) => ({ end_line: null, ...one })).replaceAll('"end_line":null', '"end_line": NaN'),
  'numbers as texts': (reply) => withFindings(reply, (one) => ({ ...one, line: String(one.line) })),
  'numbers with a point': (reply) => write(reply).replaceAll(/"line":(\d+)/g, '"line":$1.0'),
  'keys of its own': (reply) => withFindings(reply, (one) => ({ ...one, impact: 'high', tags: ['a'] })),
};

/** The reply lost something: what is left is as it was, and a doubt says that more was there. */
const losses: Readonly<Record<string, Omit<ReplyDamage, 'survives'>>> = {
  'cut, as the provider says': {
    isCut: true,
    damage: (reply, chance) => write(reply).slice(0, at(write(reply), chance, 1)),
  },
  'cut in secret': { damage: (reply, chance) => write(reply).slice(0, at(write(reply), chance, 1)) },
  'cut between lines': {
    isCut: true,
    damage: (reply, chance) => {
      const lines = pretty(reply).split('\n');
      return lines.slice(0, 1 + Math.floor(chance() * (lines.length - 1))).join('\n');
    },
  },
  'cut in a fence': {
    isCut: true,
    damage: (reply, chance) => `\`\`\`json\n${pretty(reply).slice(0, at(pretty(reply), chance, 1))}`,
  },
  'closing brackets lost': { damage: (reply) => write(reply).replace(/[}\]]+$/, '') },
  'beginning lost': { damage: (reply, chance) => write(reply).slice(1 + Math.floor(chance() * 60)) },
  'a line lost': { damage: (reply, chance) => removeLine(pretty(reply), chance) },
  'a finding without a message': {
    damage: (reply, chance) => spoilOne(reply, chance, ({ message: _lost, ...rest }) => rest),
  },
  'a finding of no severity': {
    damage: (reply, chance) => spoilOne(reply, chance, (one) => ({ ...one, severity: 'blocker' })),
  },
  'a finding in no file': {
    damage: (reply, chance) => spoilOne(reply, chance, (one) => ({ ...one, file: '../../etc/passwd' })),
  },
  'a finding at no line': { damage: (reply, chance) => spoilOne(reply, chance, (one) => ({ ...one, line: -1 })) },
  'a finding that is a text': {
    damage: (reply, chance) => {
      const lost = Math.floor(chance() * reply.findings.length);
      const findings = reply.findings.map((one, index) => (index === lost ? `${one.title}: ${one.message}` : one));
      return JSON.stringify({ ...reply.envelope, findings });
    },
  },
  'an empty draft, then the review': { damage: (reply) => `${empty(reply)}\n${write(reply)}` },
  'the review, then an empty one': { damage: (reply) => `${write(reply)}\n${empty(reply)}` },
  'an empty list, then the list': { damage: (reply) => write(reply).replace('{', '{"findings":[],') },
  'the list, then an empty list': { damage: (reply) => write(reply).replace(/\}$/, ',"findings":[]}') },
  'another name for the list': { damage: (reply) => write(reply).replace('"findings"', '"issues"') },
  'an empty list, then prose': {
    damage: (reply) =>
      `${empty(reply)}\n\nThe findings:\n${reply.findings.map(({ title, line }) => `- **High**: ${title} (line ${line})`).join('\n')}`,
  },
};

/** There is no review in it. */
const rejects: Readonly<Record<string, ReplyDamage['damage']>> = {
  'no text': () => '',
  'blanks alone': () => ' \n\n ',
  'prose alone': () => 'I looked at the change. It reads well, and I would merge it.',
  'a refusal': () => 'I’m sorry, but I can’t help with that request.',
  'findings as a Markdown list': ({ findings }) =>
    findings.map(({ title, message, line }) => `- **High** ${title}, line ${line}: ${message}`).join('\n'),
  'an error object': () => '{"error": {"message": "overloaded", "type": "server_error", "code": 529}}',
  'a page of a proxy': () => '<html><head><title>502 Bad Gateway</title></head><body>nginx {1}</body></html>',
  'a schema': ({ envelope }) =>
    JSON.stringify({ type: 'object', required: Object.keys(envelope), properties: { findings: { type: 'array' } } }),
  'a number': () => '42',
  'the word null': () => 'null',
  'a list of texts': ({ findings }) => JSON.stringify(findings.map(({ title }) => title)),
  'versions of another contract': (reply) =>
    write({ ...reply, envelope: { ...reply.envelope, schema_version: '9.0' } }),
  'no versions': ({ findings }) => JSON.stringify({ findings }),
  'findings that are a text': ({ envelope, findings }) =>
    JSON.stringify({ ...envelope, findings: findings.map(({ title }) => title).join('; ') }),
  'source code': () => 'function main() { return { findings: compute() }; }',
};

const named = (survives: Survives, kinds: Readonly<Record<string, ReplyDamage['damage']>>): [string, ReplyDamage][] =>
  Object.entries(kinds).map(([name, damage]) => [name, { survives, damage }]);

/** Every kind of damage by its name. */
export const replyDamages: ReadonlyMap<string, ReplyDamage> = new Map([
  ...named('all', dresses),
  ...Object.entries(losses).map(([name, loss]): [string, ReplyDamage] => [name, { survives: 'some', ...loss }]),
  ...named('none', rejects),
]);
