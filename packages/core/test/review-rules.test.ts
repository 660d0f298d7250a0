import { describe, expect, it } from 'vitest';
import { resolveSettings, type SettingsInput } from '../src/settings/settings.js';
import { compileReviewRules } from '../src/stages/llm/guidance/review-rules.js';
import { createMarkerRedactor } from '../src/testing/support/marker-redactor.js';
import { change, file, finding, harness, reply, scriptedProvider } from './criticizer-harness.js';

type Rules = NonNullable<NonNullable<SettingsInput['review']>['rules']>;

const net = file('//depot/net/a.ts', ['const netCode = 1;']);
const ui = file('//depot/ui/b.ts', ['const uiCode = 2;']);
const both = change({ description: 'Speaks of both sides', files: [net, ui] });
const netRule = { paths: ['//depot/net/...', '//other/...'], instructions: 'Timeouts are in milliseconds.' };
const allRule = { paths: ['//DEPOT/...'], instructions: 'Names are English.' };

const systemOf = (body: string | undefined): string => (JSON.parse(body ?? '{}') as { system: string }).system;
const rulesOf = (body: string | undefined): string | undefined => systemOf(body).split("# The team's own rules\n")[1];

/** One review of the change under these rules, by a model for each part of it where there are two. */
async function review(rules: Rules, more: { settings?: SettingsInput; ids?: readonly string[] } = {}) {
  const found = [
    finding({ file: '//depot/net/a.ts' }),
    finding({ id: 'f2', file: '//depot/ui/b.ts', severity: 'low' }),
  ];
  const models = (more.ids ?? ['house']).map((id) => scriptedProvider([reply(found)], id));
  const { settings } = more;
  const t = harness({
    change: both,
    more: {
      llm: models.map(({ provider }) => provider),
      settings: { ...settings, review: { ...settings?.review, rules } },
    },
  });
  const id = await t.run();
  await t.criticizer.stop();
  const job = await t.stores.jobs.get([id]);
  return { t, sent: models.map((one) => one.sent), review: await t.criticizer.review(id), result: job[0]?.result };
}

describe('rules of the team', () => {
  it('PR-3: each that matches a file of the request is told once, in order, by the paths that match', async () => {
    const twice = { paths: ['//depot/net/a.ts', '//depot/ui/...'], instructions: ' Prefer const.\r\nAlways. ' };
    const { sent } = await review([netRule, { paths: ['//else/...'], instructions: 'Never told.' }, twice, allRule]);
    expect(rulesOf(sent[0]?.[0])).toBe(
      [
        'The team wrote these. Each holds for the files that it names and for no other.',
        '',
        'Files under //depot/net/...:',
        'Timeouts are in milliseconds.',
        '',
        'Files under //depot/net/a.ts, //depot/ui/...:',
        'Prefer const.',
        'Always.',
        '',
        'Files under //DEPOT/...:',
        'Names are English.',
        '',
      ].join('\n'),
    );
    expect(systemOf((await review([])).sent[0]?.[0])).not.toContain("# The team's own rules");
  });

  it('PR-3: a request has those of its own files alone, and the dry run has the same bytes', async () => {
    const policy = [
      { paths: ['//depot/net/...'], providers: ['first'] },
      { paths: ['//depot/ui/...'], providers: ['second'] },
    ];
    const { t, sent } = await review([netRule], { settings: { egress: { policy } }, ids: ['first', 'second'] });
    expect(sent.map(([body]) => rulesOf(body)?.includes('milliseconds') ?? false)).toEqual([true, false]);
    const plan = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
    expect(plan.kind === 'planned' && plan.requests.map(({ body }) => body)).toEqual(sent.flat());
  });

  it('PR-3: the review says by a hash which rules the model was told', async () => {
    const hash = async (rules: Rules) => (await review(rules)).review?.result.meta?.['instructions_hash'];
    const [one, same, other] = [await hash([netRule]), await hash([netRule]), await hash([netRule, allRule])];
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect([same === one, other === one]).toEqual([true, false]);
    expect(await hash([{ paths: ['//else/...'], instructions: 'Never told.' }])).toBeUndefined();
  });

  it('PR-3: instructions take their part of the window, so that the plan counts them', async () => {
    const lines = ['a', 'b'].map((name) => file(`//depot/net/${name}.ts`, [`// ${name.repeat(3_000)}`]));
    /** Requests that it takes to show both files in a window of this size; 0 where they do not fit. */
    const count = async (contextTokens: number, rules: Rules): Promise<number> => {
      const llm = { ...scriptedProvider([]).provider, limits: { contextTokens, maxOutputTokens: 256 } };
      const t = harness({ change: change({ files: lines }), more: { llm, settings: { review: { rules } } } });
      const plan = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
      return plan.kind === 'planned' && plan.withheldPaths.length === 0 ? plan.requests.length : 0;
    };
    let window = 5_000;
    while ((await count(window, [])) !== 1) window += 250;
    expect(await count(window, [{ paths: ['//depot/net/...'], instructions: 'n'.repeat(2_000) }])).toBe(2);
  });

  it('INT-3: the last rule with a floor sets it for findings in its files, and what it hides is counted', async () => {
    const floors: Rules = [
      { paths: ['//depot/...'], severityFloor: 'critical' },
      { paths: ['//depot/ui/...'], severityFloor: 'low' },
    ];
    const { t, result } = await review(floors, { settings: { review: { severityFloor: 'medium' } } });
    const [{ mail } = { mail: undefined }] = t.mailer.accepted();
    const shown = JSON.parse(mail?.text ?? '') as { result: { findings: { file: string }[] }; notShown: object };
    expect(shown.result.findings.map((one) => one.file)).toEqual(['//depot/ui/b.ts']);
    expect(shown.notShown).toEqual({ belowFloor: 1, floor: 'critical', overCap: 0 });
    expect(result).toMatchObject({ findingsBelowFloor: 1, severityFloor: 'critical', findings: { low: 1, high: 0 } });
    expect((await review([floors[1] as Rules[number]])).result).toMatchObject({ findingsBelowFloor: 0 });
  });

  it('EGR-2: the provider of a rule reviews its files where the policy lets it, the first one the rest', async () => {
    const prefers: Rules = [{ paths: ['//depot/ui/...'], provider: 'second' }];
    const ids = ['first', 'second'];
    const free = await review(prefers, { ids });
    expect(free.sent.map(([body]) => [body?.includes('netCode'), body?.includes('uiCode')])).toEqual([
      [true, false],
      [false, true],
    ]);
    for (const [body] of free.sent) expect(body).toContain('Speaks of both sides');
    // A provider that may see the files of its rule and not all of the change gets no description.
    const policy = [
      { paths: ['//depot/...'], providers: ['first'] },
      { paths: ['//depot/ui/...'], providers: ['first', 'second'] },
    ];
    const bound = await review(prefers, { ids, settings: { egress: { policy } } });
    expect(bound.sent.map(([body]) => body?.includes('Speaks of both sides'))).toEqual([true, false]);
    // One that may see some of the rule's files is not used for the others.
    const narrow = [
      { paths: ['//depot/...'], providers: ['first'] },
      { paths: ['//depot/ui/inner/...'], providers: ['second'] },
    ];
    const denied = await review(prefers, { ids, settings: { egress: { policy: narrow } } });
    expect(denied.sent.map((bodies) => bodies.length)).toEqual([1, 0]);
  });
});

describe('rules that the start refuses', () => {
  const wire = (rules: Rules, settings: SettingsInput = {}) =>
    harness({ more: { settings: { ...settings, review: { rules } } } });
  const policy = [{ paths: ['//depot/...'], providers: ['scripted'] }];

  it.each<[string, Rules, RegExp]>([
    ['a provider that is not wired', [{ paths: ['//...'], provider: 'nobody' }], /review\.rules: no provider nobody/],
    [
      'a provider that may see none of its paths',
      [{ paths: ['//vault/...'], provider: 'scripted' }],
      /rules\.0\.provider/,
    ],
    ['a pattern that matches nothing', [{ paths: ['//depot/a/'], severityFloor: 'low' }], /review\.rules\.0\.paths/],
    [
      'a secret in the instructions',
      [{ paths: ['//...'], instructions: 'Use secret-abcd.' }],
      /0\.instructions: line 1/,
    ],
  ])('EGR-2: %s', (_what, rules, said) => {
    expect(() => wire(rules, { egress: { policy } })).toThrow(said);
  });

  it.each<[string, Rules, RegExp]>([
    ['nothing to do', [{ paths: ['//...'], instructions: ' ' }], /expected instructions, severityFloor or provider/],
    ['long instructions', [{ paths: ['//...'], instructions: 'é'.repeat(2_049) }], /at most 4096 bytes/],
    [
      'long instructions together',
      Array.from({ length: 5 }, () => ({ paths: ['//...'], instructions: 'n'.repeat(3_300) })),
      /at most 16384 bytes/,
    ],
    ['no paths', [{ paths: [], instructions: 'x' }], /rules\.0\.paths/],
    ['an unknown key', [{ paths: ['//...'], instruction: 'x' } as never], /known keys are paths, instructions/],
  ])('PR-3: %s', (_what, rules, said) => {
    expect(() => resolveSettings({ review: { rules } })).toThrow(said);
  });

  it('PR-3: a path that reads like a secret is not told', () => {
    const { rules } = resolveSettings({
      review: { rules: [{ paths: ['//depot/maybe-abcd/...', '//depot/*'], instructions: 'Check units.' }] },
    }).review;
    const compiled = compileReviewRules(rules, createMarkerRedactor());
    expect(compiled.findInstructions(['//depot/maybe-abcd/a.c'])).toEqual([
      { paths: [], instructions: 'Check units.' },
    ]);
  });
});
