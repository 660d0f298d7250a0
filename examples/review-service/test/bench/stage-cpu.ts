import { noTelemetry, type Telemetry } from '@criticizer/core';
import type { RunCost } from './bench-service.js';

/** CPU of one part of a review, in milliseconds a review. */
export interface StageCost {
  stage: string;
  cpuMs: number;
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/**
 * Telemetry that adds up the CPU of this process during each span. A stage's span holds its
 * settlement, too. The sum is a stage's own only where one review runs at a time, submitted one by one.
 */
export function createStageCpu(): { telemetry: Telemetry; costs(run: RunCost, reviews: number): StageCost[] } {
  const spent = new Map<string, number>();
  const telemetry: Telemetry = {
    ...noTelemetry,
    startSpan(name, attributes = {}) {
      const stage = String(attributes['criticizer.stage'] ?? attributes['gen_ai.operation.name'] ?? name);
      const from = cpuMs();
      return {
        setAttributes: () => undefined,
        end: () => void spent.set(stage, (spent.get(stage) ?? 0) + cpuMs() - from),
      };
    },
  };
  return {
    telemetry,
    costs(run, reviews) {
      const of = (stage: string): number => spent.get(stage) ?? 0;
      const exchange = of('chat');
      const around = run.cpuMs - of('fetch') - of('llm') - of('notify');
      const parts = [
        ['fetch: read, redact, store', of('fetch')],
        ['llm: prompt, parse, place, store', of('llm') - exchange],
        ['llm: guard, egress record, exchange', exchange],
        ['notify: compose, redact, store, deliver', of('notify')],
        ['around them: submit, claim', around],
      ] as const;
      return parts.map(([stage, ms]) => ({ stage, cpuMs: ms / reviews }));
    },
  };
}
