import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttpClient } from '@criticizer/core/http';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { describe, expect, it } from 'vitest';
import { openAudit } from './deliver-audit.js';

describe('deliver-audit.ts', () => {
  it('AUD-4: what the trail records reaches the endpoint once, signed, its secrets redacted', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'crit-audit-'));
    const secret = join(directory, 'AUDIT_WEBHOOK_SECRET');
    writeFileSync(secret, `whsec_${randomBytes(32).toString('base64')}`);
    chmodSync(secret, 0o600);
    const got: { id: unknown; signature: unknown; data: { action: string; payload: object } }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const { 'webhook-id': id, 'webhook-signature': signature } = request.headers;
        got.push({ id, signature, ...JSON.parse(body) });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stores = createSqliteStores({ file: join(directory, 'audit.sqlite'), migrate: 'auto' });
    const http = createHttpClient({ allowPrivateOrigins: [origin] });
    const { trail, delivery } = openAudit(stores, { url: `${origin}/audit`, secretsDirectory: directory, http });
    await stores.migrate();
    const payload = { password: randomBytes(9).toString('hex') };
    const entry = { actorType: 'admin_user', action: 'admin.user.update', resultStatus: 'success', payload } as const;
    await trail.record(entry);
    expect((await delivery.runDue()).map(({ outcome }) => outcome)).toEqual(['delivered']);
    expect(got).toEqual([
      expect.objectContaining({
        id: expect.stringMatching(/^siem:.*:v1$/),
        signature: expect.stringMatching(/^v1,/),
        data: expect.objectContaining({ action: 'admin.user.update' }),
      }),
    ]);
    expect(JSON.stringify(got)).not.toContain(payload.password);
    await delivery.stop();
    await stores.close();
    await http.close();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
});
