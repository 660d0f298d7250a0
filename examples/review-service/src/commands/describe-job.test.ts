import { describe, expect, it } from 'vitest';
import { describeJob, type JobFacts } from './describe-job.js';

const at = (time: string): Date => new Date(`2026-03-02T${time}:00Z`);
const now = at('10:00');
const job: JobFacts['job'] = {
  ...{ payload: { seenBy: 'trigger' }, status: 'queued', stage: 'llm', reviewVersion: 2 },
  ...{ runAt: at('09:20'), createdAt: at('09:11'), updatedAt: at('09:12'), finishedAt: null },
  ...{ attempts: { llm: 3 }, lastFailure: null, waitingFor: null, result: null },
};
const skips = Array.from({ length: 14 }, (_, file) => (file < 3 ? ('binary' as const) : null));
const change = {
  ...{ kind: 'shelved' as const, user: 'ada', deniedFiles: 0 },
  files: skips.map((skipped) => ({ skipped })),
};
const describeOne = (more: Partial<JobFacts['job']>, facts: Partial<JobFacts> = {}): string =>
  describeJob(
    { egress: [], mails: [], mailers: ['smtp', 'shadow'], letter: null, change, ...facts, job: { ...job, ...more } },
    now,
  );

describe('describeJob', () => {
  it('says where a review stands, who saw the change, what left and who was mailed', () => {
    expect(describeOne({ waitingFor: 'NETWORK_CONNECT' })).toBe(
      'v2 shelved by ada: waiting in llm since 09:12 (NETWORK_CONNECT, next 09:20). Seen 09:11 by trigger; 14 files, 3 filtered; sent nothing; no mail.',
    );
  });

  it.each<[string, Partial<JobFacts['job']>, string]>([
    ['a running one', { status: 'running' }, 'running llm since 09:12'],
    ['one that waits for its turn', {}, 'queued for llm since 09:20'],
    [
      'one that is tried again',
      { lastFailure: { code: 'LLM_OVERLOADED' } },
      'retrying llm (LLM_OVERLOADED, attempt 3, next 09:20)',
    ],
    [
      'a skipped one',
      { status: 'completed', finishedAt: at('09:30'), result: { skipped: 'tag', detail: 'It carries #noreview.' } },
      'not reviewed at 09:30: tag. It carries #noreview.',
    ],
    [
      'one that ended well on another day',
      { status: 'completed', finishedAt: new Date('2026-03-01T09:30:00Z'), result: { verdict: 'no_findings' } },
      'reviewed at 2026-03-01 09:30: no_findings.',
    ],
    [
      'a cancelled one',
      { status: 'failed', finishedAt: at('09:30'), result: { cancelled: true, reason: 'by ada' } },
      'failed in llm at 09:30 (cancelled: by ada)',
    ],
  ])('describes %s', (_what, more, text) => {
    expect(describeOne(more)).toContain(text);
  });

  it('CHN-1: says of a post that was handed over no more than that', () => {
    const post = {
      recipient: 'teams:workflow',
      via: 'teams',
      status: 'sent' as const,
      notificationId: 'handed-over:1',
    };
    const mails = [{ ...post, lastFailure: null, waitingFor: null, nextAttemptAt: at('09:20') }];
    expect(describeOne({}, { mails })).toContain(
      'post to teams:workflow handed over: whether it is shown is not known',
    );
  });

  it('sums what left, and tells mails of the shadow from others', () => {
    const egress = [{ bytes: 1_200, host: 'llm.example' }];
    const mail = (
      recipient: string,
      via: string,
      status: 'pending' | 'sent',
      notificationId: string | null = null,
    ) => ({
      ...{ recipient, via, status, lastFailure: null, waitingFor: null, nextAttemptAt: at('09:20'), notificationId },
    });
    const mails = [mail('ada@x.example', 'shadow', 'sent'), mail('bob@x.example', 'smtp', 'pending')];
    const said = describeOne({}, { egress, mails, change: 'P4_UNREACHABLE' });
    expect(said).toContain('v2: queued');
    expect(said).toContain('the server shows no files (P4_UNREACHABLE); sent 1 request, 2 kB, to llm.example; ');
    expect(said).toContain('mail to ada@x.example kept in the shadow, mail to bob@x.example pending.');
    expect(describeOne({}, { mails: [mail('eve@x.example', 'redirect-smtp', 'pending')] })).toContain(
      'mail to eve@x.example waiting for mailer redirect-smtp, which DELIVERY does not have now: ',
    );
    const gone = [mail('eve@x.example', 'redirect-smtp', 'sent')];
    expect(describeOne({}, { mails: gone })).toContain('mail to eve@x.example sent.');
    const waiting = { ...mail('eve@x.example', 'smtp', 'pending'), waitingFor: 'SMTP_CONNECT' };
    const retrying = { ...mail('joe@x.example', 'smtp', 'pending'), lastFailure: { code: 'SMTP_MESSAGE_DEFERRED' } };
    expect(describeOne({}, { mails: [waiting, retrying] })).toContain(
      'mail to eve@x.example waiting (SMTP_CONNECT, next 09:20), mail to joe@x.example retrying (SMTP_MESSAGE_DEFERRED, next 09:20).',
    );
  });
});
