import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'letters-'));
const env = { DATA_DIR: folder };
const stores = createSqliteStores({ file: join(folder, 'queue.sqlite'), migrate: 'auto', synchronous: 'normal' });
beforeAll(() => stores.migrate());
afterAll(async () => {
  await stores.close();
  rmSync(folder, { recursive: true });
});

const run = (...argv: string[]) => runCommand(env, ...argv);

/** Reviews of these changes that died with this message. */
async function addLetters(numbers: readonly number[], lastStack: string): Promise<void> {
  for (const number of numbers) {
    const key = { kind: 'review', stage: 'fetch', changelistId: `main/${number}`, reviewVersion: 1 };
    await stores.jobs.enqueue([{ ...key, idempotencyKey: `k${number}`, payload: {} }]);
    const claim = { kinds: ['review'], owner: 'o', token: `t${number}`, leaseMs: 60_000, limit: 1 };
    const lease = (await stores.jobs.claim(claim))[0]?.lease;
    if (lease === undefined) throw new Error('nothing to claim');
    const end = { errorClass: 'P4_SERVER', category: 'upstream', sanitizedContext: { requestId: 'r-1' } } as const;
    const deadLetter = {
      ...end,
      lastStack: `P4Error: change ${number} ${lastStack}\n    at fetch`,
      escalation: 'page',
    };
    await stores.jobs.settle([{ lease, kind: 'dead-letter', deadLetter: { ...deadLetter, escalation: 'page' } }]);
  }
}

describe('dead letters at the terminal', { timeout: 60_000 }, () => {
  it('ERR-9: letters are grouped, inspected, triaged and replayed as a group, and a mistake is usage', async () => {
    await addLetters([101, 102, 103], 'timed out');
    await addLetters([104], 'is gone');
    const groups = await run('letters', '--groups');
    expect(groups.out).toMatch(
      /^([0-9a-f]{12}) {2}3 letters {2}P4_SERVER\n {2}P4Error: change <n> timed out\n {2}\S+ \S+ to \S+ \S+; see \S+ \S+\n[0-9a-f]{12} {2}1 letter /,
    );
    const group = groups.out.slice(0, 12);
    const listed = await run('letters', '--group', group, '--stage', 'fetch', '--limit', '2');
    expect(listed.out.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^\\S+ {2}open, paged {2}main/103 {2}fetch P4_SERVER {2}${group} {2}`)),
      expect.stringContaining('main/102'),
      expect.stringMatching(/^More: --before \S+$/),
      '',
    ]);
    const id = listed.out.slice(0, 36);
    const shown = (await run('letter', id)).out;
    for (const part of [
      `Cause      ${group}: P4Error: change <n> timed out`,
      'of main/103 v1: failed',
      '  NO  evidence',
    ])
      expect(shown).toContain(part);
    const preview = await run('replay', '--group', group, '--preview', '--reason', 'look');
    expect(preview).toMatchObject({ code: 3, out: expect.stringContaining('3 examined, 0 would be replayed') });
    expect(preview.out).toContain('Refused: 3 by evidence.');
    const found = ['--reason', 'the server was moved', '--evidence', 'INC-7: new address'];
    expect((await run('triage', '--group', group, ...found)).out).toBe('3 triaged, 0 taken by somebody else.\n');
    expect((await run('letters', '--status', 'triaged')).out.trim().split('\n')).toHaveLength(3);
    const replayed = await run('replay', '--group', group, '--over', '30', '--limit', '2', '--reason', 'moved');
    expect(replayed.out).toBe('2 examined, 2 replayed, due over 15 minutes.\nThere are more: run it again.\n');
    const events = await stores.audit.list({ action: 'dead_letter.replay' });
    expect(events.map(({ payload }) => (payload as { causeKey?: string }).causeKey)).toEqual([group, group]);
    const [gone] = await stores.deadLetters.list({ status: 'open' });
    expect(await run('ignore', gone?.id ?? '', '--reason', 'obliterated')).toMatchObject({ code: 0 });
    expect((await run('letters', '--groups')).out).toBe('None.\n');
  });

  it('ERR-9: a letter and a filter, or neither, is wrong usage, and so is a number out of range', async () => {
    for (const argv of [['replay'], ['replay', 'x', '--group', 'y'], ['replay', '--group', 'y', '--over', '0']])
      expect(await run(...argv, '--reason', 'r')).toMatchObject({ code: 2 });
    expect(await run('letters', '--since', 'yesterday')).toMatchObject({ code: 2 });
    expect(await run('letter', 'x')).toMatchObject({ code: 3, out: 'There is no dead letter x.\n' });
  });
});
