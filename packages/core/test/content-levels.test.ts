import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { MailComposer } from '../src/stages/notify/mail-composer.js';
import { createStaticRecipients } from '../src/stages/recipients/static-recipients.js';
import { createMarkerRedactor } from '../src/testing/support/marker-redactor.js';
import { change, file, finding, harness, plainComposer, reply, sharedArtifacts } from './criticizer-harness.js';

const recipients = createStaticRecipients([
  { address: 'ada@example.test', required: true },
  { address: 'eve@elsewhere.test', required: true },
]);
const described = change({
  description: 'Rework the vault door',
  files: [file('//depot/a.ts', ['const a = 1;']), file('//depot/gone.ts', [], { skipped: 'binary', hunks: [] })],
});
const script = [reply([finding({ message: 'The vault door stays open' })])];

const scene = (more: object = {}) => harness({ change: described, script, more: { recipients, ...more } });

describe('content levels of mails', () => {
  it('EGR-1: who is outside egress.mailDomains gets verdict and counts; no path, no finding, no text of the change', async () => {
    const t = scene();
    await t.run();
    const mails = new Map(t.mailer.accepted().map(({ mail }) => [mail.to.address, mail]));
    const [inside, outside] = [mails.get('ada@example.test'), mails.get('eve@elsewhere.test')];
    expect([inside?.content, outside?.content]).toEqual(['findings', 'counts']);
    expect(inside?.text).toContain('The vault door stays open');
    expect(JSON.parse(outside?.text ?? '{}')).toEqual({
      change: { serverId: 'main', number: 7, changelistId: 'main/7', kind: 'submitted' },
      reviewVersion: 1,
      findings: { critical: 0, high: 1, medium: 0, low: 0, info: 0 },
      belowFloor: 0,
      floor: 'info',
      conclusive: false,
      files: { reviewed: 1, partial: 0, skipped: 1, total: 2 },
      withheldSecrets: 0,
    });
    const rows = await t.stores.egress.list({ destination: 'mail' });
    expect(rows.map(({ content }) => content).sort()).toEqual(['counts', 'findings']);
    await t.criticizer.stop();
  });

  it('EGR-1: a mailer that egress.content names gets findings for every address', async () => {
    const t = scene({ settings: { egress: { content: [{ destination: 'mail:memory', highest: 'findings' }] } } });
    await t.run();
    expect(t.mailer.accepted().map(({ mail }) => mail.content)).toEqual(['findings', 'findings']);
    await t.criticizer.stop();
  });

  it('EGR-1: code goes to no one below the level `code`, and to no address outside `mailDomains` (ruling R21)', async () => {
    const coded = change({
      files: [file('//depot/a.ts', ['const canaryword = 1;', "const key = 'secret-abcd1234';"])],
    });
    const send = async (highest: 'counts' | 'findings' | 'code') => {
      const settings = { egress: { content: [{ destination: 'mail:memory', highest }] } };
      const t = harness({ change: coded, script, more: { recipients, settings } });
      const id = await t.run();
      const sent = t.mailer.accepted().map(({ mail }) => mail);
      const mails = sent.map((mail) => `${mail.text}${mail.html}${mail.subject}`);
      const [inside, outside] = ['ada@example.test', 'eve@elsewhere.test'].map((address) =>
        sent.find((mail) => mail.to.address === address),
      );
      const review = JSON.stringify(await t.criticizer.review(id));
      await t.criticizer.stop();
      return { mails, review, inside, outside };
    };
    for (const level of ['counts', 'findings'] as const) {
      const { mails, review } = await send(level);
      expect(mails).toHaveLength(2);
      for (const text of [...mails, review]) expect(text).not.toContain('canaryword');
    }
    const { mails, inside, outside } = await send('code');
    expect(mails).toHaveLength(2);
    for (const mail of mails) expect(mail).not.toContain('abcd1234');
    expect(inside?.text).toContain('canaryword');
    expect(outside?.text).toContain('The vault door stays open');
    expect(outside?.text).not.toContain('canaryword');
  });

  it('EGR-1 RED-1: who reads code has it from the redacted snapshot, under a right to it and the rules in force', async () => {
    const coded = change({
      files: [file('//depot/a.ts', ['const canaryword = 1;', "const key = 'secret-abcd1234';"])],
    });
    const shared = { stores: createMemoryStores(), artifacts: sharedArtifacts() };
    const t = harness({ change: coded, script, more: shared });
    const id = await t.run();
    const [excerpts, review] = [await t.criticizer.excerpts(id), await t.criticizer.review(id)];
    const found = review?.findings.find(({ origin }) => origin === 'model');
    expect(excerpts.get(found?.id ?? '')).toEqual([
      { line: 1, oldLine: null, text: 'const canaryword = 1;', isCited: true },
      { line: 2, oldLine: null, text: expect.stringMatching(/\[REDACTED:/), isCited: false },
    ]);
    expect(JSON.stringify([...excerpts])).not.toContain('abcd1234');
    expect(await t.criticizer.excerpts('00000000-0000-4000-8000-000000000000')).toEqual(new Map());
    const nobody = { type: 'admin_user', id: 'eve' } as const;
    await expect(t.criticizer.excerpts(id, { actor: nobody })).rejects.toMatchObject({
      code: 'ARTIFACT_ACCESS_DENIED',
    });
    await t.criticizer.stop();
    const marker = createMarkerRedactor();
    const redactor = { ...marker, rules: { ...marker.rules, version: 'stricter' } };
    const later = harness({ change: coded, more: { ...shared, redactor } });
    expect(await later.criticizer.excerpts(id)).toEqual(new Map());
    await later.criticizer.stop();
  });

  it('EGR-1: a composer that says more than it may is refused at the gate: nothing is sent, the mail fails', async () => {
    const composer: MailComposer = {
      ...plainComposer,
      composeCounts: (counts, envelope) => ({ ...plainComposer.composeCounts(counts, envelope), content: 'findings' }),
    };
    const t = scene({ composer });
    const id = await t.run();
    expect(t.mailer.accepted().map(({ mail }) => mail.to.address)).toEqual(['ada@example.test']);
    const status = await t.criticizer.status(id);
    expect(status?.mails.find(({ recipient }) => recipient === 'eve@elsewhere.test')).toMatchObject({
      status: 'failed',
      lastFailure: { code: 'EGRESS_CONTENT_DENIED', category: 'policy' },
    });
    expect(status?.job.status).toBe('failed');
    expect(t.securityEvents.events.filter(({ type }) => type === 'egress.blocked')).toHaveLength(1);
    await t.criticizer.stop();
  });
});
