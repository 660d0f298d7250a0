// The stand-in for a model: a handful of rules over the added lines of the prompt. It is no
// language model and claims nothing; it is here so that the demo's request, reply, parsing and mail
// are real without an account anywhere.

export interface RuleFinding {
  severity: 'critical' | 'high' | 'medium' | 'low' | 'info';
  category: 'correctness' | 'security' | 'reliability' | 'maintainability';
  title: string;
  message: string;
  suggestion: string | null;
  rule_id: string;
}

interface Rule extends RuleFinding {
  matches: RegExp;
}

const rules: readonly Rule[] = [
  {
    rule_id: 'sql-concatenation',
    matches: /query\(.*['"]\s*\+/,
    severity: 'critical',
    category: 'security',
    title: 'SQL built from user input',
    message: 'The value is pasted into the statement, so a customer name can change what the query does.',
    suggestion: "db.query('SELECT * FROM invoices WHERE customer = $1', [customer])",
  },
  {
    rule_id: 'off-by-one',
    matches: /for \(.*<=\s*\w+\.length/,
    severity: 'high',
    category: 'correctness',
    title: 'The loop reads one element too many',
    message: 'With `<=` the last turn reads past the end of the array and fails on undefined.',
    suggestion: 'Compare with `<`.',
  },
  {
    rule_id: 'swallowed-error',
    matches: /catch\s*(\(\w+\))?\s*\{\s*\}/,
    severity: 'high',
    category: 'reliability',
    title: 'A failed charge looks like success',
    message: 'The error is swallowed and the function returns undefined, so the order goes on without a payment.',
    suggestion: 'Let the error through, or return a result that says the charge failed.',
  },
  {
    rule_id: 'weak-random',
    matches: /Math\.random\(\)/,
    severity: 'high',
    category: 'security',
    title: 'Guessable session token',
    message: 'Math.random is predictable; whoever sees a few tokens can compute the next.',
    suggestion: "randomBytes(32).toString('base64url')",
  },
  {
    rule_id: 'loose-equality',
    matches: /\([^=]*[^=!]==[^=]/,
    severity: 'low',
    category: 'maintainability',
    title: 'Loose comparison of an amount',
    message: 'With `==` the text "10" equals the number 10.',
    suggestion: 'Use `===`.',
  },
];

export interface PlacedFinding extends RuleFinding {
  id: string;
  file: string;
  line: number;
}

/** Reads the numbered, added lines of each fenced diff block and applies the rules. */
export function reviewPrompt(prompt: string): readonly PlacedFinding[] {
  const fence = /<<<([0-9a-f]{32}) /.exec(prompt)?.[1];
  if (fence === undefined) return [];
  const found: PlacedFinding[] = [];
  for (const block of prompt.split(`<<<${fence} diff\n`).slice(1)) {
    const lines = (block.split(`${fence}>>>`)[0] ?? '').split('\n');
    const file = lines.find((line) => line.startsWith('file: '))?.slice('file: '.length);
    if (file === undefined) continue;
    for (const line of lines) {
      const added = /^ *(\d+) \+(.*)$/.exec(line);
      if (added === null) continue;
      const [, number, code] = added;
      for (const { matches, ...finding } of rules)
        if (matches.test(code ?? ''))
          found.push({ ...finding, id: `f${found.length + 1}`, file, line: Number(number) });
    }
  }
  return found;
}

export interface RuleVerdict {
  id: string;
  reason: string;
  verdict: 'keep' | 'drop';
  severity: null;
}

/** The verdicts of a check: what the rules find in the diff that it shows is kept, the rest dropped. */
export function checkFindings(prompt: string): readonly RuleVerdict[] {
  const titles = new Set(reviewPrompt(prompt).map(({ title }) => title));
  const sent = prompt.matchAll(/^finding: ([0-9a-f]{16})\n(?:(?!finding: ).*\n)*?title:\n\| (.*)$/gm);
  return [...sent].map(([, id = '', title = '']) =>
    titles.has(title)
      ? { id, reason: 'The line stands in the diff as described.', verdict: 'keep', severity: null }
      : { id, reason: 'No line of the diff does what the finding says.', verdict: 'drop', severity: null },
  );
}
