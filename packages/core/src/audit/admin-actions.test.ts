import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory/memory-stores.js';
import { createOperator } from '../operate/operator.js';
import { operatorVerbs, repeatableVerbs } from '../testing/stores/operate/operator-verbs.js';
import { type AdminAction, type AdminActionName, adminActions } from './admin-actions.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const rows = new Map<string, AdminAction>(Object.entries(adminActions));
const write = 'npx vitest run packages/core/src/audit/admin-actions.test.ts -u';
const stale = `docs/reference/admin-actions.md is stale; write it with: ${write}`;
const addRow = 'add its row to packages/core/src/audit/admin-actions.ts';
const addCase =
  'add a verb of `operate` to packages/core/src/testing/stores/operate/operator-verbs.ts, and any other as a case to examples/review-service/test/admin-actions.int.test.ts';

/** Verbs of `Operator` without a row of their own, each with the reason. */
const withoutRow: Readonly<Record<string, string>> = {
  checkReplay: 'reads',
  inspectDeadLetter: 'reads',
  listMailPreferences: 'reads',
  listSuppressions: 'reads',
  readPromptStatus: 'reads',
  replayDeadLetters: 'records dead_letter.replay of each letter',
  stopMails: 'records mail.preference.set of the recipient',
  triageDeadLetters: 'records dead_letter.triage of each letter',
};

/** Has a case, on SQLite, for each action that no verb of `operate` records; its title names the action. */
const otherCases = readFileSync(`${root}examples/review-service/test/admin-actions.int.test.ts`, 'utf8');

/** Where the sources name each action: the text after `action:` holds its name. */
function recordedActions(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const folders = ['core', 'p4', 'notify', 'redact', 'llm-ai-sdk', 'queue-pg', 'queue-sqlite'].map(
    (name) => `packages/${name}/src/`,
  );
  for (const folder of [...folders, 'examples/review-service/src/'])
    for (const file of readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file.includes('testing')) continue;
      const source = readFileSync(`${root}${folder}${file}`, 'utf8');
      for (const [, value = ''] of source.matchAll(/\baction:\s*([^,;\n]*)/g))
        for (const [, name = ''] of value.matchAll(/'([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)'/g))
          found.set(name, `${folder}${file}`);
    }
  return found;
}

const table = (heading: readonly string[], body: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function describePayload({ payload, optional = [] }: AdminAction): string {
  return Object.entries(payload)
    .map(([key, holds]) => `\`${key}${optional.includes(key) ? '?' : ''}\`: ${holds}`)
    .join('; ');
}

function referencePage(): string {
  const verb = (text: string): string => (/^\S+$/.test(text) ? `\`${text}\`` : text);
  return `# Admin actions in the audit trail

<!-- Generated from packages/core/src/audit/admin-actions.ts. Do not edit: ${write} -->

Every action of this SDK that a person or a service account can take leaves an event (OPS-1). Its columns name the actor, the action, the target and the result; its
payload holds what the table lists, beside the \`_meta\` objects of [every payload](audit-payload.md). A key with a \`?\` may be absent.
What the pipeline does by itself is no admin action: the rows of jobs, mails and the egress log are its record (ruling R12).

${table(
  ['action', 'verb', 'target', 'payload', 'recorded'],
  [...rows].map(([name, row]) => [
    `\`${name}\``,
    verb(row.verb),
    `\`${row.targetType}\`: ${row.targetId}`,
    describePayload(row),
    row.recorded,
  ]),
)}

*Degrades*: where the event cannot be stored the action is done all the same, and the platform log carries the event's fingerprint. *Fails*: without an event nothing
is done. A trail on another database than the stores stores the event before the change; see [operate](../how-to/operate.md).
`;
}

describe('admin actions', () => {
  it('OPS-1: the page lists what the code declares', async () => {
    await expect(referencePage(), stale).toMatchFileSnapshot(`${root}docs/reference/admin-actions.md`);
  });

  it('OPS-1: every action that a source records has a row, and every row an action', () => {
    const recorded = recordedActions();
    const lost = [...recorded].filter(([name]) => !rows.has(name));
    expect(lost.map(([name, file]) => `${name} of ${file} has no row: ${addRow}`)).toEqual([]);
    const unused = [...rows.keys()].filter((name) => !recorded.has(name));
    expect(unused.map((name) => `no source records ${name}: delete its row`)).toEqual([]);
  });

  it('OPS-1: every verb of operate has a row', () => {
    const audit = { storeId: 'none', record: () => Promise.reject(new Error('unused')) };
    const declared = new Set([...rows.values()].map(({ verb }) => verb));
    const verbs = Object.keys(createOperator({ stores: createMemoryStores(), audit }));
    const lost = verbs.filter((verb) => !declared.has(`operate.${verb}`) && !(verb in withoutRow));
    expect(lost.map((verb) => `operate.${verb} has no row: ${addRow}`)).toEqual([]);
  });

  it('OPS-1: every row has a test that calls the verb and reads its event', () => {
    const cases = new Set([...operatorVerbs, ...repeatableVerbs].map(({ action }) => action));
    const titles = [...otherCases.matchAll(/\bit\(\s*'([^\n]*)'/g)].map(([, title = '']) => title);
    const lost = [...rows.keys()].filter(
      (name) => !cases.has(name as AdminActionName) && !titles.some((title) => title.includes(name)),
    );
    expect(lost.map((name) => `${name} has no test that names it: ${addCase}`)).toEqual([]);
  });
});
