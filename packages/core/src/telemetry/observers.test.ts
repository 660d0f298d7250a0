import { metrics, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../foundation/time/system-clock.js';
import { systemRandom } from '../foundation/time/system-random.js';
import { describeObserverContract } from '../testing/ports/telemetry-contract.js';
import { describeClockContract, describeRandomContract } from '../testing/ports/time-contract.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createSeededRandom } from '../testing/support/seeded-random.js';
import { createLogSecurityEvents } from './log-security-events.js';
import { type Logger, silentLogger } from './logger.js';
import { createMemorySecurityEvents } from './memory-security-events.js';
import { createMemoryTelemetry } from './memory-telemetry.js';
import { createOpenTelemetry } from './open-telemetry.js';
import { noTelemetry } from './telemetry.js';

const runner = { describe, it };

describe('silent observers', () =>
  describeObserverContract(runner, {
    logger: silentLogger,
    telemetry: noTelemetry,
    securityEvents: createLogSecurityEvents(silentLogger),
  }));
describe('memory observers', () =>
  describeObserverContract(runner, {
    logger: silentLogger,
    telemetry: createMemoryTelemetry(),
    securityEvents: createMemorySecurityEvents(),
  }));
describe('OpenTelemetry', () =>
  describeObserverContract(runner, {
    logger: silentLogger,
    telemetry: createOpenTelemetry({ meter: metrics.getMeter('criticizer'), tracer: trace.getTracer('criticizer') }),
    securityEvents: createMemorySecurityEvents(),
  }));

describe('system time', () => {
  describeClockContract(runner, { clock: systemClock, pass: (ms) => systemClock.sleep(ms) });
  describeRandomContract(runner, systemRandom);
});
describe('test time', () => {
  const clock = createManualClock();
  describeClockContract(runner, { clock, pass: (ms) => clock.advance(ms) });
  describeRandomContract(runner, createSeededRandom(3));
  it('the same seed gives the same run', () => {
    const draws = (seed: number) =>
      Array.from(
        { length: 5 },
        (
          (random) => () =>
            random.uuid()
        )(createSeededRandom(seed)),
      );
    expect(draws(1)).toEqual(draws(1));
    expect(draws(1)).not.toEqual(draws(2));
  });
});

it('P4-5: a security event reaches the log with its type and facts', () => {
  const lines: [object, string][] = [];
  const logger: Logger = { ...silentLogger, warn: (fields, message) => void lines.push([fields, message]) };
  void createLogSecurityEvents(logger).emit({
    type: 'depot_path.denied',
    reason: 'Outside the allow-list.',
    details: { rule: 'none' },
  });
  expect(lines).toEqual([
    [
      { event: 'security.depot_path.denied', securityEvent: 'depot_path.denied', details: { rule: 'none' } },
      'Outside the allow-list.',
    ],
  ]);
});
