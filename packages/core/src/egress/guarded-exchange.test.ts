import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../foundation/errors.js';
import { readRedactedText } from '../foundation/redacted-text.js';
import type { LlmProvider, LlmReply, LlmRequest, LlmTurn, PreparedLlmRequest } from '../llm/llm-provider.js';
import type { EgressLog, NewEgressRecord } from '../stores/egress-log.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createMarkerRedactor } from '../testing/support/marker-redactor.js';
import { createSeededRandom } from '../testing/support/seeded-random.js';
import { type GuardedExchangeOptions, guardedExchange, planEgress } from './guarded-exchange.js';
import type { KillSwitch } from './kill-switch.js';
import { createProviderPolicy } from './provider-policy.js';
import { redactForLlm } from './redact-for-llm.js';

const redactor = createMarkerRedactor();
const done: LlmReply = {
  stop: 'complete',
  text: '{}',
  usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: null, reasoningTokens: null },
  requestId: null,
  providerStop: 'stop',
};

/** Everything around one exchange, with what happened in order. */
function setUp(text = '+ secret-aaaa', more: { leak?: boolean } = {}) {
  const steps: string[] = [];
  const records: NewEgressRecord[] = [];
  const sent: PreparedLlmRequest[] = [];
  const provider: LlmProvider = {
    contract: 1,
    id: 'house',
    model: 'm-1',
    limits: { contextTokens: 1_000, maxOutputTokens: 100 },
    modes: ['prompt'],
    prepare(request) {
      steps.push('prepare');
      const texts = request.turns.map(({ text: turn }) => readRedactedText(turn).text);
      const body = JSON.stringify({ system: request.system, texts: more.leak === true ? ['secret-bbbb'] : texts });
      return { method: 'POST', url: 'https://models.example:8443/v1', headers: {}, body, model: 'm-1' };
    },
    async send(prepared) {
      steps.push('send');
      sent.push(prepared);
      return done;
    },
  };
  const log: EgressLog<never> = {
    storeId: 'test',
    async append(added) {
      steps.push('append');
      records.push(...added);
    },
    list: async () => [],
  };
  const killSwitch: KillSwitch = {
    async check() {
      steps.push('kill');
    },
  };
  const { pieces, counts } = redactForLlm({ redactor, texts: [{ name: 'diff', text }] });
  const [piece] = pieces;
  if (piece === undefined) throw new Error('one text was given');
  const request: LlmRequest = {
    system: 's',
    turns: [{ role: 'user', text: piece.text }],
    schema: { type: 'object' },
    schemaName: 'n',
    mode: 'prompt',
    maxOutputTokens: 10,
  };
  const options: GuardedExchangeOptions<never> = {
    provider,
    request,
    redactor,
    policy: createProviderPolicy({ rules: [{ paths: ['//depot/...'], providers: ['house'] }] }),
    isInternal: () => false,
    namesProviders: true,
    depotPaths: ['//depot/a.c'],
    redactedPaths: ['//depot/a.c'],
    redactions: counts,
    versions: { promptVersion: '4.2', schemaVersion: '1.3' },
    jobId: 'job-1',
    changelistId: 'main/7',
    reviewVersion: 1,
    killSwitch,
    log,
    random: createSeededRandom(1),
    signal: new AbortController().signal,
    timeoutMs: 1_000,
  };
  return { options, steps, records, sent };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => {
      const { code, category, parks } = error as CriticizerError;
      return { code, category, parks };
    },
  );

describe('guardedExchange', () => {
  it('EGR-1: commits a record of exactly the bytes before they are sent', async () => {
    const { options, steps, records, sent } = setUp();
    const { reply, recordId } = await guardedExchange(options);
    expect(steps).toEqual(['kill', 'prepare', 'append', 'kill', 'send']);
    expect(reply).toEqual(done);
    const body = sent[0]?.body ?? '';
    expect(records).toEqual([
      {
        id: recordId,
        destination: 'llm',
        content: 'code',
        messageKey: null,
        jobId: 'job-1',
        changelistId: 'main/7',
        reviewVersion: 1,
        provider: 'house',
        host: 'models.example:8443',
        model: 'm-1',
        promptVersion: '4.2',
        schemaVersion: '1.3',
        paths: ['//depot/a.c'],
        bytes: Buffer.byteLength(body),
        bodySha256: createHash('sha256').update(body).digest('hex'),
        redactions: { marked: 1 },
        rulesVersion: redactor.rules.version,
        policyHash: redactor.rules.policyHash,
      },
    ]);
  });

  it.each<[string, unknown, object]>([
    [
      'an outage',
      new CriticizerError('NETWORK_RESET', 'db', { category: 'network' }),
      { category: 'network', parks: true },
    ],
    [
      'a conflict',
      new CriticizerError('STORE_CONFLICT', 'db', { category: 'conflict' }),
      { category: 'conflict', parks: true },
    ],
    ['a refusal', new CriticizerError('STORE_SCHEMA', 'db', { category: 'bug' }), { category: 'bug', parks: false }],
    ['an untyped error', new Error('db'), { category: 'bug', parks: false }],
  ])('EGR-1: when the record cannot be committed for %s, nothing is sent', async (_name, cause, expected) => {
    const { options, sent } = setUp();
    options.log = { ...options.log, append: () => Promise.reject(cause) };
    expect(await failureOf(guardedExchange(options))).toEqual({ code: 'EGRESS_UNRECORDED', ...expected });
    expect(sent).toEqual([]);
  });

  it('EGR-2: a provider that may not see a path gets nothing, and the job waits', async () => {
    const { options, steps } = setUp();
    options.depotPaths = ['//depot/a.c', '//vault/b.c'];
    expect(await failureOf(guardedExchange(options))).toEqual({
      code: 'EGRESS_PROVIDER_DENIED',
      category: 'policy',
      parks: true,
    });
    expect(steps).toEqual(['kill']);
  });

  it('EGR-2: a request for another host than the declared one is blocked, whatever the policy says', async () => {
    for (const host of ['models.internal', 'models.example', 'a b']) {
      const { options, records, sent } = setUp();
      const reasons: unknown[] = [];
      options.securityEvents = { emit: ({ details }) => void reasons.push(details['reason']) };
      options.provider = { ...options.provider, host };
      options.isInternal = () => true;
      const found = await failureOf(guardedExchange(options));
      expect(found).toEqual({ code: 'EGRESS_BLOCKED', category: 'policy', parks: false });
      expect([records, sent, reasons]).toEqual([[], [], ['host_not_declared']]);
    }
    const { options } = setUp();
    options.provider = { ...options.provider, host: 'MODELS.example:8443' };
    expect(await failureOf(guardedExchange(options))).toBe('none');
  });

  it('EGR-2: without a policy a request for a public host is refused, declared or not, and the job waits', async () => {
    for (const host of [undefined, 'models.example:8443']) {
      const { options, records, sent } = setUp();
      const asked: string[] = [];
      options.provider = { ...options.provider, host };
      Object.assign(options, { namesProviders: false, isInternal: (one: string) => asked.push(one) === 0 });
      const refused = { code: 'EGRESS_POLICY_MISSING', category: 'policy', parks: true };
      expect(await failureOf(guardedExchange(options))).toEqual(refused);
      expect(await failureOf(planEgress(options))).toEqual(refused);
      expect([records, sent, asked]).toEqual([[], [], ['models.example:8443', 'models.example:8443']]);
      options.isInternal = () => true;
      expect(await failureOf(guardedExchange(options))).toBe('none');
    }
  });

  it('EGR-4: the kill switch stops before anything is prepared, and again after the record', async () => {
    const killed = new CriticizerError('EGRESS_KILLED', 'stopped', { category: 'policy', parks: true });
    for (const stopAt of [1, 2]) {
      const { options, sent } = setUp();
      let checks = 0;
      options.killSwitch = {
        async check() {
          if (++checks === stopAt) throw killed;
        },
      };
      expect(await failureOf(guardedExchange(options))).toMatchObject({ code: 'EGRESS_KILLED', parks: true });
      expect(sent).toEqual([]);
    }
  });

  it('RED-10: a secret in the final bytes leaves neither record nor request', async () => {
    const { options, records, sent } = setUp('+ clean', { leak: true });
    expect(await failureOf(guardedExchange(options))).toEqual({
      code: 'EGRESS_BLOCKED',
      category: 'policy',
      parks: false,
    });
    expect([records, sent]).toEqual([[], []]);
  });

  it('RED-10: unminted text never reaches the provider', async () => {
    const { options, steps } = setUp();
    options.request = { ...options.request, turns: [{ role: 'user', text: { kind: 'criticizer.redacted-text' } }] };
    expect(await failureOf(guardedExchange(options))).toMatchObject({ code: 'EGRESS_BLOCKED' });
    expect(steps).toEqual(['kill']);
  });

  it('EGR-1: the record is of the bytes of all turns, and turns in another order are the caller’s mistake', async () => {
    const { options, records, sent } = setUp('+ first');
    const { pieces } = redactForLlm({ redactor, texts: ['an answer', 'again'].map((text) => ({ name: 't', text })) });
    const [first] = options.request.turns;
    const [answer, again] = pieces.map(({ text }) => text);
    if (first === undefined || answer === undefined || again === undefined) throw new Error('three texts were given');
    const turns: LlmTurn[] = [first, { role: 'assistant', text: answer }, { role: 'user', text: again }];
    options.request = { ...options.request, turns };
    await guardedExchange(options);
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ texts: ['+ first', 'an answer', 'again'] });
    expect(records[0]?.bytes).toBe(Buffer.byteLength(sent[0]?.body ?? ''));
    for (const wrong of [[], turns.slice(1), turns.slice(0, 2), [first, first, first]])
      await expect(planEgress({ ...options, request: { ...options.request, turns: wrong } })).rejects.toThrow(
        TypeError,
      );
    expect(records).toHaveLength(1);
  });

  it('INT-4: a preparation that takes too long parks, records nothing, and is told to end', async () => {
    const { options, records, sent } = setUp();
    const clock = createManualClock();
    let ended: unknown;
    options.provider.prepare = (_request, { signal, timeoutMs }) => {
      signal.addEventListener('abort', () => (ended = timeoutMs));
      return new Promise(() => undefined);
    };
    const failure = failureOf(guardedExchange({ ...options, clock, prepareTimeoutMs: 700 }));
    await clock.advance(699);
    expect(ended).toBeUndefined();
    await clock.advance(1);
    expect(await failure).toEqual({ code: 'LLM_PREPARE_TIMEOUT', category: 'network', parks: true });
    expect([ended, records, sent]).toEqual([700, [], []]);
  });

  it('an abort ends the wait for a preparation', async () => {
    const { options, sent } = setUp();
    const controller = new AbortController();
    options.signal = controller.signal;
    options.provider.prepare = () => {
      controller.abort(new CriticizerError('LEASE_LOST', 'lost', { category: 'conflict' }));
      return new Promise(() => undefined);
    };
    expect(await failureOf(guardedExchange(options))).toMatchObject({ code: 'LEASE_LOST' });
    expect(sent).toEqual([]);
  });

  it('EGR-3: a request that is prepared later is guarded, recorded and sent like one that is there at once', async () => {
    const { options, steps, records, sent } = setUp();
    const { prepare } = options.provider;
    options.provider.prepare = async (...given) => prepare(...given);
    await guardedExchange(options);
    expect(steps).toEqual(['kill', 'prepare', 'append', 'kill', 'send']);
    expect(records[0]?.bodySha256).toBe(
      createHash('sha256')
        .update(sent[0]?.body ?? '')
        .digest('hex'),
    );
    const leaking = setUp('+ clean', { leak: true });
    const leak = leaking.options.provider.prepare;
    leaking.options.provider.prepare = async (...given) => leak(...given);
    expect(await failureOf(guardedExchange(leaking.options))).toMatchObject({ code: 'EGRESS_BLOCKED' });
    expect(leaking.sent).toEqual([]);
  });

  it('an abort while the record is written sends nothing', async () => {
    const { options, sent } = setUp();
    const controller = new AbortController();
    options.signal = controller.signal;
    options.log = {
      ...options.log,
      append: async () => controller.abort(new CriticizerError('LEASE_LOST', 'lost', { category: 'conflict' })),
    };
    expect(await failureOf(guardedExchange(options))).toMatchObject({ code: 'LEASE_LOST' });
    expect(sent).toEqual([]);
  });
});

describe('planEgress', () => {
  it('EGR-3: gives the bytes the exchange sends, and does nothing else', async () => {
    const { options, steps, records, sent } = setUp();
    const plan = await planEgress(options);
    expect(steps).toEqual(['prepare']);
    await guardedExchange(options);
    expect(plan).toMatchObject({
      url: sent[0]?.url,
      promptVersion: '4.2',
      schemaVersion: '1.3',
      body: sent[0]?.body,
      host: 'models.example:8443',
      redactions: { marked: 1 },
    });
    expect(plan.bodySha256).toBe(records[0]?.bodySha256);
    expect(plan.paths).toEqual(records[0]?.paths);
  });

  it('RED-10: is blocked by what blocks the exchange', async () => {
    const { options } = setUp('+ clean', { leak: true });
    await expect(planEgress(options)).rejects.toThrow(expect.objectContaining({ code: 'EGRESS_BLOCKED' }));
  });
});
