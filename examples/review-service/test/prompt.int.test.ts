import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'prompt-'));
const stores = createSqliteStores({ file: join(folder, 'queue.sqlite'), migrate: 'auto', synchronous: 'normal' });
const [old, next] = ['built-in@1.1/1.0', 'built-in@1.2/1.0+check-1.0'];
beforeAll(async () => {
  await stores.migrate();
  const at = (await stores.now()).toISOString();
  await stores.documents.write('prompt.processes', 0, { one: { at, variants: [old, next] } });
});
afterAll(async () => {
  await stores.close();
  rmSync(folder, { recursive: true });
});

const run = (...argv: string[]) => runCommand({ DATA_DIR: folder }, ...argv);

const because = ['--reason', 'try it', '--actor', 'ada'];

/** A file as `npm run bench:review -- --json` writes it. */
function writeBench(name: string, recall: number): string {
  const score = (share: number) => ({ changes: 200, defects: 208, precision: 0.5, recall: share });
  const rows = [
    { reviewer: 'oracle', level: 'wide', failed: 0, score: score(1) },
    { reviewer: 'model', level: 'wide', failed: 2, score: score(recall) },
  ];
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ name: 'bench:review', changes: 200, seed: 1, levels: ['wide'], rows }));
  return file;
}

describe('the rollout of a prompt at the terminal', { timeout: 60_000 }, () => {
  it('PR-4: a prompt is started, shown, held by its gates, promoted by force and rolled back', async () => {
    expect((await run('prompt', 'status')).out).toContain('No rollout: everybody gets the default prompt');
    const start = ['prompt', 'start', '--candidate', next, '--percentage', '10'];
    expect(await run(...start, ...because)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^started \(audit: recorded\)/),
    });
    const shown = await run('prompt', 'status');
    expect(shown.out).toContain(`${next}: 10 % by author since `);
    expect(shown.out).toMatch(/Promotion: held\nrejected {2}inconclusive {2}/);
    const held = await run('prompt', 'promote', ...because);
    expect([held.code, held.errors]).toEqual([1, expect.stringMatching(/^PROMPT_GATES_HOLD: /)]);
    expect((await run('prompt', 'promote', '--force', ...because)).out).toMatch(/^promoted \(audit: recorded\)/);
    expect((await run('prompt', 'rollback', ...because)).out).toMatch(/^rolled-back \(audit: recorded\)/);
    expect(await run('prompt', 'release', ...because)).toMatchObject({ code: 3 });
    const events = await stores.audit.list({ action: 'prompt.rollout.promote' });
    expect(events[0]?.payload).toMatchObject({ verdict: 'held', forced: true, reason: 'try it' });
  });

  it('PR-4: two files of the bench are a gate, and a mistake is usage', async () => {
    const start = ['prompt', 'start', '--candidate', next, '--percentage', '10', ...because];
    const usual = ['--bench-baseline', writeBench('old.json', 0.5)];
    const worse = await run(...start, ...usual, '--bench', writeBench('worse.json', 0.3));
    expect([worse.code, worse.errors]).toEqual([1, expect.stringMatching(/^PROMPT_BENCH_WORSE: /)]);
    expect((await run(...start, ...usual, '--bench', writeBench('as-good.json', 0.47))).code).toBe(0);
    const mistakes = [
      [...start, ...usual],
      [...start, ...usual, '--bench', join(folder, 'none.json')],
      ['prompt', 'start', '--percentage', '10', ...because],
      ['prompt', 'start', '--candidate', next, '--percentage', '200', ...because],
      ['prompt', 'promote'],
      ['prompt', 'pause', ...because],
    ];
    for (const argv of mistakes) expect((await run(...argv)).code).toBe(2);
    const unknown = await run('prompt', 'start', '--candidate', 'nobody@1.0/1.0', '--percentage', '1', ...because);
    expect(unknown.out).toMatch(/^running /);
  });
});
