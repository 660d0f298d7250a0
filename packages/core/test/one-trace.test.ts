import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { createMemoryTelemetry } from '../src/telemetry/memory-telemetry.js';
import type { Telemetry } from '../src/telemetry/telemetry.js';
import { finding, harness, reply, sharedArtifacts } from './criticizer-harness.js';

const traceId = (traceparent: string | null | undefined): string => (traceparent ?? '').slice(3, 35);

/** A review that one process submits and another one works off, a retry of its llm stage included. */
async function reviewAcrossProcesses(settings: { telemetry?: { oneTrace: boolean } } = {}) {
  const stores = createMemoryStores();
  const artifacts = sharedArtifacts();
  const [submitting, working] = [createMemoryTelemetry(), createMemoryTelemetry()];
  const outage = new CriticizerError('NETWORK_RESET', 'x', { category: 'network' });
  const web = harness({ more: { stores, artifacts, settings, telemetry: submitting } });
  const script = [outage, reply([finding()])];
  const worker = harness({ script, more: { stores, artifacts, settings, telemetry: working } });
  const { job } = await web.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
  await worker.criticizer.start();
  await worker.seen((event) => event.type === 'stage.ended' && event.outcome === 'done');
  await worker.criticizer.stop();
  await web.criticizer.stop();
  const [submit] = submitting.spans;
  return { job, rows: await stores.outbox.list({}), submit, spans: working.spans };
}

describe('one trace a review', () => {
  it('OPS-6: every attempt and the mail link to the span that submitted the job in another process', async () => {
    const { job, rows, submit, spans } = await reviewAcrossProcesses();
    expect(submit).toMatchObject({ name: 'submit review', kind: 'producer', parent: null, errorType: undefined });
    expect(submit?.attributes).toEqual({
      'messaging.system': 'criticizer',
      'messaging.operation.name': 'submit',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'review',
      'messaging.message.id': job.id,
    });
    expect([job.traceparent, rows.map((row) => row.traceparent)]).toEqual([submit?.traceparent, [submit?.traceparent]]);
    const attempts = spans.filter(({ name }) => name === 'process review');
    expect(attempts.map(({ kind, parent, links, errorType }) => [kind, parent, links, errorType])).toEqual([
      ['consumer', null, [submit?.traceparent], 'NETWORK_RESET'],
      ['consumer', null, [submit?.traceparent], undefined],
    ]);
    const [mail] = spans.filter(({ name }) => name === 'send memory');
    expect(mail).toMatchObject({ kind: 'producer', parent: null, links: [submit?.traceparent] });
    expect(mail?.attributes).toMatchObject({ 'messaging.system': 'criticizer_mail', 'criticizer.outcome': 'sent' });
  });

  it('OPS-6: a stage is the child of its attempt, a request to the model the child of its stage', async () => {
    const { spans } = await reviewAcrossProcesses();
    const named = (name: string) => spans.filter((span) => span.name === name);
    const attempts = named('process review').map(({ traceparent }) => traceparent);
    const stages = named('criticizer.stage');
    expect(stages.map(({ parent, attributes }) => [parent, attributes['criticizer.stage']])).toEqual([
      [attempts[0], 'fetch'],
      [attempts[0], 'llm'],
      [attempts[1], 'llm'],
      [attempts[1], 'notify'],
    ]);
    const asking = stages.filter(({ attributes }) => attributes['criticizer.stage'] === 'llm');
    expect(named('chat scripted-1').map(({ kind, parent }) => [kind, parent])).toEqual(
      asking.map(({ traceparent }) => ['client', traceparent]),
    );
  });

  it('OPS-6: with telemetry.oneTrace everything from submit to mail is in one trace', async () => {
    const { submit, spans } = await reviewAcrossProcesses({ telemetry: { oneTrace: true } });
    expect(spans.length).toBe(9);
    for (const span of spans) expect(traceId(span.traceparent)).toBe(traceId(submit?.traceparent));
    const children = spans.filter(({ parent }) => parent === submit?.traceparent);
    expect(children.map(({ name }) => name).sort()).toEqual(['process review', 'process review', 'send memory']);
  });

  it('OPS-6: a batch says how many, keeps a traceparent of the host’s own and drops a malformed one', async () => {
    const telemetry = createMemoryTelemetry();
    const { criticizer } = harness({ more: { telemetry } });
    const own = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const job = (idempotencyKey: string, traceparent?: string) =>
      ({ kind: 'bill', payload: {}, stage: 'print', idempotencyKey, traceparent }) as const;
    const results = await criticizer.enqueue([job('a'), job('b', own), job('c', 'malformed')]);
    await criticizer.stop();
    await new Promise(setImmediate); // the span ends once the kill switch was read
    const [span] = telemetry.spans;
    expect(span?.name).toBe('enqueue bill');
    expect(span?.attributes['messaging.batch.message_count']).toBe(3);
    const stored = results.map((result) => result.job.traceparent);
    expect(stored).toEqual([span?.traceparent, own, span?.traceparent]);
  });

  it('OPS-6: an implementation of metrics and plain spans runs reviews as it is, without traceparents', async () => {
    const ended: (string | undefined)[] = [];
    const plain: Telemetry = {
      count: () => undefined,
      record: () => undefined,
      gauge: () => undefined,
      startSpan: (name) => ({ setAttributes: () => undefined, end: () => void ended.push(name) }),
    };
    const t = harness({ more: { telemetry: plain } });
    const [job] = await t.stores.jobs.get([await t.run()]);
    await t.criticizer.stop();
    expect([job?.status, job?.traceparent]).toEqual(['completed', null]);
    expect(ended).toContain('chat scripted-1');
  });
});
