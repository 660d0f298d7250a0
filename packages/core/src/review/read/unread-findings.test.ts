import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../diagnostics.js';
import { coverChange } from '../merge/coverage.js';
import { decideReviewState } from '../merge/review-state.js';
import { type ParsedReview, parseReview } from './parse-review.js';

const EXPECTED = { promptVersion: '1.0', schemaVersion: '1.0' };
const FILES = ['//d/a.c', '//d/b.c'].map((path) => ({
  path,
  skipped: null,
  hunks: [
    {
      oldStart: 0,
      oldLines: 0,
      newStart: 1,
      newLines: 60,
      lines: Array.from({ length: 60 }, (_, at) => `+call_${at}();`),
    },
  ],
}));
const COVERAGE = coverChange({ files: FILES, visibility: 'complete', deniedFiles: 0 }, [
  { outcome: 'read', files: [0, 1].map((file) => ({ file, hunks: [0] })) },
]);
const VERSIONS = '"schema_version":"1.0","prompt_version":"1.0"';
const EMPTY = `{${VERSIONS},"findings":[]}`;

function finding(at: number, change: object = {}): object {
  const place = { file: at % 2 === 0 ? '//d/a.c' : '//d/b.c', line: at + 1 };
  return {
    id: `f${at}`,
    severity: 'high',
    category: 'correctness',
    title: `Title ${at}`,
    ...place,
    message: `Message ${at}`,
    ...change,
  };
}

const text = (at: number): string => JSON.stringify(finding(at));
const [one, two, three] = [text(1), text(2), text(3)];

function read(reply: string): {
  parsed: ParsedReview;
  kept: number;
  doubts: readonly string[];
  verdict: string;
  diagnostics: readonly Diagnostic[];
} {
  const parsed = parseReview({ text: reply, stop: 'complete', expected: EXPECTED, changedFiles: FILES });
  const kept = parsed.outcome === 'accepted' ? parsed.result.findings.length : 0;
  return { parsed, kept, ...decideReviewState([parsed], COVERAGE, kept), diagnostics: parsed.diagnostics };
}

describe('findings outside the list', () => {
  it.each([
    ['a list that was closed too early', `{${VERSIONS},"findings":[}${one},${two}]}`, 2],
    ['a list that was closed within', `{${VERSIONS},"findings":[${one}},${two},${three}]}`, 3],
    ['lines of findings behind an empty object', `${EMPTY}\n${one}\n${two}\n`, 2],
    ['lines of findings behind a list that has some', `{${VERSIONS},"findings":[${one}]}\n${two}\n${three}`, 3],
    ['lines of findings before the object', `${one}\n${two}\n${EMPTY}`, 2],
    [
      'lines of findings in a fence of their own',
      `\`\`\`json\n${EMPTY}\n\`\`\`\n\`\`\`json\n${one}\n${two}\n\`\`\``,
      2,
    ],
    ['an array of findings behind the object', `${EMPTY}\n[${one},${two}]`, 2],
    ['a key of another name', `{${VERSIONS},"findings":[],"issues":[${one},${two}]}`, 2],
    ['keys of other names beside a list', `{${VERSIONS},"findings":[${one}],"security":[${two}],"bugs":[${three}]}`, 3],
    ['a second list, empty', `{${VERSIONS},"findings":[${one},${two}],"findings":[]}`, 2],
    ['a second list, filled', `{${VERSIONS},"findings":[],"findings":[${one}]}`, 1],
    ['a second list that adds', `{${VERSIONS},"findings":[${one}],"findings":[${two}]}`, 2],
    ['a second list in damaged JSON', `{${VERSIONS},"findings":[${one},],"findings":[${two}]}`, 2],
    ['a second list that is null', `{${VERSIONS},"findings":[${one}],"findings":null}`, 1],
    ['a second list under an escaped key', `{${VERSIONS},"findings":[${one}],"find\\u0069ngs":[]}`, 1],
  ])('OUT-9: %s is read', (_, reply, count) => {
    const { kept, diagnostics } = read(reply);
    expect(kept).toBe(count);
    expect(diagnostics).not.toEqual([]);
  });

  it('OUT-9: what was read outside the list has a diagnostic, and once is enough', () => {
    const { kept, diagnostics, doubts } = read(
      `{${VERSIONS},"findings":[${one}],"issues":[${one},${text(4)}]}\n${two}\n${three}`,
    );
    expect(kept).toBe(4);
    expect(diagnostics.filter(({ code }) => code === 'findings_recovered')).toEqual([
      { code: 'findings_recovered', where: 'text_around', count: 2 },
      { code: 'findings_recovered', where: 'other_key', count: 1 },
    ]);
    expect(doubts).toEqual([]);
  });

  const partial = JSON.stringify({ file: '//d/a.c', line: 3, comment: 'The buffer leaks.' });
  it.each([
    ['findings with fields of other names', `{${VERSIONS},"findings":[],"issues":[${partial}]}`],
    ['the same behind the object', `${EMPTY}\n${partial}`],
    ['an example in prose', `${EMPTY}\nThe one I left out:\n${one}`],
    ['a finding within meta', `{${VERSIONS},"findings":[],"meta":{"draft":{"list":[${one}]}}}`],
    ['a finding in the top level', `{${VERSIONS},"findings":[],${one.slice(1)}`],
    ['a finding as text', `{${VERSIONS},"findings":[],"summary":${JSON.stringify(one)}}`],
    ['a finding as text in meta', `{${VERSIONS},"findings":[],"meta":{"note":${JSON.stringify(one)}}}`],
    ['a finding in a comment', `{${VERSIONS},"findings":[/* ${one} */]}`],
    ['a finding that a lost quote swallowed', `{${VERSIONS},"summary":"One issue, "findings":[${one}],"findings":[]}`],
    ['a finding in reasoning', `<think>Report ${one} then.</think>${EMPTY}`],
    ['a finding in reasoning without its opening', `Report ${one} then.</think>${EMPTY}`],
    ['a whole draft before a stray closing tag', `{${VERSIONS},"findings":[${one}]}</think>${EMPTY}`],
    ['a finding in Markdown', `${EMPTY}\n**Severity:** high\n**File:** //d/a.c\n**Message:** leaks`],
    ['a finding in Python', `${EMPTY}\n{'severity': 'high', 'file': '//d/a.c', 'line': 3}`],
    ['a finding in an escaped object', `${EMPTY}\n${JSON.stringify(one)}`],
    ['a list that was left out', `{${VERSIONS},"findings":[...]}`],
    ['a number of issues', `{${VERSIONS},"findings":[],"meta":{"issues_found":2}}`],
    ['a list of issues as text', `{${VERSIONS},"findings":[],"issues":["//d/a.c:3 leaks"]}`],
    ['a defect that begins with null', `{${VERSIONS},"findings":[],"issues":["Null pointer exception in parse"]}`],
    ['a defect that begins with a number', `{${VERSIONS},"findings":[],"issues":["0 divides n"]}`],
    ['a defect that begins with no', `{${VERSIONS},"findings":[],"issues":["No bounds check on len"]}`],
    [
      'quotes of findings that never came',
      `{${VERSIONS},"findings":[],"meta":{"quotes":[{"id":"f1","quote":"use(p);"}]}}`,
    ],
    ['the same as a map', `{${VERSIONS},"findings":[],"meta":{"quotes":{"f1":"use(p);"}}}`],
    ['lists by severity', `{${VERSIONS},"findings":[],"high":["null dereference in a.c"],"low":[]}`],
    ['suggestions', `{${VERSIONS},"findings":[],"suggestions":["Check p before line 3"]}`],
    ['a verdict that asks for changes', `{${VERSIONS},"findings":[],"verdict":"request_changes"}`],
    ['a change that is not approved', `{${VERSIONS},"findings":[],"meta":{"approved":false}}`],
    ['counts of issues', `{${VERSIONS},"findings":[],"issue_counts":{"high":1,"low":0}}`],
    ['more decoys than the scan tries', `${EMPTY}${'{"id":1}'.repeat(40)}{${VERSIONS},"findings":[${one}]}`],
  ])('OUT-9: %s is a doubt, never a clean review', (_, reply) => {
    const { kept, doubts, verdict } = read(reply);
    expect({ verdict, isDoubted: kept > 0 || doubts.length > 0 }).toEqual({
      verdict: kept > 0 ? 'findings' : 'inconclusive',
      isDoubted: true,
    });
  });

  it('OUT-9: two findings that ran together are a doubt, and the keys that came twice are named', () => {
    const merged = `${one.slice(0, -1)},${two.slice(1)}`;
    for (const reply of [`{${VERSIONS},"findings":[${merged}]}`, `{${VERSIONS},"findings":[${merged},]}`]) {
      const { kept, doubts, diagnostics } = read(reply);
      expect({ kept, doubts }).toEqual({ kept: 1, doubts: ['findings_unread'] });
      const repeated = diagnostics.flatMap((each) =>
        each.code === 'repeated_key' ? [`${each.index} ${each.field}`] : [],
      );
      expect(repeated.sort()).toEqual(
        ['category', 'file', 'id', 'line', 'message', 'severity', 'title'].map((field) => `0 ${field}`),
      );
    }
  });

  it('INV-4: a key that comes twice in one object has a diagnostic, wherever it stands', () => {
    const twice = `${one.slice(0, -1)},"line":9,"extra":{"a":1,"a":2}}`;
    const reply = `{${VERSIONS},"summary":"A","summary":"B","findings":[${two},${twice}],"meta":{"score":1,"score":2}}`;
    for (const sent of [reply, reply.replace('"score":2}}', '"score":2,}}')]) {
      const { diagnostics, doubts } = read(sent);
      const repeated = diagnostics.flatMap((each) =>
        each.code === 'repeated_key' ? [[each.index, each.findingId, each.field]] : [],
      );
      expect(repeated).toEqual([
        [null, null, 'summary'],
        [1, 'f1', 'line'],
        [1, 'f1', 'extra.a'],
        [null, null, 'meta.score'],
      ]);
      expect(doubts).toEqual([]);
    }
  });

  it.each([
    ['the empty review', EMPTY],
    [
      'prose and a fence around',
      `Here is the review:\n\`\`\`json\n${EMPTY}\n\`\`\`\nLet me know if {anything} is unclear.`,
    ],
    ['the same object twice', `${EMPTY}\n${EMPTY}`],
    [
      'meta of its own',
      `{${VERSIONS},"findings":[],"meta":{"model":"m","files":[{"path":"//d/a.c","lines":40}],"issues_found":0,"issues":[]}}`,
    ],
    [
      'no issues, said by key',
      `{${VERSIONS},"findings":[],"issues":[],"bugs":null,"problems":"none","defects":["None"]}`,
    ],
    ['reasoning that names no finding', `<think>Could "line" 3 leak? No: free(b) follows.</think>${EMPTY}`],
    ['a wrapper', `{"review":${EMPTY}}`],
    ['damaged, but whole', `{schema_version:'1.0',prompt_version:'1.0',findings:[],}`],
  ])('OUT-9: a clean reply stays clean: %s', (_, reply) => {
    expect(read(reply)).toMatchObject({ verdict: 'no_findings', doubts: [] });
  });

  it('OUT-9: what stands beside a list with findings raises no doubt by itself', () => {
    const echo = `{${VERSIONS},"findings":[${one}]}`;
    for (const reply of [
      `Found one issue:\n${echo}\nIt is severe.`,
      `${echo}\n${echo}`,
      `<think>Perhaps ${two}?</think>${echo}`,
    ])
      expect(read(reply)).toMatchObject({ kept: 1, doubts: [] });
  });

  it('OUT-9: wherever finding-like objects stand, a review without findings has a doubt', () => {
    const object = fc.oneof(
      fc.nat(20).map(text),
      fc.nat(20).map((at) => JSON.stringify(finding(at), null, 2)),
      fc.nat(20).map((at) => JSON.stringify(finding(at, { severity: undefined, id: undefined }))),
      fc
        .nat(20)
        .map((at) => JSON.stringify({ path: '//d/a.c', line: at, description: 'It is freed twice.', level: 'error' })),
      fc
        .nat(20)
        .map((at) => JSON.stringify({ priority: 'P1', issue: `Leak ${at}`, location: { file: '//d/a.c', line: at } })),
      fc.nat(20).map((at) => text(at).replaceAll('"', "'")),
      fc.nat(20).map((at) => JSON.stringify(text(at))),
      fc.nat(20).map((at) => text(at).slice(0, -1)),
    );
    const noise = fc.constantFrom(
      '',
      '\n',
      ' ',
      ',',
      ']',
      '[',
      '}',
      '{',
      '"',
      '```',
      '```json\n',
      'Also: ',
      '// ',
      '/*',
      '*/',
      '#',
      '<think>',
      '</think>',
      '\\',
      ':',
      '…',
    );
    const documents = [
      EMPTY,
      `{${VERSIONS},"findings":[],"meta":{"note":"x"}}`,
      `{${VERSIONS},"summary":"Fine.","findings":[]}`,
    ];
    let clean = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...documents),
        fc.array(fc.tuple(fc.nat(120), noise, object, noise), { minLength: 1, maxLength: 4 }),
        (document, inserts) => {
          let reply = document;
          for (const [at, before, inserted, after] of inserts) {
            const place = Math.min(at, reply.length);
            reply = reply.slice(0, place) + before + inserted + after + reply.slice(place);
          }
          const { verdict } = read(reply);
          if (verdict === 'no_findings') clean += 1;
          expect({ reply, verdict }).not.toMatchObject({ verdict: 'no_findings' });
        },
      ),
      { numRuns: 1_000 },
    );
    expect(clean).toBe(0);
  });
});
