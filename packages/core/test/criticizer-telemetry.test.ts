import { describe, expect, it } from 'vitest';
import { createBacklogMeasure } from '../src/alerts/measure-backlog.js';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { builtInVariant } from '../src/prompt/built-in-variant.js';
import { createMemoryTelemetry, type Measurement } from '../src/telemetry/memory-telemetry.js';
import { metric, stageSpan } from '../src/telemetry/names.js';
import { change, file, harness, reply } from './criticizer-harness.js';

const chatSpan = 'chat scripted-1';
const model = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'scripted',
  'gen_ai.request.model': 'scripted-1',
};
const prompt = {
  'gen_ai.prompt.name': builtInVariant.id,
  'gen_ai.prompt.version': builtInVariant.promptVersion,
  'gen_ai.request.max_tokens': 4_096,
};
const text = { 'gen_ai.token.modality': 'text' };

function named(measurements: readonly Measurement[], kind: Measurement['kind'], name: string) {
  return measurements.filter((one) => one.kind === kind && one.name === name).map(({ attributes }) => attributes);
}

describe('telemetry of a job', () => {
  it('OPS-6: a review that ends well: one duration of the job, one span for each stage, one for the request to the model', async () => {
    const telemetry = createMemoryTelemetry();
    const t = harness({ more: { telemetry } });
    await t.run();
    await t.criticizer.stop();
    const { measurements } = telemetry;
    expect(named(measurements, 'record', metric.jobDuration)).toEqual([{ 'criticizer.kind': 'review' }]);
    expect(named(measurements, 'span', chatSpan)).toEqual([
      { ...model, ...prompt, 'gen_ai.usage.input_tokens': 1, 'gen_ai.usage.output_tokens': 1 },
    ]);
    expect(named(measurements, 'record', metric.llmDuration)).toEqual([model]);
    expect(named(measurements, 'count', metric.llmInputTokens)).toEqual([
      { ...model, ...text },
      { ...model, ...text },
    ]);
    expect(measurements.filter(({ name }) => name === metric.llmOutputTokens).map(({ value }) => value)).toEqual([
      0, 1,
    ]);
    const stage = (name: string, outcome: string) => ({
      'criticizer.kind': 'review',
      'criticizer.stage': name,
      'criticizer.outcome': outcome,
      'criticizer.attempt': 1,
    });
    expect(named(measurements, 'span', stageSpan)).toEqual([
      stage('fetch', 'next'),
      stage('llm', 'next'),
      stage('notify', 'done'),
    ]);
  });

  it('OPS-6: a review says how long it took from its notice on, what it found, what it cost and what it hid', async () => {
    const telemetry = createMemoryTelemetry();
    const prices = [{ provider: 'scripted', inputPerMillion: 2_000_000, outputPerMillion: 3_000_000 }];
    const files = [file('//depot/a.ts', ['const a = "secret-abcd";', 'use(a);'])];
    const settings = { llm: { budget: { prices } } };
    const t = harness({ change: change({ files }), more: { telemetry, settings } });
    await t.run();
    await t.criticizer.stop();
    const of = (name: string) =>
      telemetry.measurements.filter((one) => one.name === name).map(({ value, attributes }) => [value, attributes]);
    expect(of(metric.jobTotalDuration)).toEqual([[expect.any(Number), { 'criticizer.kind': 'review' }]]);
    expect(of(metric.llmCost)).toEqual([[5, model]]);
    expect(of(metric.findings)).toContainEqual([1, { 'criticizer.severity': 'high' }]);
    expect(of(metric.redactions)).toEqual([[1, { 'criticizer.rule': expect.any(String) }]]);
  });

  it('OPS-6: open letters and mails that wait are gauges, which end at 0', async () => {
    const telemetry = createMemoryTelemetry();
    type Read = Parameters<typeof createBacklogMeasure>[0];
    let letters: Awaited<ReturnType<Read['deadLetters']['stats']>> = [
      { stage: 'llm', errorClass: 'UNEXPECTED', escalation: 'page', open: 2 },
      { stage: 'llm', errorClass: 'UNEXPECTED', escalation: 'operator', open: 1 },
    ];
    let mails: Awaited<ReturnType<Read['outbox']['backlog']>> = [
      { status: 'pending', waitingFor: 'paced', count: 4, oldestMs: 7_000 },
      { status: 'unknown', waitingFor: null, count: 1, oldestMs: 9_000 },
    ];
    const { deadLetters, outbox } = createMemoryStores();
    const measure = createBacklogMeasure(
      {
        deadLetters: { ...deadLetters, stats: async () => letters },
        outbox: { ...outbox, backlog: async () => mails },
      } as Read,
      telemetry,
    );
    await measure();
    letters = [];
    mails = [];
    await measure();
    const of = (name: string) =>
      telemetry.measurements.filter((one) => one.name === name).map((one) => [one.value, one.attributes]);
    const llm = { 'criticizer.stage': 'llm', 'error.type': 'UNEXPECTED' };
    expect(of(metric.lettersOpen)).toEqual([
      [3, llm],
      [0, llm],
    ]);
    const [paced, held] = [
      { 'criticizer.status': 'pending', 'criticizer.reason': 'paced' },
      { 'criticizer.status': 'unknown', 'criticizer.reason': 'none' },
    ];
    expect(of(metric.mailBacklog)).toEqual([
      [4, paced],
      [1, held],
      [0, paced],
      [0, held],
    ]);
    expect(of(metric.mailOldest).slice(0, 2)).toEqual([
      [7, paced],
      [9, held],
    ]);
  });

  it('OPS-6: a dead letter: the failure’s code is on the job, on its stage and on the request; a retry ends no job', async () => {
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
    expect(named(measurements, 'span', chatSpan)).toEqual([
      { ...model, ...prompt, 'error.type': 'NETWORK_RESET' },
      { ...model, ...prompt, 'error.type': 'LLM_BROKEN' },
    ]);
    expect(named(measurements, 'record', metric.llmDuration)).toEqual([
      { ...model, 'error.type': 'NETWORK_RESET' },
      { ...model, 'error.type': 'LLM_BROKEN' },
    ]);
    const durations = named(measurements, 'record', metric.stageDuration).map((one) => one['error.type']);
    expect(durations).toEqual([undefined, 'NETWORK_RESET', 'LLM_BROKEN']);
    const ends = named(measurements, 'span', stageSpan).map((one) => [
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
    expect(named(telemetry.measurements, 'span', stageSpan)).toEqual([]);
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
      telemetry.startSpan = (name, attributes, relation) => {
        const started = startSpan(name, attributes, relation);
        return {
          ...started,
          end(code) {
            started.end(code);
            if (name === stageSpan) resolve();
          },
        };
      };
    });
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    await ended;
    down = false;
    await t.criticizer.stop();
    const [first] = named(telemetry.measurements, 'span', stageSpan);
    expect(first).toEqual({
      'criticizer.kind': 'review',
      'criticizer.stage': 'fetch',
      'criticizer.attempt': 1,
      'error.type': 'STORE_REFUSES',
    });
    expect(named(telemetry.measurements, 'record', metric.jobDuration)).toEqual([]);
  });
});
