import assert from 'node:assert/strict';
import type { Logger } from '../../telemetry/logger.js';
import type { SecurityEvents } from '../../telemetry/security-events.js';
import { runInSpan, type SpanKind, type Telemetry } from '../../telemetry/telemetry.js';
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

/** A span that a `Telemetry` exported, in the words of the port. */
export interface ExportedSpan {
  name: string;
  kind: SpanKind;
  errorType: string | undefined;
  /** Of the span itself. */
  traceparent: string;
  /** Of its parent, or the parent's 16 characters of span id; null at the root of a trace. */
  parent: string | null;
  links: readonly string[];
}

/** A `Telemetry` that traces, and what it exported so far in the order of the ends. */
export interface TelemetryUnderTest {
  telemetry: Telemetry;
  exported(): Promise<readonly ExportedSpan[]>;
}

const remote = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const malformed = [
  '',
  'x',
  remote.slice(0, -1),
  `${remote}-`,
  remote.toUpperCase(),
  `ff${remote.slice(2)}`,
  '00-00000000000000000000000000000000-b7ad6b7169203331-01',
  '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
];
const traceId = (traceparent: string): string => traceparent.slice(3, 35);
const spanId = (traceparent: string): string => traceparent.slice(36, 52);

// long: one case for each promise about spans
/** What a `Telemetry` that traces must do with parents, links and kinds (OPS-6). `create` gives a new one. */
export function describeTracingContract({ describe, it }: Runner, create: () => TelemetryUnderTest): void {
  const traceparentOf = (value: string | null | undefined): string => {
    assert.match(value ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
    return value as string;
  };
  describe('tracing contract', () => {
    it('OPS-6: a span has a traceparent of 55 characters, and its child is in its trace', async () => {
      const { telemetry, exported } = create();
      const parent = telemetry.startSpan('parent', {}, { parent: null });
      const child = telemetry.startSpan('child', {}, { kind: 'client', parent });
      child.end();
      parent.end();
      const [first, second] = await exported();
      const [own, outer] = [traceparentOf(child.traceparent), traceparentOf(parent.traceparent)];
      assert.equal(own.length, 55);
      assert.equal(traceId(own), traceId(outer));
      assert.notEqual(spanId(own), spanId(outer));
      assert.deepEqual([first?.traceparent, first?.kind], [own, 'client']);
      assert.ok(first?.parent?.includes(spanId(outer)));
      assert.deepEqual([second?.traceparent, second?.parent, second?.kind], [outer, null, 'internal']);
    });
    it('OPS-6: the traceparent of another process is taken as parent; a malformed one begins a trace', async () => {
      const { telemetry, exported } = create();
      telemetry.startSpan('joined', {}, { kind: 'consumer', parent: remote }).end();
      for (const parent of malformed) telemetry.startSpan('own', {}, { parent }).end();
      const [joined, ...own] = await exported();
      assert.equal(traceId(joined?.traceparent ?? ''), traceId(remote));
      assert.ok(joined?.parent?.includes(spanId(remote)));
      assert.deepEqual(
        own.map((span) => span.parent),
        malformed.map(() => null),
      );
      assert.equal(new Set(own.map((span) => traceId(span.traceparent))).size, malformed.length);
    });
    it('OPS-6: links keep their order, malformed ones are left out, and make no parent', async () => {
      const { telemetry, exported } = create();
      const other = telemetry.startSpan('other', {}, { kind: 'producer', parent: null });
      const links = [remote, ...malformed, traceparentOf(other.traceparent)];
      telemetry.startSpan('linked', {}, { kind: 'consumer', parent: null, links }).end();
      other.end();
      const [linked, produced] = await exported();
      assert.deepEqual(linked?.links, [remote, other.traceparent]);
      assert.equal(linked?.parent, null);
      assert.deepEqual([linked?.kind, produced?.kind], ['consumer', 'producer']);
    });
    it('OPS-6: a failed span is exported once, with its code', async () => {
      const { telemetry, exported } = create();
      const span = telemetry.startSpan('failed', {}, { parent: null });
      span.end('SOME_CODE');
      span.end();
      assert.deepEqual(
        (await exported()).map(({ name, errorType }) => [name, errorType]),
        [['failed', 'SOME_CODE']],
      );
    });
    it('OPS-6: work within a span gives what it gives, and throws what it throws', async () => {
      const span = create().telemetry.startSpan('around', {}, { parent: null });
      assert.equal(
        runInSpan(span, () => 7),
        7,
      );
      assert.equal(await runInSpan(span, async () => 8), 8);
      assert.throws(
        () =>
          runInSpan(span, () => {
            throw new Error('from the work');
          }),
        /from the work/,
      );
      span.end();
    });
  });
}
