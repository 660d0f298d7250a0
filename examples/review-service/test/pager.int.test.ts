import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';

/** `pager test`, or another command. */
const run = (env: NodeJS.ProcessEnv, ...words: string[]) =>
  runCommand(env, ...(words.length === 0 ? ['pager', 'test'] : words));

describe('pager test', () => {
  it('OPS-3: calls the webhook twice, and says what is wrong where it refuses', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'criticizer-pager-'));
    const types: string[] = [];
    let status = 204;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        types.push(JSON.parse(body).type);
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const secretFile = join(directory, 'hook');
    writeFileSync(secretFile, `whsec_${randomBytes(32).toString('base64')}`, { mode: 0o600 });
    const env = {
      DATA_DIR: directory,
      PAGER_WEBHOOK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
      PAGER_WEBHOOK_SECRET_FILE: secretFile,
    };
    try {
      expect((await run(env, 'migrate')).code).toBe(0);
      expect((await run({ DATA_DIR: directory })).code).toBe(3);
      const ok = await run(env);
      expect(ok.text).toContain('ok: triggered and resolved');
      expect(ok.code).toBe(0);
      expect(types).toEqual(['alert.firing', 'alert.resolved']);
      status = 401;
      const denied = await run(env);
      expect(denied.text).toMatch(/webhook\s+trigger: AUTH_DENIED: The pager answered with HTTP status 401/);
      expect(denied.code).toBe(1);
    } finally {
      server.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
