import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryStores, silentLogger, systemRandom } from '@criticizer/core';
import { createAuditTrail } from '@criticizer/core/audit';
import { createPayloadRedactor } from '@criticizer/redact';
import { describe, expect, it } from 'vitest';
import { auditHook, auditMiddleware, recordRoleChange, setAuditActor } from './audit-requests.js';

const stores = createMemoryStores();
const trail = createAuditTrail({
  store: stores.audit,
  redactor: createPayloadRedactor(),
  destinations: [],
  random: systemRandom,
  logger: silentLogger,
});

/** A handler as a framework calls it: after the middleware, with an `await` between. */
async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  setAuditActor({ id: String(request.headers['x-admin']), tenant: 'acme' });
  await stores.transaction((tx) => recordRoleChange(trail, tx, { user: 'bob', role: 'owner' }));
  response.end();
}

async function serve(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('recording with the context of a request', () => {
  it.each([
    [
      'a middleware of Express and NestJS',
      (request: IncomingMessage, response: ServerResponse) =>
        auditMiddleware(request, response, () => void handle(request, response)),
    ],
    [
      'a hook of Fastify',
      (request: IncomingMessage, response: ServerResponse) =>
        auditHook({ raw: request }, response, () => void handle(request, response)),
    ],
  ])('AUD-2: %s keeps requests apart that run at the same time', async (_name, listener) => {
    const server = await serve(listener);
    const { port } = server.address() as AddressInfo;
    const before = (await stores.audit.list({})).length;
    const admins = ['ada', 'grace', 'edith'];
    await Promise.all(
      admins.map((admin) =>
        fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-admin': admin, 'x-request-id': `of ${admin}` } }),
      ),
    );
    const events = (await stores.audit.list({})).slice(0, 3);
    expect((await stores.audit.list({})).length - before).toBe(3);
    expect(events.map(({ actorId, requestId }) => `${actorId} ${requestId}`).sort()).toEqual(
      admins.map((admin) => `${admin} of ${admin}`).sort(),
    );
    for (const event of events)
      expect(event).toMatchObject({ tenantId: 'acme', sourceIp: '127.0.0.1', payload: { role: 'owner' } });
    await new Promise((resolve) => server.close(resolve));
  });
});
