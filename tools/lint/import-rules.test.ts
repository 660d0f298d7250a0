import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkImports, importRules, packageRooms } from './import-rules.js';
import { checkSources } from './source-rules.js';

const entry = { '.': { 'criticizer-source': './src/index.ts' } };
const manifest = (
  name: string,
  dependencies: Record<string, string> = {},
  devDependencies: Record<string, string> = {},
) => JSON.stringify({ name, version: '1.0.0', type: 'module', exports: entry, dependencies, devDependencies });

/** A workspace of three packages that keeps every rule. */
const sound: Record<string, string> = {
  'packages/core/package.json': manifest(
    '@criticizer/core',
    { undici: '1.0.0', zod: '1.0.0' },
    { '@criticizer/redact': '1.0.0' },
  ),
  'packages/core/src/index.ts': "export { wire } from './criticizer.js';",
  'packages/core/src/criticizer-options.ts':
    "import type { stage } from './stages/fetch/fetch-stage.js';\nexport type Options = typeof stage;",
  'packages/core/src/criticizer.ts':
    "import type { Options } from './criticizer-options.js';\nimport { loop } from './worker/lease/lease-loop.js';\nexport const wire: Options = loop;",
  'packages/core/src/foundation/errors.ts': 'export const code = 1;',
  'packages/core/src/worker/lease/lease-loop.ts':
    "import { code } from '../../foundation/errors.js';\nexport const loop = code;",
  'packages/core/src/stages/fetch/fetch-stage.ts':
    "import { snapshot } from '../job/change-snapshot.js';\nexport const stage = snapshot;",
  'packages/core/src/stages/job/change-snapshot.ts': 'export const snapshot = 1;',
  'packages/core/src/outbox/outbox-worker.ts':
    "import { loop } from '../worker/lease/lease-loop.js';\nexport const mails = loop;",
  'packages/core/src/stores/job.ts': "import { z } from 'zod';\nexport const job = z;",
  ...Object.fromEntries(
    Object.keys(packageRooms).map((name) => [`packages/${name}/src/above/above.ts`, 'export const above = 1;']),
  ),
  'packages/core/src/http/http-client.ts': "import { request } from 'undici';\nexport const send = request;",
  'packages/core/src/foundation/redacted-text.ts': 'export const mintRedactedText = 1;',
  'packages/core/src/testing/support/runner.ts': 'export const runner = 1;',
  'packages/core/src/stores/job.test.ts':
    "import { rules } from '@criticizer/redact';\nimport { runner } from '../testing/support/runner.js';\nexport const t = [rules, runner];",
  'packages/redact/package.json': manifest('@criticizer/redact', { zod: '1.0.0' }),
  'packages/redact/src/index.ts': "export { rules } from './rules.js';",
  'packages/redact/src/rules.ts': 'export const rules = 1;',
  'packages/redact/src/scan/wasm-module.ts': 'export const engine = 1;',
  'packages/p4/package.json': manifest('@criticizer/p4', { '@criticizer/core': '1.0.0' }),
  'packages/p4/src/index.ts':
    "import { wire } from '@criticizer/core';\nimport { DatabaseSync } from 'node:sqlite';\nexport const p4 = [wire, DatabaseSync];",
  'packages/notify/package.json': manifest('@criticizer/notify', { '@criticizer/core': '1.0.0' }),
  'packages/notify/src/index.ts': 'export const notify = 1;',
};

/** Every room reaches for what stands after it: the last room, or a folder that no room may import. */
function roomBreaches() {
  return Object.entries(packageRooms).flatMap(([name, { rooms }]) =>
    rooms.map((room) => {
      const isFile = room.endsWith('.ts');
      return {
        rule: `${name}-${room.replace('/', '-').replace('.ts', '')}-direction`,
        file: `packages/${name}/src/${isFile ? room : `${room}/upwards.ts`}`,
        text: `import type { above } from '${isFile ? './' : '../'.repeat(room.split('/').length)}above/above.js';`,
      };
    }),
  );
}

/** For each rule, one file that breaks it, and the breach that must be named. */
const breaches: { rule: string; file: string; text: string }[] = [
  { rule: 'no-sideways', file: 'packages/p4/src/a.ts', text: "import '@criticizer/notify';" },
  {
    rule: 'redact-stands-alone',
    file: 'packages/redact/src/b.ts',
    text: "import type { wire } from '@criticizer/core';",
  },
  { rule: 'core-knows-no-part', file: 'packages/core/src/stores/c.ts', text: "import '@criticizer/redact';" },
  {
    rule: 'core-tests-know-only-redact',
    file: 'packages/core/src/stores/d.test.ts',
    text: "import '../../../notify/src/index.js';",
  },
  { rule: 'no-path-into-package', file: 'packages/p4/src/e.ts', text: "import '../../core/src/foundation/errors.js';" },
  {
    rule: 'no-path-into-package-from-tools',
    file: 'tools/f.ts',
    text: "import '../packages/core/src/foundation/errors.js';",
  },
  {
    rule: 'no-cycles',
    file: 'packages/core/src/stores/g.ts',
    text: "import type { H } from './h.js';\nexport type G = H;",
  },
  ...roomBreaches(),
  {
    rule: 'scanner-behind-one-door',
    file: 'packages/redact/src/session/w.ts',
    text: "import { engine } from '../scan/wasm-module.js';",
  },
  {
    rule: 'testing-is-for-tests',
    file: 'packages/core/src/stores/m.ts',
    text: "import '../testing/support/runner.js';",
  },
  { rule: 'no-tests-in-source', file: 'packages/core/src/stores/n.ts', text: "import './job.test.js';" },
  { rule: 'no-test-runner-in-source', file: 'packages/core/src/testing/o.ts', text: "import 'vitest';" },
  { rule: 'no-folder-index', file: 'packages/redact/src/p.ts', text: "import './index.js';" },
  { rule: 'no-folder-index', file: 'packages/core/src/stages/llm/q.ts', text: "import '../../doors/llm.js';" },
  { rule: 'undici-in-one-folder', file: 'packages/core/src/llm/q.ts', text: "import type { request } from 'undici';" },
  { rule: 'nodemailer-in-one-folder', file: 'packages/notify/src/r.ts', text: "import 'nodemailer';" },
  { rule: 'imapflow-in-one-folder', file: 'packages/notify/src/s.ts', text: "import 'imapflow';" },
  {
    rule: '@opentelemetry/api-in-one-folder',
    file: 'packages/core/src/llm/t.ts',
    text: "import '@opentelemetry/api';",
  },
  { rule: 'declared-dependency', file: 'packages/redact/src/u.ts', text: "import 'undici';" },
  { rule: 'resolvable', file: 'packages/redact/src/v.ts', text: "import './not-there.js';" },
];

/** The same for the rules that read text. */
const texts: { rule: string; file: string; text: string }[] = [
  {
    rule: 'no-forged-redacted-text',
    file: 'packages/p4/src/forge.ts',
    text: "const x = { kind: 'text' } as RedactedText;",
  },
  {
    rule: 'no-forged-redacted-text',
    file: 'packages/p4/src/forge-2.ts',
    text: "const x = <RedactedText>{ kind: 'text' };",
  },
  {
    rule: 'no-forged-redacted-text',
    file: 'packages/p4/src/forge-3.ts',
    text: "const x: RedactedText = { kind: 'criticizer.redacted-text' };",
  },
  {
    rule: 'mint-only-in-egress-and-artifacts',
    file: 'packages/core/src/llm/w.ts',
    text: 'export const x = mintRedactedText;',
  },
  {
    rule: 'mint-module-by-name',
    file: 'packages/core/src/llm/x.ts',
    text: "import * as all from '../egress/redacted-text.js';",
  },
  { rule: 'logs-facts-not-errors', file: 'packages/p4/src/log-1.ts', text: "logger.warn(error, 'it failed');" },
  {
    rule: 'logs-facts-not-errors',
    file: 'packages/p4/src/log-2.ts',
    text: "options.logger.error({ rowId, error }, 'it failed');",
  },
  {
    rule: 'logs-facts-not-errors',
    file: 'packages/p4/src/log-3.ts',
    text: "logger?.info({ why: error.message }, 'it failed');",
  },
  { rule: 'no-unchecked-cast', file: 'packages/p4/src/y.ts', text: 'export const y = 1 as unknown as string;' },
  { rule: 'no-compiler-escape', file: 'packages/p4/src/z.ts', text: '// @ts-ignore\nexport const z = 1;' },
  { rule: 'index-is-a-public-entry', file: 'packages/p4/src/deep/index.ts', text: 'export const deep = 1;' },
  { rule: 'index-is-a-public-entry', file: 'packages/core/src/doors/llm.ts', text: 'export const llm = 1;' },
];

const made: string[] = [];
function workspace(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'crit-rules-'));
  made.push(root);
  const third = ['undici', 'zod', 'nodemailer', 'imapflow', 'vitest', '@opentelemetry/api'];
  const packages = third.flatMap((name) => [
    [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' })],
    [`node_modules/${name}/index.js`, ''],
  ]);
  for (const [name, text] of [...packages, ...Object.entries(files)] as [string, string][]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  mkdirSync(join(root, 'node_modules/@criticizer'));
  for (const name of ['core', 'redact', 'p4', 'notify'])
    symlinkSync(join(root, 'packages', name), join(root, 'node_modules/@criticizer', name));
  return root;
}
const andBroken = (more: { file: string; text: string }[]) => ({
  ...sound,
  ...Object.fromEntries(more.map((b) => [b.file, b.text])),
});

afterAll(() => {
  for (const root of made) rmSync(root, { recursive: true, force: true });
});

describe('import rules', () => {
  it('find nothing in a sound workspace', async () => {
    const root = workspace(sound);
    expect(await checkImports(root, ['packages'])).toEqual([]);
    expect(checkSources(root)).toEqual([]);
  });

  it('name every breach: one planted for each rule', async () => {
    const root = workspace({
      ...andBroken(breaches),
      'packages/core/src/stores/h.ts': "import type { G } from './g.js';\nexport type H = G;",
      'packages/core/src/doors/llm.ts': 'export const llm = 1;',
    });
    const lines = await checkImports(root, ['packages', 'tools']);
    const unnamed = breaches.filter(({ rule, file }) => !lines.some((line) => line.startsWith(`${rule}: ${file} -> `)));
    expect(unnamed).toEqual([]);
    expect(new Set(breaches.map((b) => b.rule))).toEqual(new Set(importRules.map((r) => r.name)));
  });

  it('name every text breach, and no mention of the type itself', () => {
    const uses = 'export const all = new Set<RedactedText>();';
    const lines = checkSources(workspace({ ...andBroken(texts), 'packages/p4/src/uses.ts': uses }));
    expect(lines.map((line) => line.replace(/(:\d+)? \(.*$/, ''))).toEqual(
      texts.map(({ rule, file }) => `${rule}: ${file}`).sort(),
    );
  });
});
