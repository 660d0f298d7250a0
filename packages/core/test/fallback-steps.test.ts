import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../src/foundation/errors.js';
import { createFallback } from '../src/llm/fallback.js';
import type { LlmReply, StopState } from '../src/llm/llm-provider.js';
import type { SettingsInput } from '../src/settings/settings.js';
import { createMemoryTelemetry } from '../src/telemetry/memory-telemetry.js';
import { metric } from '../src/telemetry/names.js';
import { change, file, harness, reply, scriptedProvider } from './criticizer-harness.js';

const inside = '10.0.0.8';
const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: null, reasoningTokens: null };
const refusal = (stop: StopState = 'refused'): LlmReply => reply([], { stop, text: '', usage });
const down = new CriticizerError('NETWORK_REFUSED', 'no answer', { category: 'network' });
const files = ['a', 'b'].map((name) =>
  file(`//depot/${name}.ts`, Array(600).fill(`const ${name} = 1; // ${'x'.repeat(60)}`)),
);

interface Given {
  scripts: readonly (readonly (LlmReply | Error)[])[];
  onRefusal?: 'stop' | 'next';
  hosts?: readonly string[];
  settings?: SettingsInput;
}

/** A change of two chunks, one file each, reviewed by a fallback of providers `p0`, `p1`, … */
async function review({ scripts, onRefusal, hosts = [], settings }: Given) {
  const models = scripts.map((script, n) => scriptedProvider(script, `p${n}`));
  const limits = { contextTokens: 36_000, maxOutputTokens: 2_000 };
  const providers = models.map(({ provider }, n) => ({ ...provider, host: hosts[n] ?? inside, limits }));
  const telemetry = createMemoryTelemetry();
  const t = harness({
    change: change({ files }),
    more: {
      llm: createFallback(providers, onRefusal === undefined ? undefined : { onRefusal }),
      telemetry,
      settings: { ...settings, llm: { concurrency: 1, ...settings?.llm } },
    },
  });
  const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
  await t.criticizer.runDue({ until: 'idle' });
  const records = await t.stores.egress.list({ jobId: job.id, destination: 'llm' });
  return {
    sent: models.map(({ sent }) => sent),
    stored: await t.criticizer.review(job.id),
    status: (await t.stores.jobs.get([job.id]))[0]?.status,
    letters: (await t.stores.deadLetters.list({})).map(({ errorClass }) => errorClass),
    // Newest first in the list.
    egress: records.map(({ provider }) => provider).reverse(),
    counted: (name: string) =>
      telemetry.measurements
        .filter((one) => one.kind === 'count' && one.name === name)
        .map(({ attributes }) => Object.values(attributes)),
    exchanges: telemetry.measurements
      .filter((one) => one.kind === 'span' && one.name.startsWith('chat '))
      .map(({ attributes }) => [attributes['gen_ai.provider.name'], attributes['error.type']]),
  };
}

describe('a refusal in a fallback', () => {
  it.each([undefined, 'stop'] as const)(
    'EGR-2: is the answer by default (%s): nobody else is asked',
    async (onRefusal) => {
      const done = await review({ scripts: [[refusal()], [reply([])]], ...(onRefusal ? { onRefusal } : {}) });
      expect([done.letters, done.sent[1]]).toEqual([['LLM_REFUSED'], []]);
    },
  );

  it.each(['refused', 'content_filtered'] as const)(
    'OUT-9: with onRefusal next, what is %s goes to the next provider, and nothing else does',
    async (stop) => {
      const done = await review({ scripts: [[refusal(stop), reply([])], [reply([])]], onRefusal: 'next' });
      expect(done.sent.map((bodies) => bodies.length)).toEqual([2, 1]);
      expect(done.sent[1]?.[0]).toContain('const a = 1');
      expect(done.sent[1]?.[0]).not.toContain('const b = 1');
      expect(done.stored).toMatchObject({
        coverage: { complete: true },
        state: { verdict: 'no_findings', doubts: [] },
      });
      // The refused request was paid for, too.
      expect(done.stored?.usage.map(({ provider, replies }) => [provider, replies])).toEqual([
        ['p0', 2],
        ['p1', 1],
      ]);
    },
  );

  it('is a refusal where all refuse', async () => {
    const done = await review({ scripts: [[refusal()], [refusal()]], onRefusal: 'next' });
    expect([done.letters, done.sent.map((bodies) => bodies.length)]).toEqual([['LLM_REFUSED'], [2, 2]]);
  });

  it('EGR-2: does not go from inside the house to outside unless the policy names that provider for every path', async () => {
    const policy = [
      { paths: ['//...'], providers: ['p0'] },
      { paths: ['//depot/a.ts'], providers: ['p0', 'p1'] },
    ];
    const done = await review({
      scripts: [[refusal()], [reply([])]],
      onRefusal: 'next',
      hosts: [inside, 'api.vendor.example'],
      settings: { egress: { policy } },
    });
    expect([done.letters, done.sent[1]]).toEqual([['LLM_REFUSED'], []]);
  });

  it('is a TypeError for an option that is none', () => {
    const two = ['a', 'b'].map((id) => scriptedProvider([], id).provider);
    const wrong: object = { onRefusal: 'maybe' };
    expect(() => createFallback(two, wrong)).toThrow(TypeError);
    expect(() => createFallback(two, { onRefuse: 'next' } as object)).toThrow('onRefuse');
  });
});

describe('the steps of a review', () => {
  it('EGR-1: a failure, a refusal and a spent budget all stand in meta, telemetry and the egress log', async () => {
    const perPath = [{ name: 'b', paths: ['//depot/b.ts'], requests: 1 }];
    const done = await review({
      // p0 is out; p1 refuses a and answers b; p2 answers a.
      scripts: [[down], [refusal(), reply([])], [reply([])]],
      onRefusal: 'next',
      settings: { llm: { budget: { perPath } } },
    });
    const steps = [
      { code: 'provider_failed', provider: 'p0', reason: 'NETWORK_REFUSED', next: ['p1', 'p2'] },
      { code: 'provider_failed', provider: 'p1', reason: 'LLM_REFUSED', next: ['p2'] },
    ];
    expect(done.stored?.result.meta?.['steps']).toEqual(steps);
    expect(done.stored?.diagnostics.slice(0, 2)).toEqual(steps);
    expect(done.counted(metric.llmFallback)).toEqual([
      ['p0', 'NETWORK_REFUSED'],
      ['p1', 'LLM_REFUSED'],
    ]);
    expect(done.egress).toEqual(['p0', 'p1', 'p1', 'p2']);
    expect(done.exchanges).toEqual([
      ['p0', 'NETWORK_REFUSED'],
      ['p1', undefined],
      ['p1', undefined],
      ['p2', undefined],
    ]);
    expect(done.stored?.coverage.complete).toBe(true);
  });

  it('a spent budget of a path stands there too, and a review without a step has none', async () => {
    const perPath = [{ name: 'b', paths: ['//depot/b.ts'], cost: 0 }];
    const done = await review({ scripts: [[reply([])], [reply([])]], settings: { llm: { budget: { perPath } } } });
    expect(done.stored?.result.meta?.['steps']).toEqual([{ code: 'budget_spent', budget: 'path.b.cost' }]);
    expect(done.counted(metric.llmBudgetSpent)).toEqual([['path.b.cost']]);
    expect(done.egress).toEqual(['p0']);
    const straight = await review({ scripts: [[reply([])], [reply([])]] });
    expect(straight.stored?.result.meta).not.toHaveProperty('steps');
  });
});
