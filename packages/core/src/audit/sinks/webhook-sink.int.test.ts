import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type FarHandler, openHttpSink, playCommon, reply } from '../../../test/sink-far-end.js';
import { Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import { describeAuditSinkContract } from '../../testing/ports/audit/audit-sink-contract.js';
import { eventNumber } from '../../testing/ports/audit/audit-sink-scenes.js';
import { createWebhookSink, type WebhookSinkOptions } from './webhook-sink.js';

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

function sourceOf(current: string, previous?: string): SecretSource {
  const version = (text: string, name: string) => ({ secret: new Secret(text), version: name });
  return {
    contract: 1,
    read: async () => ({
      current: version(current, '2'),
      ...(previous === undefined ? {} : { previous: version(previous, '1') }),
    }),
  };
}

/** A receiver that verifies by the public package, as a host would. */
function receiver(secret: string): FarHandler {
  return ({ headers, body }, response, far) => {
    if (far.scene === 'denies') return reply(response, 401, undefined);
    if (far.scene === 'refuses-event') return reply(response, 422, undefined);
    if (far.scene === 'knows-key') return reply(response, 409, undefined);
    if (playCommon(far, response)) return;
    const message = new Webhook(secret).verify(body, headers as Record<string, string>) as {
      type: string;
      data?: { id: string; action: string; occurred_at: string };
    };
    const { data } = message;
    if (data !== undefined)
      far.store({
        key: String(headers['webhook-id']),
        eventId: data.id,
        occurredAtMs: Date.parse(data.occurred_at),
        action: data.action,
      });
    if (far.scene === 'loses-reply') return void response.destroy();
    reply(response, 204, undefined);
  };
}

async function create(over: Partial<WebhookSinkOptions> = {}, verifying?: string) {
  const secret = newSecret();
  return openHttpSink(receiver(verifying ?? secret), ({ origin }, http) =>
    createWebhookSink({
      ...{ id: 'hook', url: `${origin}/audit`, http },
      secret: { source: sourceOf(secret), name: 'HOOK' },
      ...over,
    }),
  );
}

const noBody = 'a webhook says success by its status alone';
const without = { 'answers-in-html': noBody, 'refuses-in-part': noBody };

describe('webhook sink', () => {
  describeAuditSinkContract({ describe, it }, { create: () => create(), without });
});

describe('webhook sink: CloudEvents', () => {
  describeAuditSinkContract({ describe, it }, { create: () => create({ format: 'cloudevents' }), without });
});

describe('webhook sink: the wire', () => {
  const send = async (t: Awaited<ReturnType<typeof create>>, event = eventNumber(1).event) => {
    const answer = await t.sink.send(event, { idempotencyKey: 'hook:1:v1', signal: new AbortController().signal });
    return { answer, request: t.far.requests.at(-1) };
  };

  it('AUD-15: the key stands in webhook-id and Idempotency-Key, and each attempt is signed anew', async () => {
    const t = await create({ clock: { nowMs: () => Date.now() } });
    const { request } = await send(t);
    expect(request?.headers).toMatchObject({ 'webhook-id': 'hook:1:v1', 'idempotency-key': 'hook:1:v1' });
    expect(request?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    await t.dispose();
  });

  it('SEC-5: during a rotation a receiver with either secret accepts', async () => {
    const [old, fresh] = [newSecret(), newSecret()];
    for (const held of [old, fresh]) {
      const t = await create({ secret: { source: sourceOf(fresh, old), name: 'HOOK' } }, held);
      expect((await send(t)).answer).toEqual({ kind: 'delivered' });
      await t.dispose();
    }
  });

  it('SEC-1: a secret of another form is refused by its name, and nothing is sent', async () => {
    const t = await create({ secret: { source: sourceOf(randomBytes(8).toString('base64')), name: 'HOOK' } });
    await expect(send(t)).rejects.toMatchObject({ code: 'SECRET_REJECTED', details: { name: 'HOOK' } });
    expect(t.far.requests).toEqual([]);
    await t.dispose();
  });

  it('AUD-4: CloudEvents carry source, id, type and time, and at most 64 KiB', async () => {
    const t = await create({ format: 'cloudevents', source: '/studio/criticizer' });
    const { event } = eventNumber(1);
    const small = JSON.parse((await send(t)).request?.body ?? '');
    expect(small).toMatchObject({
      ...{ specversion: '1.0', id: 'hook:1:v1', source: '/studio/criticizer', datacontenttype: 'application/json' },
      ...{ type: 'criticizer.audit.admin.user.update', time: event.occurredAt.toISOString(), subject: 'grace' },
      data: { payload: event.payload },
    });
    const { request } = await send(t, { ...event, payload: { text: 'ü'.repeat(32_500) } });
    expect(Buffer.byteLength(request?.body ?? '')).toBeLessThanOrEqual(65_536);
    expect(JSON.parse(request?.body ?? '').data.payload).toEqual({
      ...{ _payload_omitted: true, payload_bytes: 65_011, payload_hash_sha256: event.payloadSha256 },
    });
    expect(request?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    await t.dispose();
  });

  it('AUD-13: which statuses blame the endpoint, and which the event', async () => {
    const t = await create();
    const { answerStatus } = await import('./answer-status.js');
    const about = (status: number) => {
      const answer = answerStatus({ status, headers: {} }, 0);
      return 'failure' in answer ? `${answer.kind} ${answer.failure.about}` : answer.kind;
    };
    expect([301, 401, 403, 404, 405, 410, 415].map(about)).toEqual(Array(7).fill('confirm destination'));
    expect([400, 413, 422].map(about)).toEqual(Array(3).fill('confirm event'));
    expect([408, 429, 500, 501, 503, 529].map(about)).toEqual(Array(6).fill('retry destination'));
    expect([200, 202, 204].map(about)).toEqual(Array(3).fill('delivered'));
    await t.dispose();
  });
});
