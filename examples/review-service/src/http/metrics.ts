import type { IncomingMessage, ServerResponse } from 'node:http';
import { createOpenTelemetry, type Telemetry } from '@criticizer/core';
import { trace } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics';

/** Metrics of this process, and how to read them. */
export interface Metrics {
  telemetry: Telemetry;
  /** Answers one request with the text format of Prometheus. */
  answer(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/** Seconds, doubling: a stage may take milliseconds, a model minutes. */
const boundaries = Array.from({ length: 17 }, (_, power) => 0.01 * 2 ** power);

/**
 * OpenTelemetry's metrics in this process. The exporter opens no port of its own. Spans go to the
 * tracer that the process registered, which is none unless an agent did.
 */
export function createMetrics(): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({
    readers: [exporter],
    views: ['criticizer.*.duration', 'gen_ai.*.duration'].map((instrumentName) => ({
      instrumentName,
      aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries } },
    })),
  });
  return {
    telemetry: createOpenTelemetry({
      meter: provider.getMeter('criticizer'),
      tracer: trace.getTracer('criticizer'),
    }),
    answer: (request, response) => exporter.getMetricsRequestHandler(request, response),
    close: () => provider.shutdown(),
  };
}
