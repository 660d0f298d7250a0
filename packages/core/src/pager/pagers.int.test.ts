import { describe, expect, it } from 'vitest';
import { openJira, openPagerDuty, openWebhook } from '../../test/pager-far-ends.js';
import { createMemoryMailer } from '../outbox/senders/memory-mailer.js';
import { describePagerContract } from '../testing/ports/delivery/pager-contract.js';
import { alertNumber, type PagerUnderTest, type ReceivedPage } from '../testing/ports/delivery/pager-scenes.js';
import { createMailPager } from './mail-pager.js';
import type { PagerContext } from './pager.js';

const byStatus = 'a webhook says success by its status alone';
const noHttp = 'a mailer answers in its own words; its own contract plays what a server may do';

describe('webhook pager', () => {
  describePagerContract({ describe, it }, { create: openWebhook, without: { 'answers-in-html': byStatus } });
});
describe('PagerDuty pager', () => describePagerContract({ describe, it }, { create: openPagerDuty }));
describe('Jira Service Management pager', () => describePagerContract({ describe, it }, { create: openJira }));

/** A mailer whose server is this process. */
async function openMailbox(): Promise<PagerUnderTest> {
  const mailer = createMemoryMailer({ capabilities: { lookup: 'key' } });
  let isLost = false;
  const pager = createMailPager({
    ...{ id: 'mail', to: 'oncall@studio.example', from: 'criticizer@studio.example' },
    mailer: {
      ...mailer,
      async send(mail, context) {
        const outcome = await mailer.send(mail, context);
        const failure = { scope: 'transport', code: 'NETWORK_RESET', category: 'network', message: 'reset' } as const;
        return isLost ? { kind: 'ambiguous', failure } : outcome;
      },
    },
  });
  return {
    pager,
    received: async () =>
      mailer.accepted().map(({ mail, raw }): ReceivedPage => {
        const key = /^key: (.+)$/m.exec(mail.text)?.[1] ?? '';
        return { action: mail.text.includes('status: firing') ? 'trigger' : 'resolve', key, bytes: raw };
      }),
    play(scene) {
      isLost = scene === 'loses-reply';
    },
    dispose: async () => undefined,
  };
}

describe('mail pager', () => {
  const scenes = ['rate-limits', 'fails', 'refuses', 'denies', 'stalls', 'answers-in-html'] as const;
  const without = Object.fromEntries(scenes.map((scene) => [scene, noHttp]));
  describePagerContract({ describe, it }, { create: openMailbox, without });
  const context = (isRepeat: boolean): PagerContext => ({
    ...{ signal: new AbortController().signal, isRepeat },
    beforeSend: async () => undefined,
  });

  it('OPS-3: what may have been sent is looked up before it is sent again', async () => {
    const { pager, received } = await openMailbox();
    for (const isRepeat of [false, true, true])
      expect(await pager.trigger(alertNumber(1), context(isRepeat))).toEqual({ kind: 'taken' });
    expect(await received()).toHaveLength(1);
  });

  it('OPS-3: the mail that says it is over answers the one that woke somebody', async () => {
    const { pager } = await openMailbox();
    const mailer = createMemoryMailer();
    const other = createMailPager({ id: 'mail', to: 'a@b.example', from: 'c@d.example', mailer, source: 'prod' });
    for (const one of [pager, other]) {
      await one.trigger(alertNumber(1), context(false));
      await one.resolve(alertNumber(1), context(false));
    }
    const [first, second] = mailer.accepted().map(({ mail }) => mail);
    expect(first?.subject).toMatch(/^\[prod\] critical: An outage parks work.*AUTH_DENIED at gateway-1 llm/);
    expect(second?.subject).toMatch(/^\[prod\] resolved: /);
    expect(second?.headers).toContainEqual({ name: 'In-Reply-To', value: first?.messageId });
  });
});

describe('the wire', () => {
  it('OPS-3: PagerDuty shows code, place, count and start, and its resolve the key alone', async () => {
    const far = await openPagerDuty();
    const context = { signal: new AbortController().signal, isRepeat: false, beforeSend: async () => undefined };
    await far.pager.trigger(alertNumber(1), context);
    await far.pager.resolve(alertNumber(1), context);
    const [triggered, resolved] = far.requests.map(({ body }) => JSON.parse(body));
    expect(triggered.payload).toMatchObject({
      ...{ severity: 'critical', class: 'AUTH_DENIED', component: 'llm', timestamp: '2026-01-02T03:04:05.001Z' },
      custom_details: { kind: 'stage.parked', code: 'AUTH_DENIED', count: 3, stage: 'llm', provider: 'gateway-1' },
    });
    expect(Object.keys(resolved).sort()).toEqual(['dedup_key', 'event_action', 'routing_key']);
    await far.dispose();
  });

  it('OPS-3: a webhook carries the episode, so that a late firing can be told from a new one', async () => {
    const far = await openWebhook();
    const context = { signal: new AbortController().signal, isRepeat: false, beforeSend: async () => undefined };
    await far.pager.trigger(alertNumber(4), context);
    await far.pager.resolve(alertNumber(4), context);
    const bodies = far.requests.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ type, data }) => [type, data.episode, data.status])).toEqual([
      ['alert.firing', 4, 'firing'],
      ['alert.resolved', 4, 'resolved'],
    ]);
    const ids = far.requests.map(({ headers }) => String(headers['webhook-id']));
    expect(ids.every((id) => !id.includes('.'))).toBe(true);
    expect(new Set(ids).size).toBe(2);
    await far.dispose();
  });
});
