import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../telemetry/logger.js';
import { createMemoryTelemetry } from '../../telemetry/memory-telemetry.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createOutages } from './outages.js';

function setUp() {
  const clock = createManualClock();
  const telemetry = createMemoryTelemetry();
  const said: unknown[] = [];
  const log =
    (level: string) =>
    (fields: object): void =>
      void said.push([level, ...Object.values(fields)]);
  const outages = createOutages({
    logger: { ...silentLogger, info: log('info'), error: log('error') },
    telemetry,
    clock,
  });
  return { clock, outages, said, gauges: () => telemetry.measurements.map(({ value }) => value) };
}

describe('outages', () => {
  it('INT-4: an outage is told once however often it parks work, and its end once', () => {
    const { outages, said, gauges } = setUp();
    for (let look = 0; look < 50; look += 1) outages.parked({ stage: 'fetch', serverId: 'main' }, 'P4_AUTH_EXPIRED');
    outages.passed({ stage: 'fetch', serverId: 'other' });
    outages.passed({ stage: 'llm', serverId: 'main' });
    expect(said).toEqual([['error', 'outage.begun', 'fetch', 'main', 'P4_AUTH_EXPIRED']]);
    for (let job = 0; job < 50; job += 1) outages.passed({ stage: 'fetch', serverId: 'main' });
    expect(said.slice(1)).toEqual([['info', 'outage.over', 'fetch', 'main', 'P4_AUTH_EXPIRED']]);
    expect(gauges()).toEqual([1, 0]);
  });

  it('INT-4: another outage of the same stage is told too; one that flickers only every quarter of an hour', async () => {
    const { clock, outages, said } = setUp();
    outages.parked({ stage: 'llm' }, 'AUTH_DENIED');
    outages.parked({ stage: 'llm' }, 'EGRESS_KILLED');
    for (let flicker = 0; flicker < 30; flicker += 1) {
      await clock.advance(60_000);
      outages.passed({ stage: 'llm' });
      outages.parked({ stage: 'llm' }, 'AUTH_DENIED');
    }
    const errors = said.filter((line) => Array.isArray(line) && line[0] === 'error');
    expect(errors).toEqual([
      ['error', 'outage.begun', 'llm', 'AUTH_DENIED'],
      ['error', 'outage.begun', 'llm', 'EGRESS_KILLED'],
      ['error', 'outage.begun', 'llm', 'AUTH_DENIED'],
      ['error', 'outage.begun', 'llm', 'AUTH_DENIED'],
    ]);
  });
});
