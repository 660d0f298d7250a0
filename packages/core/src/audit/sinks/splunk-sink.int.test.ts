import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FarHandler, openHttpSink, playCommon, reply } from '../../../test/sink-far-end.js';
import { Secret } from '../../secrets/secret.js';
import { describeAuditSinkContract } from '../../testing/ports/audit/audit-sink-contract.js';
import { eventNumber } from '../../testing/ports/audit/audit-sink-scenes.js';
import { judgeSplunkAnswer } from './splunk-answer.js';
import { createSplunkSink, type SplunkSinkOptions } from './splunk-sink.js';

interface HecEvent {
  time: number;
  event: { id: string; action: string };
  fields: { idempotency_key: string };
}

/** A collector: envelope by envelope, prefix failures, acknowledgements that read true once. */
function collector(token: string, isAcknowledging: boolean): FarHandler {
  const acks = new Map<string, { ready: boolean }>();
  let nextAck = 0;
  return ({ path, headers, body }, response, far) => {
    const channel = String(headers['x-splunk-request-channel']);
    if (headers.authorization !== `Splunk ${token}` || far.scene === 'denies')
      return reply(response, 403, { text: 'Invalid token', code: 4 });
    if (path === '/services/collector/ack') {
      const asked = (JSON.parse(body) as { acks: number[] }).acks;
      const read = asked.map((ack) => {
        const known = acks.get(`${channel} ${ack}`);
        if (known?.ready === true) return [ack, acks.delete(`${channel} ${ack}`)];
        if (known !== undefined) known.ready = true; // indexed by the next question
        return [ack, false];
      });
      return reply(response, 200, { acks: Object.fromEntries(read) });
    }
    if (playCommon(far, response)) return;
    if (body === '') return reply(response, 400, { text: 'No data', code: 5 });
    const events = body.split('\n').map((line) => JSON.parse(line) as HecEvent);
    const invalid = far.scene === 'refuses-event' ? 0 : -1;
    for (const { time, event, fields } of invalid < 0 ? events : events.slice(0, invalid))
      far.store({
        ...{ key: fields.idempotency_key, eventId: event.id, action: event.action },
        occurredAtMs: Math.round(time * 1_000),
      });
    if (invalid >= 0)
      return reply(response, 400, { text: 'Event field cannot be blank', code: 13, 'invalid-event-number': invalid });
    if (far.scene === 'loses-reply') return void response.destroy();
    const ackId = nextAck++;
    if (isAcknowledging) acks.set(`${channel} ${ackId}`, { ready: false });
    reply(response, 200, { text: 'Success', code: 0, ...(isAcknowledging ? { ackId } : {}) });
  };
}

async function create(acknowledge: boolean, handler?: FarHandler, over: Partial<SplunkSinkOptions> = {}) {
  const token = randomUUID();
  const read = async () => ({ current: { secret: new Secret(token), version: '1' } });
  return openHttpSink(handler ?? collector(token, acknowledge), ({ origin }, http) =>
    createSplunkSink({
      ...{ id: 'splunk', http, url: origin, acknowledge },
      token: { source: { contract: 1, read }, name: 'HEC' },
      ...over,
    }),
  );
}

const without = {
  'knows-key': 'a collector drops no repeat',
  'refuses-in-part': 'it answers 400, and names the first event that it did not take',
};
const signal = new AbortController().signal;

describe('Splunk sink', () => {
  describeAuditSinkContract({ describe, it }, { create: () => create(true), without });
});

describe('Splunk sink without acknowledgement', () => {
  describeAuditSinkContract({ describe, it }, { create: () => create(false), without });

  it('AUD-15: a batch fails by prefix: before it delivered, itself refused, behind it sent again at once', async () => {
    const bad = eventNumber(3).event.id;
    const t = await create(false, ({ body }, response, far) => {
      const events = body.split('\n').map((line) => JSON.parse(line) as HecEvent);
      const at = events.findIndex(({ event }) => event.id === bad);
      for (const { event } of at < 0 ? events : events.slice(0, at))
        far.store({ key: '', eventId: event.id, occurredAtMs: 0, action: '' });
      if (at >= 0) return reply(response, 400, { code: 13, text: 'blank', 'invalid-event-number': at });
      reply(response, 200, { code: 0, text: 'Success' });
    });
    const numbers = [0, 1, 2, 3, 4, 5];
    const answers = await Promise.all(
      numbers.map((n) => t.sink.send(eventNumber(n).event, { idempotencyKey: `k${n}`, signal })),
    );
    expect(answers.map(({ kind }) => kind)).toEqual([
      ...Array(3).fill('delivered'),
      'confirm',
      ...Array(2).fill('delivered'),
    ]);
    expect(t.far.stored.map(({ eventId }) => eventId)).toEqual(
      numbers.filter((n) => n !== 3).map((n) => eventNumber(n).event.id),
    );
    expect(t.far.requests).toHaveLength(2);
    await t.dispose();
  });
});

describe('Splunk sink: acknowledgements', () => {
  it('AUD-15: what no indexer confirms within 5 minutes is sent again; a lost question loses nothing', async () => {
    let nowMs = 1_000_000;
    const t = await create(true, undefined, { clock: { nowMs: () => nowMs } });
    const { event, key } = eventNumber(1);
    const context = { idempotencyKey: key, signal };
    const accepted = await t.sink.send(event, context);
    if (accepted.kind !== 'accepted') throw new Error('expected a receipt');
    expect(accepted.receipt).toMatchObject({ ack_id: 0 });
    t.far.scene = 'denies';
    expect(await t.sink.poll?.(accepted.receipt, context)).toMatchObject({ kind: 'accepted' });
    const other = { ...accepted.receipt, channel: randomUUID() };
    t.far.scene = 'takes';
    expect(await t.sink.poll?.(other, context)).toMatchObject({ kind: 'accepted' });
    nowMs += 300_000;
    expect(await t.sink.poll?.(other, context)).toMatchObject({
      kind: 'retry',
      failure: { code: 'AUDIT_ACK_MISSING' },
    });
    await t.dispose();
  });

  it('AUD-13: HEC’s codes: which are taken, whose fault they are, and how the index’s number counts', () => {
    const judge = (status: number, body: unknown, count = 3) =>
      judgeSplunkAnswer({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) }, count, 0);
    for (const code of [0, 24, 25]) expect(judge(200, { code, ackId: 7 })).toEqual({ kind: 'taken', ackId: 7 });
    expect(judge(200, { code: 9 })).toMatchObject({ kind: 'all', answer: { kind: 'retry' } });
    expect(judge(400, { code: 12, 'invalid-event-number': 2 })).toMatchObject({ kind: 'prefix', at: 2 });
    expect(judge(400, { code: 7, 'invalid-event-number': 2 })).toMatchObject({ kind: 'prefix', at: 1 });
    expect(judge(400, { code: 6 })).toEqual({ kind: 'too-large' });
    for (const code of [5, 10, 11, 14, 16, 28])
      expect(judge(400, { code })).toMatchObject({ answer: { kind: 'confirm', failure: { about: 'destination' } } });
    for (const status of [408, 429, 500, 503])
      expect(judge(status, { code: 9 })).toMatchObject({ answer: { kind: 'retry' } });
    for (const status of [401, 403, 404])
      expect(judge(status, {})).toMatchObject({ answer: { kind: 'confirm', failure: { about: 'destination' } } });
  });
});
