import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createStoppableTelemetry } from '../egress/stoppable-telemetry.js';
import { describeTracingContract, type ExportedSpan } from '../testing/ports/telemetry-contract.js';
import { instruments } from './instruments.js';
import { createMemoryTelemetry } from './memory-telemetry.js';
import { metric } from './names.js';
import { createOpenTelemetry } from './open-telemetry.js';
import { formatTraceparent, readTraceparent } from './traceparent.js';

api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
afterAll(() => api.context.disable());

const kinds = ['internal', 'server', 'client', 'producer', 'consumer'] as const;

/** The SDK's tracer, and what it exported in the words of the port. */
function traced() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('criticizer');
  const exported = async (): Promise<readonly ExportedSpan[]> =>
    exporter.getFinishedSpans().map((span) => ({
      name: span.name,
      kind: kinds[span.kind] as ExportedSpan['kind'],
      errorType: span.attributes['error.type'] as string | undefined,
      traceparent: formatTraceparent(span.spanContext()) ?? '',
      parent: span.parentSpanContext?.spanId ?? null,
      links: span.links.map(({ context }) => formatTraceparent(context) ?? ''),
    }));
  return { tracer, exported, telemetry: createOpenTelemetry({ api, tracer }) };
}

const runner = { describe, it };
describe('OpenTelemetry', () => describeTracingContract(runner, traced));
describe('memory', () =>
  describeTracingContract(runner, () => {
    const telemetry = createMemoryTelemetry();
    return { telemetry, exported: async () => telemetry.spans };
  }));
describe('telemetry behind the kill switch', () =>
  describeTracingContract(runner, () => {
    const { telemetry, exported } = traced();
    const killSwitch = { check: async () => undefined };
    // A span ends once the switch was read.
    const read = () => new Promise(setImmediate);
    return { telemetry: createStoppableTelemetry({ telemetry, killSwitch }), exported: () => read().then(exported) };
  }));

describe('createOpenTelemetry', () => {
  it('OPS-6: a span without a parent is the child of what is active in the host, one of null is not', async () => {
    const { telemetry, tracer, exported } = traced();
    const host = tracer.startSpan('host');
    api.context.with(api.trace.setSpan(api.context.active(), host), () => {
      telemetry.startSpan('submit').end();
      telemetry.startSpan('process', {}, { parent: null }).end();
    });
    const [submit, process] = await exported();
    expect([submit?.parent, process?.parent]).toEqual([host.spanContext().spanId, null]);
  });

  it('OPS-6: what the host starts within a span is its child, over awaits, and not after it', async () => {
    const { telemetry, tracer, exported } = traced();
    const stage = telemetry.startSpan('stage', {}, { parent: null });
    await stage.run?.(async () => {
      await new Promise(setImmediate);
      tracer.startSpan('of the host').end();
    });
    tracer.startSpan('later').end();
    const [inside, later] = await exported();
    expect([inside?.parent, later?.parent]).toEqual([stage.traceparent?.slice(36, 52), null]);
  });

  it('OPS-6: without an SDK a span has no traceparent', () => {
    const telemetry = createOpenTelemetry({ api });
    expect(telemetry.startSpan('submit review').traceparent).toBeNull();
  });

  it('OPS-6: takes a meter and a tracer without the API: spans have links and no parents', async () => {
    const { tracer, exported } = traced();
    const telemetry = createOpenTelemetry({ meter: api.metrics.getMeter('x'), tracer });
    const outer = telemetry.startSpan('outer');
    telemetry.startSpan('inner', {}, { parent: outer, links: [outer.traceparent ?? ''] }).end();
    expect(await exported()).toMatchObject([{ parent: null, links: [outer.traceparent] }]);
    expect(() => createOpenTelemetry({ tracer })).toThrow(/expected api, or meter and tracer/);
    expect(() => createOpenTelemetry({ api: {} as never })).toThrow(/createOpenTelemetry.*api\.trace/);
  });

  it('OPS-6: reads a traceparent as the W3C propagator of OpenTelemetry does, and never more', () => {
    const propagator = new W3CTraceContextPropagator();
    const hex = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
    const well = fc.tuple(hex(2), hex(32), hex(16), hex(2)).map((parts) => parts.join('-'));
    const zeros = fc.constantFrom(
      `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
      `00-${'1'.repeat(32)}-${'0'.repeat(16)}-01`,
    );
    const cut = fc.tuple(well, fc.nat(54)).map(([text, at]) => text.slice(0, at));
    fc.assert(
      fc.property(fc.oneof(well, zeros, cut, fc.string()), (text) => {
        const context = propagator.extract(api.ROOT_CONTEXT, { traceparent: text }, api.defaultTextMapGetter);
        const theirs = api.trace.getSpanContext(context);
        const ours = readTraceparent(text);
        if (ours === null) return text.length !== 55 || theirs === undefined;
        expect(theirs).toMatchObject(ours);
        return true;
      }),
      { numRuns: 100 },
    );
  });

  it('OPS-6: exports every metric with its unit, description and bucket bounds as Prometheus text', async () => {
    const reader = new PrometheusExporter({ preventServerStart: true });
    const provider = new MeterProvider({ readers: [reader] });
    const telemetry = createOpenTelemetry({ api, meter: provider.getMeter('criticizer') });
    for (const { name, kind } of Object.values(instruments)) {
      if (kind === 'counter') telemetry.count(name, 0);
      else if (kind === 'gauge') telemetry.gauge(name, 1);
      else telemetry.record(name, 100);
    }
    const text = new PrometheusSerializer().serialize((await reader.collect()).resourceMetrics);
    await provider.shutdown();
    for (const { name, kind, unit, description, buckets = [] } of Object.values(instruments)) {
      const exported = `${name.replaceAll('.', '_')}${kind === 'counter' ? '_total' : ''}`;
      expect(text).toContain(`# HELP ${exported} ${description}`);
      expect(text).toContain(`# UNIT ${exported} ${unit}`);
      expect(text).toContain(`# TYPE ${exported} ${kind}`);
      const bounds = [...text.matchAll(new RegExp(`^${exported}_bucket\\{.*le="([^"]+)"`, 'gm'))].map(([, le]) => le);
      expect(bounds).toEqual(kind === 'histogram' ? [...buckets.map(String), '+Inf'] : []);
    }
    expect(text).toMatch(new RegExp(`^${metric.leaseLost.replaceAll('.', '_')}_total\\{[^}]*\\} 0$`, 'm'));
  });

  it('OPS-6: bounds of histograms ascend: inference as its convention has them, work up to an hour', () => {
    for (const { buckets = [] } of Object.values(instruments))
      expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    const { llmDuration, jobDuration, stageDuration, messagingDuration } = instruments;
    expect([llmDuration.buckets?.[0], llmDuration.buckets?.at(-1), llmDuration.buckets?.length]).toEqual([
      0.01, 81.92, 14,
    ]);
    expect([jobDuration.buckets?.at(-1), stageDuration.buckets?.at(-1)]).toEqual([3_600, 3_600]);
    expect([messagingDuration.buckets?.[0], messagingDuration.buckets?.at(-1)]).toEqual([0.005, 10]);
  });
});
