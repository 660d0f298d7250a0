import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FarHandler, openHttpSink, playCommon, reply } from '../../../test/sink-far-end.js';
import { createHttpClient } from '../../http/undici-http-client.js';
import { Secret } from '../../secrets/secret.js';
import { describeAuditSinkContract } from '../../testing/ports/audit/audit-sink-contract.js';
import { eventNumber } from '../../testing/ports/audit/audit-sink-scenes.js';
import { toLogsRequest } from './otlp-record.js';
import { createOtlpLogsSink } from './otlp-sink.js';

interface LogsRequest {
  resourceLogs: {
    scopeLogs: {
      logRecords: {
        timeUnixNano: string;
        attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
      }[];
    }[];
  }[];
}

/** A collector of OTLP/HTTP in JSON. */
function collector(key: string): FarHandler {
  return ({ headers, body }, response, far) => {
    if (headers.authorization !== key || far.scene === 'denies') return reply(response, 401, { code: 16 });
    if (playCommon(far, response)) return;
    if (far.scene === 'refuses-event') return reply(response, 400, { code: 3 });
    const partialSuccess = { rejectedLogRecords: '1', errorMessage: 'too old' };
    if (far.scene === 'refuses-in-part') return reply(response, 200, { partialSuccess });
    const records = (JSON.parse(body) as LogsRequest).resourceLogs.flatMap(({ scopeLogs }) =>
      scopeLogs.flatMap(({ logRecords }) => logRecords),
    );
    for (const { timeUnixNano, attributes } of records) {
      const of = (name: string): string =>
        attributes.find((one) => one.key === `audit.${name}`)?.value.stringValue ?? '';
      far.store({
        ...{ key: of('idempotency_key'), eventId: of('id'), action: of('action') },
        occurredAtMs: Number(BigInt(timeUnixNano) / 1_000_000n),
      });
    }
    if (far.scene === 'loses-reply') return void response.destroy();
    reply(response, 200, {});
  };
}

async function create(handler?: FarHandler) {
  const key = `Bearer ${randomUUID()}`;
  const read = async () => ({ current: { secret: new Secret(key), version: '1' } });
  const credential = { source: { contract: 1 as const, read }, name: 'OTLP' };
  return openHttpSink(handler ?? collector(key), ({ origin }, http) =>
    createOtlpLogsSink({ id: 'otlp', http, url: `${origin}/v1/logs`, credential }),
  );
}

describe('OTLP logs sink', () => {
  const without = { 'knows-key': 'a collector drops no repeat' };
  describeAuditSinkContract({ describe, it }, { create: () => create(), without });

  it('AUD-15: rejected records count as text or number; none rejected, an empty and a null answer are success', async () => {
    const { event, key } = eventNumber(1);
    const bodies = ['', '{}', '{"partialSuccess":null}', '{"partialSuccess":{"errorMessage":"slow"}}'];
    const rejected = ['{"partialSuccess":{"rejectedLogRecords":1}}', '{"partialSuccess":{"rejectedLogRecords":"1"}}'];
    const answers: string[] = [];
    for (const body of [...bodies, ...rejected, '{"partialSuccess":{"rejectedLogRecords":"many"}}']) {
      const t = await create((_request, response) => void response.end(body));
      const { signal } = new AbortController();
      answers.push((await t.sink.send(event, { idempotencyKey: key, signal })).kind);
      await t.dispose();
    }
    expect(answers).toEqual([...Array(4).fill('delivered'), ...Array(2).fill('dead-letter'), 'retry']);
  });

  it('AUD-4: takes no credential header that the request needs for itself, or that is no name of one', async () => {
    const http = createHttpClient();
    for (const credentialHeader of ['content-length', 'Host', 'two words', 'x\ny', ''])
      expect(() =>
        createOtlpLogsSink({ id: 'otlp', http, url: 'https://collector.example/v1', credentialHeader }),
      ).toThrow(/credentialHeader: expected the name of a header/);
    await http.close();
  });

  it('AUD-4: a record has integers as text, no value for null, hex ids, and times in nanoseconds', () => {
    const { event, key } = eventNumber(1);
    const payload = { n: 7, big: 2 ** 53, half: 0.5, none: null, list: [true, 'x'] };
    const [logs] = JSON.parse(toLogsRequest({ ...event, payload }, key, { 'service.name': 'studio' })).resourceLogs;
    expect(logs.resource.attributes).toEqual([{ key: 'service.name', value: { stringValue: 'studio' } }]);
    const [record] = logs.scopeLogs[0].logRecords;
    expect(record).toMatchObject({
      ...{ timeUnixNano: `${event.occurredAt.getTime()}000000`, severityNumber: 9, traceId: event.traceId },
      eventName: 'criticizer.audit.admin.user.update',
    });
    expect(record.body.kvlistValue.values).toEqual([
      { key: 'n', value: { intValue: '7' } },
      { key: 'big', value: { doubleValue: 2 ** 53 } },
      { key: 'half', value: { doubleValue: 0.5 } },
      { key: 'none', value: {} },
      { key: 'list', value: { arrayValue: { values: [{ boolValue: true }, { stringValue: 'x' }] } } },
    ]);
    expect(record.attributes).toContainEqual({ key: 'audit.http_status', value: { intValue: '200' } });
  });
});
