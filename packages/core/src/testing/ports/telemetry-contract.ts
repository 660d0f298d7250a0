import assert from 'node:assert/strict';
import type { Logger } from '../../telemetry/logger.js';
import type { SecurityEvents } from '../../telemetry/security-events.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import type { Runner } from '../support/runner.js';

/** What Logger, Telemetry and SecurityEvents must bear: they sit in every path and may stop none. */
export function describeObserverContract(
  { describe, it }: Runner,
  observers: { logger: Logger; telemetry: Telemetry; securityEvents: SecurityEvents },
): void {
  const { logger, telemetry, securityEvents } = observers;
  describe('observer contract', () => {
    it('the logger takes fields first, errors and circles among them, as detached functions too', () => {
      const circle: { self?: unknown } = {};
      circle.self = circle;
      for (const level of ['debug', 'info', 'warn', 'error'] as const)
        assert.doesNotThrow(() => logger[level]({ err: new Error('x'), circle, big: 10n }, 'message'));
    });
    it('telemetry bears unknown names, repeated ends and no attributes', () => {
      assert.doesNotThrow(() => {
        telemetry.count('criticizer.test', 1);
        telemetry.record('criticizer.test.duration', 0.5, { a: 'b' });
        telemetry.gauge('criticizer.test.depth', 3);
        const span = telemetry.startSpan('criticizer.test', { a: 1 });
        span.setAttributes({ b: true });
        span.end('SOME_CODE');
        span.end();
      });
    });
    it('security events are taken without throwing', async () => {
      await securityEvents.emit({ type: 'egress.blocked', reason: 'a test', details: { rule: 'x' } });
    });
  });
}
