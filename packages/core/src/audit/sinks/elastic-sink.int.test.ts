import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FarHandler, openHttpSink, playCommon, reply } from '../../../test/sink-far-end.js';
import { Secret } from '../../secrets/secret.js';
import { describeAuditSinkContract } from '../../testing/ports/audit/audit-sink-contract.js';
import { eventNumber } from '../../testing/ports/audit/audit-sink-scenes.js';
import { createElasticSink } from './elastic-sink.js';

interface Document {
  '@timestamp': string;
  id: string;
  action: string;
  idempotency_key: string;
}

/** A cluster: item by item, `create` refuses a known id, documents without `@timestamp` are refused. */
function cluster(key: string): FarHandler {
  const known = new Set<string>();
  return ({ headers, body, path }, response, far) => {
    if (headers.authorization !== `ApiKey ${key}` || far.scene === 'denies') return reply(response, 401, undefined);
    if (path !== '/audit/_bulk') return reply(response, 404, undefined);
    if (playCommon(far, response)) return;
    if (body.trim() === '') return reply(response, 400, { error: { type: 'parse_exception' }, status: 400 });
    if (!body.endsWith('\n')) return reply(response, 400, { error: { type: 'illegal_argument_exception' } });
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const items = [];
    for (let i = 0; i < lines.length; i += 2) {
      const { _id: id } = (lines[i] as { create: { _id: string } }).create;
      const document = lines[i + 1] as Document;
      const conflict = { _id: id, status: 409, error: { type: 'version_conflict_engine_exception' } };
      if (far.scene === 'refuses-event')
        items.push({ create: { _id: id, status: 400, error: { type: 'document_parsing_exception' } } });
      else if (far.scene === 'refuses-in-part') items.push({ create: { _id: id, status: 201, failure_store: 'used' } });
      else if (known.has(id) || far.scene === 'knows-key') items.push({ create: conflict });
      else {
        known.add(id);
        far.store({
          ...{ key: document.idempotency_key, eventId: document.id, action: document.action },
          occurredAtMs: Date.parse(document['@timestamp']),
        });
        items.push({ create: { _id: id, status: 201 } });
      }
    }
    if (far.scene === 'loses-reply') return void response.destroy();
    reply(response, 200, { took: 1, errors: items.some(({ create }) => create.status >= 300), items });
  };
}

async function create(handler?: FarHandler) {
  const key = randomUUID();
  const read = async () => ({ current: { secret: new Secret(key), version: '1' } });
  const apiKey = { source: { contract: 1 as const, read }, name: 'ELASTIC' };
  return openHttpSink(handler ?? cluster(key), ({ origin }, http) =>
    createElasticSink({ id: 'elastic', http, url: origin, index: 'audit', apiKey }),
  );
}

const { signal } = new AbortController();

describe('Elastic sink', () => {
  describeAuditSinkContract({ describe, it }, { create: () => create() });

  const sendAll = async (t: Awaited<ReturnType<typeof create>>, count: number) => {
    const numbers = Array.from({ length: count }, (_, n) => n);
    return Promise.all(numbers.map((n) => t.sink.send(eventNumber(n).event, { idempotencyKey: `k${n}`, signal })));
  };

  it('AUD-15: each item of one answer is judged by itself; the failure store is a loss', async () => {
    const statuses = [201, 409, 429, 503, 400, 404, 403, 201];
    const t = await create((_request, response) =>
      reply(response, 200, {
        errors: true,
        items: statuses.map((status, n) => ({ create: { status, ...(n === 7 ? { failure_store: 'used' } : {}) } })),
      }),
    );
    const answers = await sendAll(t, statuses.length);
    expect(answers.map((one) => ('failure' in one ? `${one.kind} ${one.failure.about}` : one.kind))).toEqual([
      ...['delivered', 'delivered', 'retry destination', 'retry destination'],
      ...['confirm event', 'confirm event', 'confirm destination', 'dead-letter event'],
    ]);
    await t.dispose();
  });

  it('AUD-13: an error whose type is no text costs its own item alone', async () => {
    const items = [{ create: { status: 400, error: { type: { toString: 1 } } } }, { create: { status: 201 } }];
    const t = await create((_request, response) => reply(response, 200, { errors: true, items }));
    expect((await sendAll(t, 2)).map(({ kind }) => kind)).toEqual(['confirm', 'delivered']);
    await t.dispose();
  });

  it('AUD-15: an answer with another number of items, or cut, says nothing: all are sent again', async () => {
    for (const body of [{ items: [{ create: { status: 201 } }] }, { items: [{}, {}] }, 'cut']) {
      const t = await create((_request, response) => reply(response, 200, body));
      expect((await sendAll(t, 2)).map(({ kind }) => kind)).toEqual(['retry', 'retry']);
      await t.dispose();
    }
  });

  it('AUD-13: a request that is too large is halved, until one event is too large alone', async () => {
    const sizes: number[] = [];
    const t = await create(({ body }, response) => {
      const count = body.trimEnd().split('\n').length / 2;
      sizes.push(count);
      if (count > 1) return reply(response, 413, undefined);
      reply(response, 200, { items: [{ create: { status: 201 } }] });
    });
    expect((await sendAll(t, 4)).map(({ kind }) => kind)).toEqual(Array(4).fill('delivered'));
    expect(sizes).toEqual([4, 2, 1, 1, 2, 1, 1]);
    await t.dispose();
  });
});
