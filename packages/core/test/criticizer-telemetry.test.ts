import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryTelemetry, type Measurement } from '../src/telemetry/memory-telemetry.js';
import { metric, span } from '../src/telemetry/names.js';
import { harness, reply } from './criticizer-harness.js';

const model = { 'gen_ai.provider.name': 'scripted', 'gen_ai.request.model': 'scripted-1' };

function named(measurements: readonly Measurement[], kind: Measurement['kind'], name: string) {
  return measurements.filter((one) => one.kind === kind && one.name === name).map(({ attributes }) => attributes);
}

describe('telemetry of a job', () => {
  it('a review that ends well: one duration of the job, one span for each stage, one for the request to the model', async () => {
    const telemetry = createMemoryTelemetry();
    const t = harness({ more: { telemetry } });
    await t.run();
    await t.criticizer.stop();
    const { measurements } = telemetry;
    expect(named(measurements, 'record', metric.jobDuration)).toEqual([{ 'criticizer.kind': 'review' }]);
    expect(named(measurements, 'span', span.llmExchange)).toEqual([model]);
    const stage = (name: string, outcome: string) => ({
      'criticizer.kind': 'review',
      'criticizer.stage': name,
      'criticizer.outcome': outcome,
    });
    expect(named(measurements, 'span', span.stage)).toEqual([
      stage('fetch', 'next'),
      stage('llm', 'next'),
      stage('notify', 'done'),
    ]);
  });

  it('a dead letter: the failure’s code is on the job, on its stage and on the request; a retry ends no job', async () => {
    const telemetry = createMemoryTelemetry();
    const outage = new CriticizerError('NETWORK_RESET', 'x', { category: 'network' });
    const t = harness({
      script: [outage, new CriticizerError('LLM_BROKEN', 'x', { category: 'validation' })],
      more: { telemetry },
    });
    await t.run();
    await t.criticizer.stop();
    const { measurements } = telemetry;
    expect(named(measurements, 'record', metric.jobDuration)).toEqual([
      { 'criticizer.kind': 'review', 'error.type': 'LLM_BROKEN' },
    ]);
    expect(named(measurements, 'span', span.llmExchange)).toEqual([
      { ...model, 'error.type': 'NETWORK_RESET' },
      { ...model, 'error.type': 'LLM_BROKEN' },
    ]);
    const ends = named(measurements, 'span', span.stage).map((one) => [
      one['criticizer.stage'],
      one['criticizer.outcome'],
      one['error.type'],
    ]);
    expect(ends).toEqual([
      ['fetch', 'next', undefined],
      ['llm', 'retry', 'NETWORK_RESET'],
      ['llm', 'dead-letter', 'LLM_BROKEN'],
    ]);
  });

  it('a job that must not run ends with its code and starts no span', async () => {
    const telemetry = createMemoryTelemetry();
    const t = harness({ more: { telemetry } });
    await t.stores.jobs.enqueue([{ kind: 'review', payload: { nonsense: true }, stage: 'fetch', idempotencyKey: 'a' }]);
    await t.criticizer.start();
    await t.seen((e) => e.type === 'stage.ended');
    await t.criticizer.stop();
    expect(named(telemetry.measurements, 'record', metric.jobDuration)).toEqual([
      { 'criticizer.kind': 'review', 'error.type': 'SCHEMA_INVALID' },
    ]);
    expect(named(telemetry.measurements, 'span', span.stage)).toEqual([]);
  });

  it('a stage whose end the store could not take ends its span with the store’s code', async () => {
    const telemetry = createMemoryTelemetry();
    const t = harness({ script: [reply([])], more: { telemetry } });
    const settle = t.stores.jobs.settle;
    let down = true;
    t.stores.jobs.settle = async (settlements, options) => {
      if (down) throw new CriticizerError('STORE_REFUSES', 'x', { category: 'validation' });
      return settle(settlements, options);
    };
    const ended = new Promise<void>((resolve) => {
      const { startSpan } = telemetry;
      telemetry.startSpan = (name, attributes) => {
        const started = startSpan(name, attributes);
        return {
          ...started,
          end(code) {
            started.end(code);
            if (name === span.stage) resolve();
          },
        };
      };
    });
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    await ended;
    down = false;
    await t.criticizer.stop();
    const [first] = named(telemetry.measurements, 'span', span.stage);
    expect(first).toEqual({ 'criticizer.kind': 'review', 'criticizer.stage': 'fetch', 'error.type': 'STORE_REFUSES' });
    expect(named(telemetry.measurements, 'record', metric.jobDuration)).toEqual([]);
  });
});
