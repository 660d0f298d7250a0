import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCriticizer } from '../src/criticizer.js';
import { pipelineActor } from '../src/foundation/actor.js';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { builtInVariant } from '../src/prompt/built-in-variant.js';
import { createMarkerRedactor } from '../src/testing/support/marker-redactor.js';
import type { JobKind } from '../src/worker/run/stage.js';
import { change, file, finding, harness, reply, scriptedProvider, sharedArtifacts } from './criticizer-harness.js';
import { flipKillSwitch } from './flip-kill-switch.js';

describe('a review from submit to mail', () => {
  it('NOT-10: completes when every required recipient has the mail, with counts and nothing else in the row', async () => {
    const t = harness();
    const id = await t.run();
    await t.criticizer.stop();
    const status = await t.criticizer.status(id);
    expect(status?.job).toMatchObject({
      status: 'completed',
      result: { verdict: 'findings', mails: 1, mailsSent: 1, filesReviewed: 1 },
    });
    expect(t.mailer.accepted()).toHaveLength(1);
    expect(JSON.stringify(status?.job)).not.toContain('A message');
  });

  it('EGR-1: the record of what left is committed, with the digest of exactly what was sent', async () => {
    const t = harness();
    await t.run();
    await t.criticizer.stop();
    const records = await t.stores.egress.list({ changelistId: 'main/7', destination: 'llm' });
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      provider: 'scripted',
      host: 'model.test.internal',
      bytes: Buffer.byteLength(t.sent[0] ?? ''),
    });
  });

  it('EGR-1: when the record cannot be committed nothing is sent', async () => {
    const t = harness();
    t.stores.egress.append = async () => {
      throw new CriticizerError('STORE_DOWN', 'x', { category: 'network' });
    };
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    const end = await t.seen((e) => e.type === 'stage.ended' && e.stage === 'llm');
    await t.criticizer.stop();
    expect(end).toMatchObject({ outcome: 'wait', code: 'EGRESS_UNRECORDED' });
    expect(t.sent).toEqual([]);
    expect((await t.criticizer.status(job.id))?.job.attempts['llm']).toBe(0);
  });

  it('RED-1: a secret of the change is in no request, no mail and no row', async () => {
    const secret = ['secret', 'abcdefgh'].join('-');
    const t = harness({
      change: change({ description: `uses ${secret}`, files: [file('//depot/a.ts', [`const key = '${secret}';`])] }),
      script: [reply([finding({ message: `you wrote ${secret}` })])],
    });
    const id = await t.run();
    await t.criticizer.stop();
    const everything = [
      ...t.sent,
      ...t.mailer.accepted().map((m) => m.mail.text),
      JSON.stringify(await t.criticizer.status(id)),
      JSON.stringify(await t.criticizer.review(id)),
    ];
    for (const text of everything) expect(text).not.toContain(secret);
    expect(t.sent.join()).toContain('[REDACTED:marked#1]');
  });

  it('RED-1 OUT-8 ART-5: a secret in a path reaches no model; a finding about its alias names the true path in mail and review (ruling R15)', async () => {
    const secret = ['secret', 'abcdefgh'].join('-');
    const [path, oldPath] = [`//depot/${secret}/a.ts`, `//depot/old/${secret}.ts`];
    const alias = '//depot/@alias-1/a.ts';
    const t = harness({
      change: change({ files: [file(path, ['const a = 1;'], { oldPath })] }),
      script: [
        reply([
          finding({ file: alias, message: `as in //depot/old/@alias-2.ts` }),
          finding({ id: 'f2', file: '//depot/@alias-9/a.ts' }),
        ]),
      ],
    });
    const id = await t.run();
    await t.criticizer.stop();
    expect(t.sent.join()).not.toContain(secret);
    expect(t.sent.join()).toContain(alias);
    const stranger = { type: 'admin_user', id: 'eve' } as const;
    await expect(t.criticizer.review(id, { actor: stranger })).rejects.toMatchObject({
      code: 'ARTIFACT_ACCESS_DENIED',
    });
    expect(JSON.stringify(await t.criticizer.review(id))).not.toContain(secret);
    expect(t.criticizer.operate).toBeNull();
    const review = await t.criticizer.review(id, { actor: pipelineActor });
    expect(review?.result.findings).toMatchObject([{ file: path, message: `as in ${oldPath}` }]);
    expect(review?.coverage.files).toMatchObject([{ path }]);
    expect(review?.diagnostics).toMatchObject([{ code: 'finding_dropped', reason: 'file_not_in_changed_files' }]);
    const mail = JSON.parse(t.mailer.accepted()[0]?.mail.text ?? '{}');
    expect(mail.result.findings[0]).toMatchObject({ file: path });
    const [record] = await t.stores.egress.list({ destination: 'llm' });
    expect(record?.paths).toEqual(['//depot/[REDACTED:marked#1]/a.ts', '//depot/old/[REDACTED:marked#1].ts']);
    // The review rests redacted; the mail, which is not, rests among the raw artifacts (ART-5).
    const status = await t.criticizer.status(id);
    const ids = [status?.job.outputs['llm.review'], status?.mails[0]?.messageArtifactId].map((one) => one ?? '');
    expect((await t.stores.artifactManifest.get(ids)).map((row) => row?.namespace)).toEqual(['redacted', 'raw']);
  });

  it('GRD-2: mail and review show where the change has the quoted code, and doubt what it does not have', async () => {
    const lines = Array.from({ length: 120 }, (_, at) => `call_${at + 1}();`);
    const sent = [
      finding({ id: 'moved', line: 2, end_line: 3, title: 'Moved' }),
      finding({ id: 'nowhere', line: 4_000, severity: 'critical', title: 'Nowhere' }),
      finding({ id: 'gone', file: '//depot/gone.ts', severity: 'critical', title: 'Gone' }),
    ];
    const quotes = { moved: 'call_101();' };
    const text = JSON.stringify({
      schema_version: builtInVariant.schemaVersion,
      prompt_version: builtInVariant.promptVersion,
      findings: sent,
      meta: { quotes },
    });
    const t = harness({
      change: change({
        files: [file('//depot/a.ts', lines), file('//depot/gone.ts', [], { skipped: 'deleted', hunks: [] })],
      }),
      script: [reply([], { text })],
    });
    const id = await t.run();
    await t.criticizer.stop();
    const expected = [
      { title: 'Moved', severity: 'high', place: { line: 101, endLine: 102, status: 'moved' } },
      {
        title: 'Nowhere',
        severity: 'medium',
        place: { line: null, status: 'unverified' },
        model: { severity: 'critical', line: 4_000 },
      },
      { title: 'Gone', severity: 'medium', place: { line: null, status: 'unverified' } },
    ];
    expect((await t.criticizer.review(id))?.findings).toMatchObject(expected);
    const content = JSON.parse(t.mailer.accepted()[0]?.mail.text ?? '{}');
    expect(content.result.findings).toMatchObject(expected);
    expect(content.warnings.join()).toContain('2 findings without a confirmed place');
    expect((await t.criticizer.status(id))?.job.result).toMatchObject({
      findings: { critical: 0, high: 1, medium: 2 },
    });
  });

  it('EGR-2: where a file came from is seen by the model too, so the policy is asked about it', async () => {
    const renamed = change({
      files: [file('//depot/open/a.ts', ['const a = 1;'], { oldPath: '//depot/closed/a.ts' })],
    });
    const settings = {
      egress: {
        policy: [
          { paths: ['//depot/...'], providers: ['scripted'] },
          { paths: ['//depot/closed/...'], providers: [] },
        ],
      },
    };
    const t = harness({ change: renamed, more: { settings } });
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    const end = await t.seen((e) => e.type === 'stage.ended' && e.stage === 'llm');
    await t.criticizer.stop();
    expect(end).toMatchObject({ outcome: 'wait', code: 'EGRESS_PROVIDER_DENIED' });
    expect(t.sent).toEqual([]);
  });

  it('NOT-2: the same version is the same job; a lower one is refused; a higher one is a review of its own', async () => {
    const t = harness();
    const id = await t.run(2);
    const again = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 2 });
    expect(again).toMatchObject({ outcome: 'duplicate', job: { id } });
    expect((await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 })).outcome).toBe(
      'older-version',
    );
    const next = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 3 });
    expect(next.outcome).toBe('enqueued');
    await t.seen((e) => e.jobId === next.job.id && e.type === 'stage.ended' && e.outcome === 'done');
    await t.criticizer.stop();
    expect(new Set(t.mailer.accepted().map((m) => m.key)).size).toBe(2);
  });
});

describe('changes that are not reviewed', () => {
  it.each([
    ['tag', change({ description: 'quick fix #noreview' })],
    ['empty', change({ files: [] })],
    ['binary_only', change({ files: [file('//depot/a.png', [], { skipped: 'binary', hunks: [] })] })],
    ['kind', change({ kind: 'pending' })],
    ['restricted', { skipped: 'restricted' as const, detail: 'hidden' }],
  ])('INT-1: ends with the stored reason %s and asks no model', async (reason, given) => {
    const t = harness({ change: given });
    const id = await t.run();
    await t.criticizer.stop();
    expect((await t.criticizer.status(id))?.job).toMatchObject({ status: 'completed', result: { skipped: reason } });
    expect(t.sent).toEqual([]);
    expect(t.mailer.accepted()).toEqual([]);
  });

  it('INT-3: nobody to tell, or nothing to say where the setting asks for silence, completes without mail', async () => {
    const nobody = harness({ change: change({ userMail: null }) });
    const first = await nobody.run();
    await nobody.criticizer.stop();
    expect((await nobody.criticizer.status(first))?.job).toMatchObject({ status: 'completed', result: { mails: 0 } });
    const quiet = harness({ script: [reply([])], more: { settings: { mail: { whenNothingToSay: false } } } });
    const second = await quiet.run();
    await quiet.criticizer.stop();
    expect((await quiet.criticizer.status(second))?.job).toMatchObject({
      status: 'completed',
      result: { verdict: 'no_findings', mails: 0 },
    });
  });

  it('INT-3: the severity floor hides findings from the mail and says how many', async () => {
    const t = harness({
      script: [reply([finding(), finding({ id: 'f2', severity: 'info', line: 2 })])],
      more: { settings: { review: { severityFloor: 'high' } } },
    });
    await t.run();
    await t.criticizer.stop();
    const content = JSON.parse(t.mailer.accepted()[0]?.mail.text ?? '{}');
    expect(content.result.findings).toHaveLength(1);
    expect(content.warnings.join()).toContain('1 finding below "high"');
  });
});

describe('failures', () => {
  const outage = new CriticizerError('NETWORK_RESET', 'x', { category: 'network' });

  it('ERR-5: a stage has five attempts of its own, then a dead letter with its metadata', async () => {
    const t = harness({ script: [outage], more: { settings: { retry: { outageAfter: null } } } });
    const id = await t.run();
    await t.criticizer.stop();
    const job = (await t.criticizer.status(id))?.job;
    expect(job).toMatchObject({ status: 'failed', stage: 'llm', attempts: { fetch: 1, llm: 5 } });
    const [letter] = await t.stores.deadLetters.list({});
    expect(letter).toMatchObject({
      jobId: id,
      stage: 'llm',
      errorClass: 'NETWORK_RESET',
      category: 'network',
      attempts: 5,
      status: 'open',
    });
  });

  it('ERR-4: a reply that cannot be used is asked for once more, then dead-lettered without retries', async () => {
    const t = harness({ script: [reply([], { text: 'I would rather talk about the weather.' })] });
    const id = await t.run();
    await t.criticizer.stop();
    expect(t.sent).toHaveLength(2);
    expect((await t.criticizer.status(id))?.job.attempts['llm']).toBe(1);
    expect((await t.stores.deadLetters.list({}))[0]).toMatchObject({
      errorClass: 'SCHEMA_INVALID',
      category: 'validation',
    });
  });

  it('ERR-8: what a dead letter keeps of an error holds no secret', async () => {
    const secret = ['secret', 'ijklmnop'].join('-');
    const t = harness({
      script: [
        new CriticizerError('LLM_BROKEN', `the body was ${secret}`, {
          category: 'validation',
          cause: new Error(secret),
        }),
      ],
    });
    await t.run();
    await t.criticizer.stop();
    expect(JSON.stringify(await t.stores.deadLetters.list({}))).not.toContain(secret);
  });

  it('ERR-9: a replay goes on from the failed stage with what the earlier ones made', async () => {
    const t = harness({
      script: [new CriticizerError('LLM_BROKEN', 'x', { category: 'validation' }), reply([finding()])],
    });
    const id = await t.run();
    const [letter] = await t.stores.deadLetters.list({});
    const replayed = await t.stores.deadLetters.replay({
      deadLetterId: letter?.id ?? '',
      stage: 'llm',
      fromStart: false,
      actor: { type: 'admin_user' as const, id: 'op' },
      evidence: 'fixed',
    });
    expect(replayed).toBe('replayed');
    await t.seen((e) => e.type === 'stage.ended' && e.outcome === 'done');
    await t.criticizer.stop();
    expect(t.events.filter((e) => e.type === 'stage.started' && e.stage === 'fetch')).toHaveLength(1);
    expect((await t.criticizer.status(id))?.job.status).toBe('completed');
  });

  it('INT-4: a credential outage parks the stage: no attempt spent, no dead letter, and it resumes by itself', async () => {
    const expired = new CriticizerError('AUTH_EXPIRED', 'x', { category: 'auth', parks: true });
    const t = harness({ script: [expired, expired, reply([finding()])] });
    const id = await t.run();
    await t.criticizer.stop();
    expect((await t.criticizer.status(id))?.job).toMatchObject({ status: 'completed', attempts: { llm: 1 } });
    expect(await t.stores.deadLetters.list({})).toEqual([]);
  });

  it('EGR-4: the kill switch parks reviews without spending attempts, and they go on when it is lifted', async () => {
    const t = harness();
    const flip = (stopped: boolean) => flipKillSwitch(t.stores, stopped);
    await flip(true);
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    expect(await t.seen((e) => e.type === 'stage.ended' && e.stage === 'llm')).toMatchObject({
      outcome: 'wait',
      code: 'EGRESS_KILLED',
    });
    expect(t.sent).toEqual([]);
    await flip(false);
    await t.seen((e) => e.type === 'stage.ended' && e.outcome === 'done');
    await t.criticizer.stop();
    expect((await t.criticizer.status(job.id))?.job.attempts['llm']).toBe(1);
  });

  it('EGR-2: a change no permitted provider may see is not sent, and waits', async () => {
    const t = harness({
      more: { settings: { egress: { policy: [{ paths: ['//depot/other/...'], providers: ['scripted'] }] } } },
    });
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    expect(await t.seen((e) => e.type === 'stage.ended' && e.stage === 'llm')).toMatchObject({
      outcome: 'wait',
      code: 'EGRESS_PROVIDER_DENIED',
    });
    await t.criticizer.stop();
    expect(t.sent).toEqual([]);
    expect(t.securityEvents.events.map((e) => e.type)).toContain('egress.blocked');
  });

  it('WQ-12: a job whose payload does not fit, or whose kind lost its stage, is dead-lettered before it runs', async () => {
    const t = harness();
    const { jobs } = t.stores;
    await jobs.enqueue([
      { kind: 'review', payload: { nonsense: true }, stage: 'fetch', idempotencyKey: 'a' },
      { kind: 'review', payload: { serverId: 'main', number: 7, recipients: [] }, stage: 'gone', idempotencyKey: 'b' },
    ]);
    await t.criticizer.start();
    await t.seen((e) => e.type === 'stage.ended' && e.code === 'SCHEMA_INVALID');
    await t.seen((e) => e.type === 'stage.ended' && e.code === 'STAGE_UNKNOWN');
    await t.criticizer.stop();
    const classes = (await t.stores.deadLetters.list({})).map((letter) => [letter.errorClass, letter.escalation]);
    expect(classes.sort()).toEqual([
      ['SCHEMA_INVALID', 'operator'],
      ['STAGE_UNKNOWN', 'page'],
    ]);
  });
});

describe('EGR-3: the dry run', () => {
  it('EGR-3: gives the exact request, stores nothing and asks nobody', async () => {
    const t = harness({
      change: change({
        files: [file('//depot/a.ts', ['const a = 1;']), file('//depot/a.png', [], { skipped: 'binary', hunks: [] })],
      }),
    });
    const run = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
    expect(run).toMatchObject({ kind: 'planned', withheldPaths: [{ path: '//depot/a.png', reason: 'binary' }] });
    if (run.kind !== 'planned') return;
    expect(run.requests).toHaveLength(1);
    expect(run.requests[0]?.body).toContain('const a = 1;');
    expect(t.sent).toEqual([]);
    expect(await t.stores.jobs.list({})).toEqual([]);
    expect(await t.stores.egress.list({})).toEqual([]);
  });
});

describe('rules that changed under way', () => {
  it('ART-6: a snapshot made by other rules is made anew from the raw change before anything is sent', async () => {
    const stores = createMemoryStores();
    const parts = { stores, artifacts: sharedArtifacts() };
    const first = harness({
      script: [new CriticizerError('LLM_DOWN', 'x', { category: 'auth', parks: true })],
      more: { ...parts, settings: { retry: { parkMs: 100 } } },
    });
    const { job } = await first.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await first.criticizer.start();
    await first.seen((e) => e.type === 'stage.ended' && e.stage === 'llm');
    await first.criticizer.stop();
    const before = (await first.criticizer.status(job.id))?.job.outputs['fetch.redacted'];
    const second = harness({ more: { ...parts, redactor: createMarkerRedactor('2.0.0') } });
    await second.criticizer.start();
    await second.seen((e) => e.type === 'stage.ended' && e.outcome === 'done');
    await second.criticizer.stop();
    const status = await second.criticizer.status(job.id);
    expect(status?.job.status).toBe('completed');
    expect(status?.job.outputs['fetch.redacted']).not.toBe(before);
    expect((await stores.egress.list({ destination: 'llm' }))[0]).toMatchObject({ rulesVersion: '2.0.0' });
    expect(second.securityEvents.events).toEqual([]);
  });
});

describe('host kinds', () => {
  it('runs a host kind on the same queue, stage by stage, with checkpoints', async () => {
    const ran: string[] = [];
    const invoices: JobKind<{ month: string }> = {
      kind: 'invoices',
      payload: z.strictObject({ month: z.string() }),
      stages: [
        {
          name: 'collect',
          async run({ payload }) {
            ran.push(`collect ${payload.month}`);
            return { kind: 'next' };
          },
        },
        {
          name: 'send',
          async run() {
            ran.push('send');
            return { kind: 'done', result: { sent: 3 } };
          },
        },
      ],
    };
    const t = harness({ more: { kinds: [invoices] } });
    const [enqueued] = await t.criticizer.enqueue([
      { kind: 'invoices', payload: { month: '2026-11' }, stage: 'collect', idempotencyKey: 'invoices-2026-11' },
    ]);
    await t.criticizer.start();
    await t.seen((e) => e.type === 'stage.ended' && e.outcome === 'done');
    await t.criticizer.stop();
    expect(ran).toEqual(['collect 2026-11', 'send']);
    expect((await t.criticizer.status(enqueued?.job.id ?? ''))?.job).toMatchObject({
      status: 'completed',
      result: { sent: 3 },
    });
  });
});

describe('wiring', () => {
  it('refuses facets of different stores, missing parts and doubled names, naming the option', () => {
    const bad = (more: object) => () => harness({ more });
    expect(bad({ stores: { ...createMemoryStores(), jobs: createMemoryStores().jobs } })).toThrow(/stores\.jobs/);
    expect(bad({ mailer: undefined })).toThrow(TypeError);
    expect(bad({ llm: [] })).toThrow(/llm/);
    expect(bad({ changes: [] })).toThrow(/changes/);
    expect(bad({ setting: {} })).toThrow(/setting: unknown option; did you mean settings\?/);
    expect(bad({ recipients: [] })).toThrow(/recipients/);
    expect(bad({ logger: {} })).toThrow(/logger/);
    expect(bad({ kinds: 5 })).toThrow(/kinds/);
    expect(bad({ settings: { worker: { concurency: 1 } } })).toThrow(/concurency/);
    expect(() => createCriticizer(undefined as never)).toThrow(TypeError);
  });

  it('WQ-10: processes that disagree on the global limit do not start', async () => {
    const stores = createMemoryStores();
    const first = harness({ more: { stores, settings: { worker: { maxRunning: 2 } } } });
    await first.criticizer.start();
    const second = harness({ more: { stores, settings: { worker: { maxRunning: 3 } } } });
    await expect(second.criticizer.start()).rejects.toMatchObject({ code: 'LIMIT_DISAGREES' });
    await first.criticizer.stop();
  });

  it('WQ-12: aborting the signal stops as stop does, and a Criticizer so stopped does not start', async () => {
    const abort = new AbortController();
    const t = harness({ more: { signal: abort.signal } });
    const id = await t.run();
    abort.abort();
    await t.criticizer.stop(); // the stop under way
    expect((await t.criticizer.status(id))?.job.status).toBe('completed');
    await expect(t.criticizer.start()).rejects.toMatchObject({ code: 'STOPPED' });
    expect(() => harness({ more: { signal: {} as AbortSignal } })).toThrow(TypeError);
  });

  it('refuses a recipient nobody can be reached at when it is submitted, and an unknown server', async () => {
    const t = harness();
    const submit = (more: object) => t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1, ...more });
    await expect(submit({ recipients: [{ address: 'a@b\r\nBcc: c@d', required: true }] })).rejects.toMatchObject({
      code: 'RECIPIENT_INVALID',
    });
    await expect(submit({ serverId: 'other' })).rejects.toMatchObject({ code: 'SERVER_UNKNOWN' });
  });

  it.each([
    ['no version', { reviewVersion: undefined }, 'submit.reviewVersion'],
    ['a version that is text', { reviewVersion: '2' }, 'submit.reviewVersion'],
    ['a negative number', { number: -1 }, 'submit.number'],
    ['a fraction', { number: 1.5 }, 'submit.number'],
    ['a recipient that is none', { recipients: [null] }, 'submit.recipients.0'],
    [
      'a name with a line break',
      { recipients: [{ address: 'a@b.test', name: 'A\r\nBcc: c@d', required: true }] },
      'submit.recipients.0.name',
    ],
    ['somebody with a space', { seenBy: 'a person' }, 'submit.seenBy'],
    ['an unknown field', { version: 1 }, 'version'],
  ])('refuses %s when it is submitted, naming the field', async (_what, more, named) => {
    const t = harness();
    const submit = (): Promise<unknown> =>
      Reflect.apply(t.criticizer.submit, t.criticizer, [{ serverId: 'main', number: 7, reviewVersion: 1, ...more }]);
    await expect(submit()).rejects.toThrow(TypeError);
    await expect(submit()).rejects.toThrow(named);
    expect(await t.stores.jobs.list({})).toEqual([]);
  });

  it('more recipients than a review may have are refused before anything is stored', async () => {
    const t = harness();
    const recipients = Array.from({ length: 501 }, (_, i) => ({ address: `u${i}@example.test`, required: true }));
    await expect(
      t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1, recipients }),
    ).rejects.toMatchObject({
      code: 'RECIPIENTS_TOO_MANY',
    });
  });

  it('starting twice at once is starting once; stopping while starting says so', async () => {
    const t = harness({ more: { settings: { worker: { concurrency: 1 } } } });
    await Promise.all([t.criticizer.start(), t.criticizer.start()]);
    await t.criticizer.stop();
    const early = harness();
    const starting = early.criticizer.start();
    await early.criticizer.stop();
    await expect(starting).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('EGR-2: a provider that declares no host gets nothing to a public one without a policy', async () => {
    const { provider, sent } = scriptedProvider([reply([])]);
    const prepare: typeof provider.prepare = async (...asked) => ({
      ...(await provider.prepare(...asked)),
      url: 'https://api.vendor.example/v1',
    });
    const llm = { ...provider, prepare };
    const t = harness({ more: { llm } });
    const refused = { code: 'EGRESS_POLICY_MISSING' };
    await expect(t.criticizer.dryRun({ serverId: 'main', number: 7 })).rejects.toMatchObject(refused);
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.runDue();
    expect((await t.criticizer.status(job.id))?.job).toMatchObject({ waitingFor: 'EGRESS_POLICY_MISSING' });
    expect([sent, await t.stores.egress.list({})]).toEqual([[], []]);
    await t.criticizer.stop();
    const policy = [{ paths: ['//...'], providers: ['scripted'] }];
    const named = harness({ more: { llm, settings: { egress: { policy } } } });
    expect((await named.criticizer.dryRun({ serverId: 'main', number: 7 })).kind).toBe('planned');
    await named.criticizer.stop();
  });

  it('EGR-2: a policy that names a provider nobody wired, or a pattern that matches nothing, is refused', () => {
    const policy = (paths: string[], providers: string[]) => () =>
      harness({ more: { settings: { egress: { policy: [{ paths, providers }] } } } });
    expect(policy(['//depot/...'], ['nobody'])).toThrow(/nobody/);
    for (const path of ['//depot/secret/', '//depot/sec%72et/...', '//depot//x/...', '//depot/a@b/...'])
      expect(policy([path], [])).toThrow(TypeError);
    expect(policy(['//depot/...', '//depot/a.c', '//depot/%40x/...'], ['scripted'])).not.toThrow();
  });

  it('a stopped Criticizer says so instead of starting again; stopping twice is fine', async () => {
    const t = harness();
    await t.criticizer.start();
    await Promise.all([t.criticizer.stop(), t.criticizer.stop()]);
    await expect(t.criticizer.start()).rejects.toMatchObject({ code: 'STOPPED' });
  });
});
