// The service delivers what an operator did to a webhook, over loopback; its rollout by commands.
import { createHmac, randomBytes } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RealEndpoints } from './real-endpoints.js';
import { runCommand as run } from './run-command.js';
import { closeLater, closeServices, openEndpoints, openQueue, startService, waiting } from './running-service.js';

afterEach(closeServices);

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver that can be down. */
async function openReceiver() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  const up = (port: number): Promise<void> =>
    new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const down = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  await up(0);
  const { port } = server.address() as AddressInfo;
  closeLater(down);
  return { received, url: `http://127.0.0.1:${port}/audit`, up: () => up(port), down };
}

function writeSecret({ place, env }: RealEndpoints, name: string): Buffer {
  const secret = randomBytes(32);
  const file = join(place.directory, name);
  writeFileSync(file, `whsec_${secret.toString('base64')}`);
  chmodSync(file, 0o600);
  env[name] = file;
  return secret;
}

const actionOf = ({ body }: Received): string => JSON.parse(body).data.action;

/** True for a signature of Standard Webhooks under this secret. */
function isSigned({ headers, body }: Received, secret: Buffer): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;
}

describe('the service and its webhook', { timeout: 60_000 }, () => {
  it('AUD-4 AUD-15: what an operator does arrives signed and under its key, and after an outage once', async () => {
    const endpoints = await openEndpoints();
    const receiver = await openReceiver();
    const secret = writeSecret(endpoints, 'AUDIT_WEBHOOK_SECRET_FILE');
    const env = Object.assign(endpoints.env, { AUDIT_WEBHOOK_URL: receiver.url });
    await run(env, 'migrate');
    const service = await startService(env);
    await service.ready();
    const of = (action: string) => receiver.received.filter((one) => actionOf(one) === action);
    expect((await run(env, 'stop', '--providers', 'telemetry:host', '--reason', 'a drill')).code).toBe(0);
    await vi.waitFor(() => expect(of('egress.kill_switch.set')).toHaveLength(1), waiting);
    const [first] = of('egress.kill_switch.set');
    if (first === undefined) throw new Error('it was there');
    const { id, payload } = JSON.parse(first.body).data;
    expect(payload.reason).toBe('a drill');
    expect([first.headers['webhook-id'], first.headers['idempotency-key']]).toEqual(Array(2).fill(`webhook:${id}:v1`));
    expect(isSigned(first, secret)).toBe(true);
    expect(isSigned({ ...first, body: first.body.replace('drill', 'Drill') }, secret)).toBe(false);

    await receiver.down();
    expect((await run(env, 'resume', '--reason', 'the end of it')).code).toBe(0);
    const lost = () => service.lines.filter((line) => line.includes('"sink":"webhook"'));
    await vi.waitFor(() => expect(lost().length).toBeGreaterThan(0), waiting);
    await receiver.up();
    await vi.waitFor(() => expect(of('egress.kill_switch.set')).toHaveLength(2), waiting);
    await service.stop();
    const keys = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(keys).size).toBe(keys.length);
    expect(receiver.received.every((one) => isSigned(one, secret))).toBe(true);
    const rows = await openQueue(endpoints).audit.listDeliveries({ destination: 'webhook' });
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['delivered']));
  });

  it('AUD-19: the phases by commands: a dark write compared with the host’s log, a shadow, a cutover', async () => {
    const endpoints = await openEndpoints();
    const [production, staging] = [await openReceiver(), await openReceiver()];
    writeSecret(endpoints, 'AUDIT_WEBHOOK_SECRET_FILE');
    const secret = writeSecret(endpoints, 'AUDIT_SHADOW_SECRET_FILE');
    const env = Object.assign(endpoints.env, { AUDIT_WEBHOOK_URL: production.url, AUDIT_SHADOW_URL: staging.url });
    const flag = (name: string, percentage: number) =>
      run(env, 'audit', 'flag', name, '--percentage', `${percentage}`, '--reason', 'OPS-12');
    await run(env, 'migrate');
    expect((await run(env, 'audit', 'flags')).text).toBe(
      'write   on for everybody: nobody set it\nshadow  off for everybody: nobody set it\nworker  on for everybody: nobody set it\n',
    );
    expect((await flag('worker', 0)).text).toBe(
      'set: audit_guardrails_worker_enabled, 0 %. Every process follows within 2 seconds. (audit: recorded)\n',
    );
    expect((await flag('shadow', 100)).code).toBe(0);
    expect((await run(env, 'stop', '--providers', 'telemetry:host', '--reason', 'a drill')).code).toBe(0);

    const stores = openQueue(endpoints);
    const [stopped] = await stores.audit.list({ action: 'egress.kill_switch.set' });
    if (stopped === undefined) throw new Error('it was recorded');
    const { actorType, actorId, action, resultStatus, targetType, targetId, occurredAt } = stopped;
    const { _redaction_meta: _redaction, _truncation_meta: _truncation, ...payload } = stopped.payload;
    const entry = { actorType, actorId, action, resultStatus, targetType, targetId, occurredAt, payload };
    const log = join(endpoints.place.directory, 'own.jsonl');
    writeFileSync(log, `${JSON.stringify(entry)}\n\n`);
    const compare = (...more: string[]) => run(env, 'audit', 'compare', log, '--actions', 'egress.', ...more);
    const { code, text } = await compare();
    expect({ code, text }).toEqual({
      code: 0,
      text: 'same: 1 in the log, 1 in the trail, 1 equal; 0 missing, 0 extra, 0 different, 0 invalid.\n0 counts by action and time differ; distance of the payload hashes 0.000.\n',
    });
    writeFileSync(log, `${JSON.stringify({ ...entry, payload: { ...payload, reason: 'another' } })}\n`);
    expect(await compare()).toMatchObject({ code: 1, text: expect.stringMatching(/^different .*: payload$/m) });
    expect(await compare('--until', '2020-01-01T00:00:00Z')).toMatchObject({ code: 3 });
    writeFileSync(log, '{}\nno JSON\n');
    expect(await compare()).toMatchObject({ code: 2, text: 'FILE: line 2: expected one JSON object a line\n' });

    const service = await startService(env);
    const keys = () => staging.received.map(({ headers }) => headers['webhook-id']);
    await vi.waitFor(() => expect(keys()).toContain(`webhook:${stopped.id}:v1`), waiting);
    expect(staging.received.every((one) => isSigned(one, secret))).toBe(true);
    expect(production.received).toEqual([]);
    await service.stop();
    expect((await flag('worker', 100)).code).toBe(0);
    expect((await run(env, 'audit', 'flags')).text).toContain('worker  100 % of the tenants\n');
    expect((await run(env, 'audit', 'flag', 'worker', '--percentage', '101', '--reason', 'x')).code).toBe(2);
    expect((await run(env, 'audit', 'flag', 'nobody', '--percentage', '1', '--reason', 'x')).code).toBe(2);
    expect((await run(env, 'audit', 'compare')).code).toBe(2);
  });
});
