import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStores, type Stores } from '@criticizer/core';
import { describe, expect, it } from 'vitest';
import { readActor, toPlain } from './command-line.js';
import { openOperator } from './operate.js';
import { runCommandLine } from './run-command.js';

describe('who works at the terminal', () => {
  it('OPS-1: a user without a name, as in a container, is named by its number', () => {
    const nameless = (): never => {
      throw new Error('uv_os_get_passwd returned ENOENT');
    };
    expect(readActor({}, nameless).id).toBe(`uid-${process.getuid?.() ?? 'unknown'}`);
    expect(readActor({ actor: 'ada' })).toEqual({ type: 'admin_user', id: 'ada' });
  });
});

describe('an operator at the terminal', () => {
  it('AUD-3: an event that cannot be stored leaves its fingerprint on standard error', async () => {
    const stores = createMemoryStores();
    const audit: typeof stores.audit = { ...stores.audit, record: () => Promise.reject(new Error('disk full')) };
    let errors = '';
    const warn = (text: string): void => {
      errors += text;
    };
    const operator = openOperator({ ...stores, audit } as Stores<unknown>, { env: {}, warn });
    const request = { changelistId: 'main/7', held: true, actor: readActor({ actor: 'ada' }), reason: 'INC-7' };
    expect(await operator.setHold(request)).toEqual({ outcome: 'set', audit: 'degraded' });
    expect(JSON.parse(errors)).toMatchObject({
      ...{ action: 'change.hold', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });
});

describe('a command line', () => {
  async function run(...argv: string[]) {
    let text = '';
    const write = (more: string): void => {
      text += more;
    };
    const env = { DATA_DIR: mkdtempSync(join(tmpdir(), 'command-line-')) };
    const terminal = { env, write, warn: write, ask: async () => null, signal: new AbortController().signal };
    expect(await runCommandLine(['migrate', '--actor', 'ada'], terminal)).toBe(0);
    text = '';
    const code = await runCommandLine([...argv, '--actor', 'ada'], terminal);
    rmSync(env.DATA_DIR, { recursive: true });
    return { code, text };
  }

  it('OPS-1: what a verb or a store finds wrong in an option is wrong usage', async () => {
    for (const argv of [
      ['purge', 'main/7', '--reason', ''],
      ['cancel', 'j', '--reason', 'x'.repeat(9_000)],
      ['stop', '--reason', ''],
    ])
      expect(await run(...argv)).toEqual({ code: 2, text: expect.stringMatching(/^\w+: reason: expected /) });
  });

  it('EGR-5: a change that is neither a number nor of a server is wrong usage', async () => {
    const expected = { code: 2, text: 'CHANGE: expected a number, or SERVER/NUMBER\n' };
    expect(await run('hold', 'main/-7', '--reason', 'r')).toEqual(expected);
  });

  it('WQ-3: a negative priority is a number and no option', async () => {
    expect(await run('priority', 'j', '-5', '--reason', 'r')).toEqual({ code: 3, text: 'not-found (audit: none)\n' });
    expect((await run('priority', 'j', '-x', '--reason', 'r')).code).toBe(2);
  });

  it('OPS-3: text from outside cannot move the cursor, set a title or turn the reading direction', () => {
    expect(toPlain('a\u001b[2J\r\nb\tc\rd\u0007\u202e é')).toBe('a\\u001b[2J\nb\tc\\u000dd\\u0007\\u202e é');
  });
});
