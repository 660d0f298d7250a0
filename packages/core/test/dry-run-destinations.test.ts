import { describe, expect, it } from 'vitest';
import { createMemoryChannel } from '../src/stages/notify/memory-channel.js';
import { createStaticRecipients } from '../src/stages/recipients/static-recipients.js';
import { createMemoryTelemetry } from '../src/telemetry/memory-telemetry.js';
import { change, harness, reply } from './criticizer-harness.js';

const recipients = createStaticRecipients([
  { address: 'ada@example.test', required: true },
  { address: 'eve@elsewhere.test', required: false },
]);
const kind = (content: 'counts' | 'findings') => ({
  kind: 'report',
  payload: { safeParse: (data: unknown) => ({ success: true, data }) } as never,
  stages: [{ name: 'post', run: async () => ({ kind: 'done' as const, result: {} }) }] as never,
  sendsTo: [
    { destination: { kind: 'chat' as const, id: 'team' }, host: 'chat.example.test', content, sends: 'a line' },
  ],
});

const plan = async (t: ReturnType<typeof harness>) => {
  const run = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
  if (run.kind !== 'planned') throw new Error('skipped');
  return new Map(run.destinations.map((one) => [one.name, one]));
};

describe('dry run: destinations', () => {
  it('EGR-3: names every destination with host, content level, what the policy says and what would be sent', async () => {
    const more = { recipients, telemetry: createMemoryTelemetry(), kinds: [kind('counts')] };
    const t = harness({ change: change(), more });
    const found = await plan(t);
    expect([...found.keys()]).toEqual(['scripted', 'mail:memory', 'chat:team', 'telemetry:host']);
    expect(found.get('scripted')).toMatchObject({
      kind: 'llm',
      host: 'model.test.internal',
      isInternal: true,
      content: 'code',
      isAllowed: true,
      isStopped: false,
      sends: expect.stringMatching(
        /^1 requests of \d+ bytes in all; where the change was reviewed before, at most 1 more about its earlier findings$/,
      ),
    });
    expect(found.get('mail:memory')).toMatchObject({
      content: 'findings',
      isAllowed: true,
      recipients: [
        { address: 'ada@example.test', required: true, content: 'findings' },
        { address: 'eve@elsewhere.test', required: false, content: 'counts' },
      ],
    });
    expect(found.get('chat:team')).toMatchObject({ host: 'chat.example.test', content: 'counts', isAllowed: true });
    expect(found.get('telemetry:host')).toMatchObject({ host: null, content: 'none', highest: 'none' });
    // What it says of mails is what a review then does.
    await t.run();
    const levels = Object.fromEntries(t.mailer.accepted().map(({ mail }) => [mail.to.address, mail.content]));
    const planned = found.get('mail:memory')?.recipients ?? [];
    expect(planned).toHaveLength(2);
    for (const { address, content } of planned) expect(levels[address] ?? content).toBe(content);
    await t.criticizer.stop();
  });

  it('EGR-3: says what the policy refuses and the kill switch stops, and asks nobody else', async () => {
    const t = harness({ change: change(), script: [reply([])], more: { recipients, kinds: [kind('findings')] } });
    await t.stores.documents.write('egress.kill-switch', 0, { stopped: true, providers: ['mail:memory'] });
    const found = await plan(t);
    expect(found.get('chat:team')).toMatchObject({ content: 'findings', highest: 'counts', isAllowed: false });
    expect([...found.values()].filter(({ isStopped }) => isStopped).map(({ name }) => name)).toEqual(['mail:memory']);
    const left = [t.sent, t.mailer.accepted(), await t.stores.egress.list({}), await t.stores.jobs.list({})];
    expect(left).toEqual([[], [], [], []]);
  });

  it('EGR-3: with a channel and no mailer it names the channel and its level, and nobody who is mailed', async () => {
    const team = createMemoryChannel({ id: 'team' });
    const more = { recipients, channels: [team], mailer: undefined, composer: undefined };
    const t = harness({ change: change(), more });
    const found = await plan(t);
    expect([...found.keys()]).toEqual(['scripted', 'chat:team']);
    expect(found.get('chat:team')).toMatchObject({
      host: 'memory',
      content: 'counts',
      isAllowed: true,
      recipients: [],
    });
    expect(team.accepted()).toEqual([]);
    await t.criticizer.stop();
  });
});
