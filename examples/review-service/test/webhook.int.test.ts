// The service posts reviews to a webhook over loopback, with no mail server at all.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWebhookReceiver } from '@criticizer/notify/testing';
import { reviewWebhookSchema } from '@criticizer/notify/webhook';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommand as run } from './run-command.js';
import {
  closeLater,
  closeServices,
  dropMail,
  grantFindings,
  openEndpoints,
  openQueue,
  startService,
  submit,
  waiting,
} from './running-service.js';

afterEach(closeServices);

async function openScene() {
  const endpoints = await openEndpoints();
  const receiver = await startWebhookReceiver();
  closeLater(() => receiver.close());
  const { env, place } = endpoints;
  const secretFile = join(place.directory, 'secrets', 'WEBHOOK');
  writeFileSync(secretFile, receiver.secret, { mode: 0o600 });
  dropMail(endpoints);
  Object.assign(env, { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET_FILE: secretFile });
  return { endpoints, receiver, env };
}

describe('the service and its channel', { timeout: 60_000 }, () => {
  it('CHN-1: a review is posted signed to the webhook, and no mail server is configured', async () => {
    const { endpoints, receiver, env } = await openScene();
    grantFindings(endpoints, 'webhook:webhook');
    Object.assign(env, { DELIVERY: 'live' });
    const service = await startService(env);
    await service.ready();
    await submit(endpoints, service, 300);
    await vi.waitFor(() => expect(receiver.received()).not.toEqual([]), waiting);
    const [one] = receiver.received();
    expect(one?.isSigned).toBe(true);
    const { data } = reviewWebhookSchema.parse(JSON.parse(one?.body.toString() ?? ''));
    expect(data.findings?.map(({ title }) => title)).toEqual(['The total is a constant']);
    const queue = openQueue(endpoints);
    const rows = async () => (await queue.outbox.list({})).map(({ recipient, status }) => [recipient, status]);
    await vi.waitFor(async () => expect(await rows()).toEqual([['webhook:endpoint', 'sent']]), waiting);
    await service.stop();
    const out = join(endpoints.place.directory, 'dry');
    expect((await run(env, 'dry-run', '300', '--out', out)).text).toMatch(
      /webhook:webhook at 127\.0\.0\.1:\d+ \(findings\): /,
    );
    expect(receiver.received()).toHaveLength(1);
    expect((await run(env, 'why', '300')).text).toContain('webhook:endpoint');
    expect((await run(env, 'stop', '--providers', 'webhook:webhook', '--reason', 'a drill')).code).toBe(0);
  });

  it('NOT-4: in the shadow the post is accepted and nothing leaves', async () => {
    const { endpoints, receiver, env } = await openScene();
    const service = await startService(env);
    await service.ready();
    await submit(endpoints, service, 300);
    const queue = openQueue(endpoints);
    const rows = async () => (await queue.outbox.list({ status: 'sent' })).map(({ via }) => via);
    await vi.waitFor(async () => expect(await rows()).toEqual(['shadow-webhook']), waiting);
    await service.stop();
    expect(receiver.received()).toEqual([]);
  });
});
