import { describe, expect, it } from 'vitest';
import type { AuditSink, SinkAnswer, SinkFailure } from '../../../audit/sinks/audit-sink.js';
import type { AuditEvent } from '../../../stores/audit-store.js';
import { collectCases, failedCases } from '../../support/collecting-runner.js';
import { describeAuditSinkContract } from './audit-sink-contract.js';
import type { AuditSinkUnderTest, ReceivedEvent, SinkScene } from './audit-sink-scenes.js';

interface FarEnd {
  scene: SinkScene;
  stored: ReceivedEvent[];
  polls: number;
  stalled(): void;
}

function failure(code: string, about: SinkFailure['about']): SinkFailure {
  return { code, message: 'The far end said no.', about };
}
const retry = (over: Partial<SinkAnswer & { kind: 'retry' }> = {}): SinkAnswer => ({
  kind: 'retry',
  failure: failure('UPSTREAM_UNAVAILABLE', 'destination'),
  ...over,
});
const answers: Readonly<Partial<Record<SinkScene, SinkAnswer>>> = {
  'loses-reply': retry(),
  'knows-key': { kind: 'delivered', duplicate: true },
  'rate-limits': retry({ retryAfterMs: 7_000 }),
  fails: retry(),
  'refuses-event': { kind: 'confirm', failure: failure('HTTP_REJECTED', 'event') },
  'refuses-in-part': { kind: 'dead-letter', failure: failure('HTTP_REJECTED', 'event') },
  denies: { kind: 'confirm', failure: failure('AUTH_DENIED', 'destination') },
  'answers-in-html': retry(),
};

function store(far: FarEnd, event: AuditEvent, key: string): void {
  const { id: eventId, action } = event;
  far.stored.push({ key, eventId, occurredAtMs: event.occurredAt.getTime(), action });
}

function honest(far: FarEnd): AuditSink {
  return {
    contract: 1,
    id: 'contract',
    async send(event, { idempotencyKey, signal }) {
      signal.throwIfAborted();
      if (far.scene === 'stalls')
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          far.stalled();
        });
      if (far.scene === 'takes' || far.scene === 'loses-reply') store(far, event, idempotencyKey);
      const answer = answers[far.scene];
      return answer ?? { kind: 'accepted', receipt: { id: event.id }, pollAfterMs: 1 };
    },
    async poll(receipt) {
      far.polls += 1;
      return far.polls % 2 === 0 ? { kind: 'delivered' } : { kind: 'accepted', receipt, pollAfterMs: 1 };
    },
    async testConnection() {
      return far.scene === 'denies' ? { ok: false, failure: failure('AUTH_DENIED', 'destination') } : { ok: true };
    },
  };
}

type Plant = (sink: AuditSink, far: FarEnd) => Partial<AuditSink>;

function create(plant: Plant): AuditSinkUnderTest {
  let stalled = (): void => undefined;
  const isStalled = new Promise<void>((resolve) => {
    stalled = resolve;
  });
  const far: FarEnd = { scene: 'takes', stored: [], polls: 0, stalled };
  const sink = honest(far);
  return {
    sink: { ...sink, ...plant(sink, far) },
    received: async () => far.stored,
    play(scene) {
      far.scene = scene;
    },
    stalled: () => isStalled,
    dispose: async () => undefined,
  };
}

async function failures(plant: Plant): Promise<string[]> {
  const harness = { create: async () => create(plant), deadlineMs: 60 };
  const failed = await failedCases(collectCases(describeAuditSinkContract, harness));
  return failed.map(({ name, error }) => `${name}: ${error instanceof Error ? error.message : String(error)}`);
}

/** The same sink, whose answer in one scene is another. */
const answering =
  (scene: SinkScene, answer: SinkAnswer): Plant =>
  (sink, far) => ({
    send: (event, context) => (far.scene === scene ? Promise.resolve(answer) : sink.send(event, context)),
  });

describe('the sink contract convicts', () => {
  it.each<[string, Plant, RegExp]>([
    ['an event that is not sent', () => ({ send: async () => ({ kind: 'delivered' }) }), /AUD-4: the far end has/],
    [
      'a key of its own at each attempt',
      (sink, far) => ({
        send: (event, context) =>
          sink.send(event, { ...context, idempotencyKey: `${context.idempotencyKey}#${far.stored.length}` }),
      }),
      /AUD-15: a repeat carries/,
    ],
    [
      'the time of the send in place of the action’s',
      (sink) => ({ send: (event, context) => sink.send({ ...event, occurredAt: new Date(0) }, context) }),
      /AUD-4: the far end has/,
    ],
    [
      'an event that is sent although its signal was aborted',
      (sink) => ({
        send: (event, context) => sink.send(event, { ...context, signal: new AbortController().signal }),
      }),
      /AUD-4: an aborted signal/,
    ],
    ['a lost reply that counts as delivered', answering('loses-reply', { kind: 'delivered' }), /a lost reply/],
    [
      'a duplicate that counts as a failure',
      answering('knows-key', { kind: 'confirm', failure: failure('HTTP_CONFLICT', 'event') }),
      /has the key is success/,
    ],
    ['a limit without its Retry-After', answering('rate-limits', retry()), /429 is retried/],
    [
      'an outage that blames the event',
      answering('fails', retry({ failure: failure('UPSTREAM_ERROR', 'event') })),
      /5xx is retried/,
    ],
    ['an event refused for ever that is retried', answering('refuses-event', retry()), /a refused event/],
    ['a partial success that counts as a whole one', answering('refuses-in-part', { kind: 'delivered' }), /200 for/],
    [
      'a credential that is given up at once',
      answering('denies', { kind: 'dead-letter', failure: failure('AUTH_DENIED', 'destination') }),
      /a refused credential/,
    ],
    [
      'a send that ignores its abort',
      (sink, far) => ({
        send: (event, context) => {
          if (far.scene !== 'stalls') return sink.send(event, context);
          far.stalled();
          return new Promise(() => undefined);
        },
      }),
      /expected send\(\) to settle after its signal aborted within 60 ms/,
    ],
    ['a login page that counts as delivered', answering('answers-in-html', { kind: 'delivered' }), /page of HTML/],
    [
      'a failure that quotes the event',
      answering('fails', retry({ failure: { ...failure('UPSTREAM_ERROR', 'destination'), message: 'no to grace' } })),
      /quotes nothing of the event/,
    ],
    [
      'a test of the connection that delivers an event',
      (sink, far) => ({
        async testConnection() {
          far.stored.push({ key: 'test', eventId: 'test', occurredAtMs: 0, action: 'test' });
          return (await sink.testConnection?.({ signal: new AbortController().signal })) ?? { ok: true };
        },
      }),
      /a test of the connection/,
    ],
    [
      'a receipt that nothing can poll',
      () => ({ poll: undefined as never }),
      /a sink that answers accepted must have poll/,
    ],
  ])('%s', async (_name, plant, expected) => {
    expect(await failures(plant)).toContainEqual(expect.stringMatching(expected));
  });

  it('no honest sink', async () => {
    expect(await failures(() => ({}))).toEqual([]);
  });
});
