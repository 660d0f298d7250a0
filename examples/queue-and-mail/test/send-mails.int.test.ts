import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startMailServer } from '../src/mail-server.js';

const file = new URL('../src/send-mails.ts', import.meta.url).pathname;

it('NOT-3: the file of the guide sends three copies, one of them later', async () => {
  const top = mkdtempSync(join(tmpdir(), 'criticizer-send-mails-'));
  const server = await startMailServer(join(top, 'mail'), () => undefined);
  const run = () =>
    promisify(execFile)(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', file], {
      env: { ...process.env, SMTP_PORT: String(server.port), MAILS_FILE: join(top, 'mails.db') },
    });
  try {
    expect((await run()).stdout).toBe('added, added\n');
    const folders = readdirSync(join(top, 'mail'), { recursive: true, withFileTypes: true });
    const kept = folders
      .filter((entry) => entry.name.endsWith('.eml'))
      .map((entry) => join(entry.parentPath, entry.name));
    const texts = kept.map((path) => readFileSync(path, 'utf8'));
    const subjects = texts.map((text) => /^Subject: (.*)\r?$/m.exec(text)?.[1]).sort();
    expect(subjects).toEqual(['Invoice 7 is due', 'March', 'March']);
    expect(texts.filter((text) => /^Cc: bob@example.com\r?$/m.test(text))).toHaveLength(2);
  } finally {
    await server.close();
    rmSync(top, { recursive: true });
  }
});
