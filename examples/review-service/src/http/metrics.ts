import type { IncomingMessage, ServerResponse } from 'node:http';
import { createOpenTelemetry, type Telemetry } from '@criticizer/core';
import * as api from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** Metrics of this process, and how to read them. */
export interface Metrics {
  telemetry: Telemetry;
  /** Answers one request with the text format of Prometheus. */
  answer(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/**
 * OpenTelemetry's metrics in this process. The exporter opens no port of its own. Spans go to the
 * tracer that the process registered, which is none unless an agent did.
 */
export function createMetrics(): Metrics {
  // #region metrics
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const telemetry = createOpenTelemetry({ api, meter: provider.getMeter('criticizer') });
  // #endregion
  return {
    telemetry,
    answer: (request, response) => exporter.getMetricsRequestHandler(request, response),
    close: () => provider.shutdown(),
  };
}
