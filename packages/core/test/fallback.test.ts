import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../src/foundation/errors.js';
import { createFallback } from '../src/llm/fallback.js';
import type { LlmProvider } from '../src/llm/llm-provider.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { SettingsInput } from '../src/settings/settings.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { change, file, finding, harness, reply, scriptedProvider } from './criticizer-harness.js';

const down = new CriticizerError('NETWORK_REFUSED', 'no answer', { category: 'network' });
const inside = { host: '10.0.0.8:8000' };
const outside = { host: 'api.vendor.example' };

/** Two providers that stand in for each other; the first answers with `first`. */
function two(
  first: Parameters<typeof scriptedProvider>[0],
  more: {
    hosts?: readonly [object, object];
    settings?: SettingsInput;
    second?: Parameters<typeof scriptedProvider>[0];
  } = {},
) {
  const [a, b] = more.hosts ?? [inside, inside];
  const one = scriptedProvider(first, 'one');
  const other = scriptedProvider(more.second ?? [reply([finding()])], 'other');
  const providers: LlmProvider[] = [
    { ...one.provider, ...a },
    { ...other.provider, ...b },
  ];
  const t = harness({ more: { llm: createFallback(providers), settings: more.settings } });
  const review = async () => {
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    const { jobs } = await t.criticizer.runDue({ until: 'idle' });
    return {
      ends: jobs.map(({ stage, outcome, code }) => [stage, outcome, code]),
      job: (await t.stores.jobs.get([job.id]))[0],
    };
  };
  return { t, review, sent: { one: one.sent, other: other.sent } };
}

describe('createFallback', () => {
  it.each([
    ['is out of reach', down],
    ['has no quota left', new CriticizerError('LLM_QUOTA_EXHAUSTED', 'x', { category: 'policy' })],
    ['refuses its key', new CriticizerError('AUTH_DENIED', 'x', { category: 'auth', parks: true })],
    ['is overloaded', new CriticizerError('RATE_LIMITED', 'x', { category: 'rate_limit' })],
  ])('INT-4: where the first provider %s the second answers, and no attempt is spent', async (_what, error) => {
    const { t, review, sent } = two([error]);
    const { ends, job } = await review();
    expect(ends).toEqual([
      ['fetch', 'next', undefined],
      ['llm', 'next', undefined],
      ['notify', 'done', undefined],
    ]);
    expect([sent.one.length, sent.other.length, job?.attempts['llm']]).toEqual([1, 1, 1]);
    const stored = await t.criticizer.review(job?.id ?? '');
    expect(stored).toMatchObject({ coverage: { complete: true }, reviewers: [{ provider: 'other' }] });
    expect(stored?.diagnostics[0]).toEqual({
      code: 'provider_failed',
      provider: 'one',
      reason: error.code,
      next: ['other'],
    });
    // Every request was recorded, the failed one too.
    const records = await t.stores.egress.list({ jobId: job?.id });
    const asked = records.filter(({ destination }) => destination === 'llm').map(({ provider }) => provider);
    expect(asked).toEqual(['other', 'one']);
  });

  it('EGR-2: a review never goes from inside the house to outside by itself: it waits or is tried again', async () => {
    for (const hosts of [
      [inside, {}],
      [{}, {}],
    ] as const) {
      const { review, sent } = two([down], { hosts });
      expect((await review()).ends.at(-1)?.[0]).toBe('llm');
      expect(sent.other).toEqual([]);
    }
  });

  it('EGR-2: without a policy a fallback to a public host is refused before anything runs', () => {
    expect(() => two([down], { hosts: [inside, outside] })).toThrow('api.vendor.example');
  });

  it('EGR-2: the policy may name the outer provider for every path; from outside to inside is always allowed', async () => {
    const policy = [{ paths: ['//...'], providers: ['one', 'other'] }];
    expect(
      (await two([down], { hosts: [inside, outside], settings: { egress: { policy } } }).review()).job?.status,
    ).toBe('completed');
    const narrow = [{ paths: ['//...'], providers: ['one'] }];
    for (const from of [inside, outside]) {
      const kept = two([down], { hosts: [from, outside], settings: { egress: { policy: narrow } } });
      const waiting = await kept.review();
      expect([waiting.job?.status, waiting.ends.find(([stage]) => stage === 'llm')?.[2]]).toEqual([
        'queued',
        down.code,
      ]);
      expect(kept.sent.other).toEqual([]);
    }
    const inward = two([down], { hosts: [outside, inside], settings: { egress: { policy } } });
    expect((await inward.review()).job?.status).toBe('completed');
  });

  it('EGR-2: from inside to outside only one that may see every path follows, though another covers the rest', async () => {
    // `far` may see one of two paths, `near` both: the review must not be shared with `far`.
    const open = file('//depot/open/a.ts', ['const openCode = 1;']);
    const vault = file('//depot/vault/b.ts', ['const vaultCode = 2;']);
    const policy = [
      { paths: ['//depot/vault/...'], providers: ['one', 'near'] },
      { paths: ['//depot/open/...'], providers: ['one', 'far'] },
    ];
    const one = scriptedProvider([down], 'one');
    const far = scriptedProvider([reply([])], 'far');
    const near = scriptedProvider([reply([])], 'near');
    const llm = createFallback([
      { ...one.provider, ...inside },
      { ...far.provider, ...outside },
      { ...near.provider, ...inside },
    ]);
    const t = harness({ change: change({ files: [open, vault] }), more: { llm, settings: { egress: { policy } } } });
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.runDue({ until: 'idle' });
    expect((await t.stores.jobs.get([job.id]))[0]?.status).toBe('queued');
    expect([far.sent, near.sent]).toEqual([[], []]);
  });

  it('EGR-2: two models with two sets of paths both review, each body with its permitted paths alone', async () => {
    const names = ['open', 'vault'] as const;
    const files = names.flatMap((dir) =>
      ['a', 'b', 'c'].map((n) =>
        file(`//depot/${dir}/${n}.ts`, Array(300).fill(`const ${dir}Code = '${n}'; // ${'x'.repeat(60)}`)),
      ),
    );
    const policy = names.map((dir) => ({ paths: [`//depot/${dir}/...`], providers: [`for-${dir}`] }));
    const models = names.map((dir) => scriptedProvider([reply([])], `for-${dir}`));
    // The windows differ: each share is planned under its own model's.
    const llm = createFallback(
      models.map(({ provider }, n) => ({
        ...provider,
        host: n === 0 ? outside.host : inside.host,
        limits: { contextTokens: n === 0 ? 100_000 : 24_000, maxOutputTokens: 2_000 },
      })),
    );
    const t = harness({ change: change({ files }), more: { llm, settings: { egress: { policy } } } });
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.runDue({ until: 'idle' });
    const [ofOpen, ofVault] = models.map(({ sent }) => sent);
    expect([ofOpen?.length, (ofVault?.length ?? 0) > 1]).toEqual([1, true]);
    for (const body of ofOpen ?? [])
      expect([/openCode/.test(body), /vaultCode|depot.vault/.test(body)]).toEqual([true, false]);
    for (const body of ofVault ?? [])
      expect([/vaultCode/.test(body), /openCode|depot.open/.test(body)]).toEqual([true, false]);
    expect((await t.criticizer.review(job.id))?.coverage.complete).toBe(true);
    const records = await t.stores.egress.list({ jobId: job.id, destination: 'llm' });
    for (const { provider, paths } of records)
      expect(paths.filter((path) => !path.startsWith(`//depot/${provider.slice('for-'.length)}/`))).toEqual([]);
    expect(new Set(records.flatMap(({ paths }) => paths)).size).toBe(6);
  });

  it('INT-4: each provider has its own breaker: one that is out is not sent to again, the other goes on', async () => {
    const one = scriptedProvider([down], 'one');
    const other = scriptedProvider([reply([])], 'other');
    const llm = createFallback([
      { ...one.provider, ...inside },
      { ...other.provider, ...inside },
    ]);
    const clock = createManualClock();
    const t = harness({ more: { llm, clock, stores: createMemoryStores({ clock }) } });
    for (const reviewVersion of [1, 2, 3]) {
      await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion });
      await t.criticizer.runDue({ until: 'idle' });
    }
    // One request opened the first one's breaker; nothing was sent to it, or recorded for it, again.
    expect([one.sent.length, other.sent.length]).toEqual([1, 3]);
    const records = await t.stores.egress.list({ destination: 'llm' });
    expect(records.filter(({ provider }) => provider === 'one')).toHaveLength(1);
  });

  it('INT-4: where every provider is out the failure of the last one stands', async () => {
    const busy = new CriticizerError('UPSTREAM_OVERLOADED', 'x', { category: 'upstream' });
    const { review } = two([down], { second: [busy] });
    const { ends } = await review();
    expect(ends.find(([stage]) => stage === 'llm')).toEqual(['llm', 'retry', 'UPSTREAM_OVERLOADED']);
  });

  it('GRD-1: what the first has read stays; only the files that are left go to the second', async () => {
    const files = ['a', 'b', 'c', 'd'].map((name) =>
      file(`//depot/${name}.ts`, Array(400).fill(`const ${name} = 1; // ${'x'.repeat(60)}`)),
    );
    const one = scriptedProvider([reply([finding({ file: '//depot/a.ts' })]), down], 'one');
    const other = scriptedProvider([reply([])], 'other');
    const small = { limits: { contextTokens: 30_000, maxOutputTokens: 2_000 }, ...inside };
    const llm = createFallback([
      { ...one.provider, ...small },
      { ...other.provider, ...small },
    ]);
    const t = harness({ change: change({ files }), more: { llm, settings: { llm: { concurrency: 1 } } } });
    const id = await t.run();
    await t.criticizer.stop();
    const review = await t.criticizer.review(id);
    expect(review?.coverage.complete).toBe(true);
    expect(review?.result.findings).toHaveLength(1);
    const seen = other.sent.join('\n');
    expect(one.sent).toHaveLength(2);
    expect(seen).not.toContain('const a = 1');
    expect(seen).toContain('const d = 1');
  });

  it('wants two providers', () => {
    expect(() => createFallback([scriptedProvider([], 'a').provider])).toThrow('at least two');
  });

  it('wants a list of providers, each with an id of its own', () => {
    const call = createFallback as (providers?: unknown) => unknown;
    for (const wrong of [undefined, {}, null])
      expect(() => call(wrong)).toThrow(/^createFallback: providers: expected an array/);
    const [a, b] = [scriptedProvider([], 'a').provider, scriptedProvider([], 'b').provider];
    for (const wrong of [undefined, null, {}, [b], createFallback([a, b]), 'b'])
      expect(() => call([a, wrong])).toThrow(/^createFallback: providers\[1\]: expected an LlmProvider/);
    expect(() => call([a, { ...b, id: 3 }])).toThrow(/^createFallback: providers\[1\]\.id: expected a string/);
    expect(() => call([a, b, { ...b }])).toThrow(
      /^createFallback: providers\[2\]\.id: .*"b" is that of providers\[1\]/,
    );
  });
});
