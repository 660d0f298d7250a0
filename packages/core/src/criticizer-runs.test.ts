import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createLocalKeyRing } from './artifacts/local-key-ring.js';
import { createMemoryArtifactStore } from './artifacts/memory-artifact-store.js';
import type { Change } from './changes/change.js';
import { createMemoryChangeFetcher } from './changes/memory-change-fetcher.js';
import { createCriticizer } from './criticizer.js';
import { CriticizerError } from './foundation/errors.js';
import { noUsage } from './llm/llm-provider.js';
import { createMemoryStores } from './memory/memory-stores.js';
import type { FrozenMail } from './outbox/senders/mailer.js';
import { createMemoryMailer, type MemoryMailer } from './outbox/senders/memory-mailer.js';
import { builtInVariant } from './prompt/built-in-variant.js';
import { Secret } from './secrets/secret.js';
import type { SettingsInput } from './settings/settings.js';
import type { MailEnvelope } from './stages/notify/mail-composer.js';
import { createStaticRecipients } from './stages/recipients/static-recipients.js';
import { type Logger, silentLogger } from './telemetry/logger.js';
import { createMemoryTelemetry } from './telemetry/memory-telemetry.js';
import { metric } from './telemetry/names.js';
import { createManualClock } from './testing/support/manual-clock.js';
import { createMarkerRedactor } from './testing/support/marker-redactor.js';

const key = new Secret(randomBytes(32).toString('base64'));
const epoch = Date.UTC(2026, 0, 1);
const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-let a = 1;', '+let a = 2;'] };
const change: Change = {
  serverId: 'main',
  number: 1,
  changelistId: 'main/1',
  kind: 'submitted',
  user: 'ada',
  description: 'Change a',
  changedAt: new Date(epoch),
  userMail: null,
  reviewerMails: [],
  jobs: [],
  files: [
    {
      path: '//depot/a.js',
      oldPath: null,
      action: 'edit',
      fileType: 'text',
      revision: 2,
      bytes: 11,
      skipped: null,
      hunks: [hunk],
      addedLines: 1,
      removedLines: 1,
      encoding: 'utf8',
    },
  ],
  visibility: 'complete',
  deniedFiles: 0,
  contentDigest: 'a'.repeat(64),
};
const reply = (findings: readonly object[]): string =>
  JSON.stringify({
    schema_version: builtInVariant.schemaVersion,
    prompt_version: builtInVariant.promptVersion,
    findings,
  });
const finding = {
  id: 'f1',
  severity: 'low',
  category: 'style',
  title: 'A title',
  file: '//depot/a.js',
  line: 1,
  message: 'A message',
};

interface Given {
  settings?: SettingsInput;
  changes?: Parameters<typeof createMemoryChangeFetcher>[0]['changes'];
  /** The model's answer to the n-th request, from 1. */
  answer?: (request: number) => string;
  required?: boolean;
  hostAheadMs?: number;
  /** In place of parts of the mailer. */
  mailing?: (mailer: MemoryMailer) => Partial<MemoryMailer>;
}

/** A Criticizer of memory parts under one manual clock. */
function harness({
  settings,
  changes,
  answer = () => reply([]),
  required = true,
  hostAheadMs = 0,
  mailing,
}: Given = {}) {
  const clock = createManualClock(epoch);
  const stores = createMemoryStores({ clock: { ...clock, nowMs: () => clock.nowMs() - hostAheadMs } });
  const telemetry = createMemoryTelemetry();
  const warnings: object[] = [];
  const errors: object[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (fields) => void warnings.push(fields),
    error: (fields) => void errors.push(fields),
  };
  const memory = createMemoryMailer();
  const mailer = { ...memory, ...mailing?.(memory) };
  let requests = 0;
  const criticizer = createCriticizer({
    stores,
    changes: createMemoryChangeFetcher({ serverId: 'main', changes: changes ?? new Map([[1, change]]) }),
    redactor: createMarkerRedactor(),
    llm: {
      contract: 1,
      id: 'model',
      model: 'm',
      modes: ['prompt'],
      limits: { contextTokens: 64_000, maxOutputTokens: 4_096 },
      prepare: () => ({ method: 'POST', url: 'https://llm.internal/', model: 'm', headers: {}, body: '{}' }),
      send: async () => ({
        stop: 'complete',
        text: answer(++requests),
        usage: noUsage,
        requestId: null,
        providerStop: null,
      }),
    },
    mailer,
    composer: {
      compose: (_content, envelope) => composeMail(envelope),
      composeCounts: (_counts, envelope) => composeMail(envelope),
    },
    recipients: createStaticRecipients([{ address: 'ada@example.com', required }]),
    artifacts: {
      store: createMemoryArtifactStore(),
      keys: createLocalKeyRing({
        source: { contract: 1, read: async () => ({ current: { secret: key, version: '1' } }) },
        name: 'KEK',
      }),
    },
    clock,
    telemetry,
    logger,
    settings,
  });
  return { clock, criticizer, errors, mailer, requests: () => requests, stores, telemetry, warnings };
}

const composeMail = ({ recipient, key: mailKey, date }: MailEnvelope): FrozenMail => ({
  messageId: `<${mailKey}@example.com>`,
  from: { address: 'reviews@example.com' },
  envelopeFrom: 'bounces@example.com',
  to: { address: recipient.address },
  subject: 'Review',
  date,
  text: 'Review',
  html: '<p>Review</p>',
  content: 'none',
  headers: [],
});

/** Submits the one change and lets time pass until its job is as asked, at most an hour. */
async function review(h: ReturnType<typeof harness>, until: (status: string, waitingFor: string | null) => boolean) {
  const { job } = await h.criticizer.submit({ serverId: 'main', number: 1, reviewVersion: 1 });
  await h.criticizer.start();
  return pass(h, job.id, until);
}

async function pass(
  h: ReturnType<typeof harness>,
  id: string,
  until: (status: string, waitingFor: string | null) => boolean,
) {
  for (let second = 0; second < 3_600; second++) {
    await h.clock.advance(1_000);
    const now = (await h.stores.jobs.get([id]))[0];
    if (now !== null && now !== undefined && until(now.status, now.waitingFor)) return now;
  }
  throw new Error('the job never got there');
}

const outagesOf = (h: ReturnType<typeof harness>): number[] =>
  h.telemetry.measurements.filter(({ name }) => name === metric.outage).map(({ value }) => value);

const completed = (status: string): boolean => status === 'completed';

async function end(h: ReturnType<typeof harness>): Promise<void> {
  const stopped = h.criticizer.stop();
  await h.clock.advance(60_000);
  await stopped;
}

describe('a Criticizer of memory parts', () => {
  it('INV-7: the difference of host and store clock is measured, and warned of beyond a budget of 2 s', async () => {
    const skewAtStart = async (hostAheadMs: number, settings?: SettingsInput) => {
      const h = harness({ hostAheadMs, ...(settings === undefined ? {} : { settings }) });
      await h.criticizer.start();
      const measured = h.telemetry.measurements.find(({ name }) => name === metric.clockSkew);
      await end(h);
      return { seconds: measured?.value, warned: h.warnings.filter((fields) => 'skewMs' in fields).slice(0, 1) };
    };
    expect(await skewAtStart(0)).toEqual({ seconds: 0, warned: [] });
    expect(await skewAtStart(2_000)).toEqual({ seconds: 2, warned: [] });
    expect(await skewAtStart(2_001)).toEqual({ seconds: 2.001, warned: [{ event: 'clock.skewed', skewMs: 2_001 }] });
    expect(await skewAtStart(-5_000)).toEqual({ seconds: -5, warned: [{ event: 'clock.skewed', skewMs: -5_000 }] });
    expect(await skewAtStart(5_000, { clock: { skewBudgetMs: 10_000 } })).toEqual({ seconds: 5, warned: [] });
  });

  it('INT-3: a clean review makes a mail or none, as set; findings below the floor count as nothing to say', async () => {
    for (const [whenNothingToSay, severityFloor, findings, mails] of [
      [true, 'info', [], 1],
      [false, 'info', [], 0],
      [false, 'info', [finding], 1],
      [false, 'medium', [finding], 0],
    ] as const) {
      const h = harness({
        settings: { mail: { whenNothingToSay }, review: { severityFloor } },
        answer: () => reply(findings),
      });
      const job = await review(h, completed);
      expect({ severityFloor, mails: h.mailer.accepted().length, said: job.result?.['mails'] }).toEqual({
        severityFloor,
        mails,
        said: mails,
      });
      await end(h);
    }
  });

  it('INT-3: a review without a required recipient completes though its mail fails', async () => {
    const h = harness({ required: false });
    h.mailer.send = async () => {
      const failure = {
        scope: 'recipient',
        code: 'SMTP_REJECTED',
        category: 'policy',
        message: 'no such user',
      } as const;
      return { kind: 'rejected', failure, permanent: true };
    };
    expect((await review(h, completed)).status).toBe('completed');
    await end(h);
  });

  it('INT-1: a change that is not reviewed ends with its reason stored', async () => {
    const cases = new Map<string, Change | { skipped: 'restricted'; detail: string }>([
      ['restricted', { skipped: 'restricted', detail: 'd' }],
      ['tag', { ...change, description: 'Change a #noreview' }],
      ['empty', { ...change, files: [] }],
    ]);
    for (const [reason, given] of cases) {
      const h = harness({ changes: new Map([[1, given]]), settings: { intake: { skipTags: ['#noreview'] } } });
      expect((await review(h, completed)).result).toMatchObject({ skipped: reason });
      expect([h.requests(), h.mailer.accepted().length]).toEqual([0, 0]);
      await end(h);
    }
  });

  it('INT-4: a denied credential parks the stage without an attempt or a dead letter; once it is good the review goes on', async () => {
    const h = harness({
      answer(request) {
        if (request > 6) return reply([]);
        throw new CriticizerError('AUTH_DENIED', 'denied', { category: 'auth', parks: true });
      },
    });
    const parked = await review(h, (status, waitingFor) => status === 'queued' && waitingFor === 'AUTH_DENIED');
    expect([parked.attempts, parked.lastFailure]).toEqual([{ fetch: 1, llm: 0 }, null]);
    const done = await pass(h, parked.id, completed);
    expect([done.attempts['llm'], h.requests()]).toEqual([1, 7]);
    expect(await h.stores.deadLetters.list({})).toEqual([]);
    expect(h.mailer.accepted()).toHaveLength(1);
    expect(h.errors).toEqual([{ event: 'outage.begun', stage: 'llm', serverId: 'main', code: 'AUTH_DENIED' }]);
    expect(outagesOf(h)).toEqual([1, 0]);
    await end(h);
  });

  it('INT-4: a mail server that refuses the login parks the mails, and is told once', async () => {
    let refusals = 0;
    const h = harness({
      mailing: (mailer) => ({
        async send(...given) {
          if (refusals === 8) return mailer.send(...given);
          refusals += 1;
          throw new CriticizerError('SMTP_AUTH_DENIED', 'denied', { category: 'auth', parks: true });
        },
      }),
    });
    const done = await review(h, completed);
    const { mails } = (await h.criticizer.status(done.id)) ?? { mails: [] };
    expect([refusals, mails.map(({ status, attempts }) => [status, attempts]), h.mailer.accepted().length]).toEqual([
      8,
      [['sent', 1]],
      1,
    ]);
    expect(h.errors).toEqual([{ event: 'outage.begun', stage: 'mail', mailer: 'memory', code: 'SMTP_AUTH_DENIED' }]);
    expect(outagesOf(h)).toEqual([1, 0]);
    await end(h);
  });

  it('ERR-5 ERR-6: a stage that keeps failing ends after five attempts in a dead letter of that stage', async () => {
    const h = harness({
      answer() {
        throw new CriticizerError('LLM_NO_ANSWER', 'no answer', { category: 'upstream' });
      },
    });
    const job = await review(h, (status) => status === 'failed');
    expect([job.attempts, h.requests()]).toEqual([{ fetch: 1, llm: 5 }, 5]);
    expect(await h.stores.deadLetters.list({})).toMatchObject([
      { stage: 'llm', errorClass: 'LLM_NO_ANSWER', attempts: 5, status: 'open' },
    ]);
    await end(h);
  });

  it('ERR-10 ERR-4: a failure that no retry helps ends at once, and the same after a replay is escalated', async () => {
    const h = harness({ answer: () => reply([]).replace('"findings"', '"results"') });
    const failed = await review(h, (status) => status === 'failed');
    const [first] = await h.stores.deadLetters.list({});
    expect([failed.attempts['llm'], first?.errorClass, first?.escalation]).toEqual([1, 'SCHEMA_INVALID', 'none']);
    const replay = {
      deadLetterId: first?.id ?? '',
      stage: 'llm',
      fromStart: false,
      actor: { type: 'admin_user' as const, id: 'ann' },
      evidence: 'the gateway was changed',
    };
    expect(await h.stores.deadLetters.replay(replay)).toBe('replayed');
    await pass(h, failed.id, (status) => status === 'failed');
    const letters = await h.stores.deadLetters.list({});
    expect(letters).toHaveLength(2);
    const second = letters.find(({ id }) => id !== first?.id);
    expect(second).toMatchObject({ errorClass: 'SCHEMA_INVALID', escalation: 'operator', replayOf: first?.id });
    await end(h);
  });

  it('INT-1: a change that is submitted as skipped is stored with its reason, completed, and never run', async () => {
    const h = harness();
    const skipped = { reason: 'same_content', detail: 'Reviewed as main/7.' } as const;
    const { job } = await h.criticizer.submit({ serverId: 'main', number: 9, reviewVersion: 1, skipped });
    expect(job).toMatchObject({ status: 'completed', changelistId: 'main/9', result: { skipped: 'same_content' } });
    await h.criticizer.start();
    await h.clock.advance(60_000);
    expect(await h.stores.jobs.get([job.id])).toEqual([job]);
    expect(h.requests()).toBe(0);
    const wrong = {
      serverId: 'main',
      number: 9,
      reviewVersion: 2,
      skipped: { reason: 'because' as 'path', detail: '' },
    };
    await expect(h.criticizer.submit(wrong)).rejects.toThrow(/submit\.skipped\.reason/);
    await h.criticizer.stop();
  });
});
