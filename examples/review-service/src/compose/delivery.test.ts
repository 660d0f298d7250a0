import { createMemoryMailer, type MemoryMailer, silentLogger } from '@criticizer/core';
import type { ChangeSummary, FrozenMail, Mailer } from '@criticizer/core/ports';
import { describeMailerContract, describeRecipientResolverContract } from '@criticizer/core/testing';
import { describe, expect, it } from 'vitest';
import type { RecipientSource } from '../config/configuration.js';
import { createDelivery, createShadowMailer, guardDomains, redirectMails } from './delivery.js';
import { createRecipients } from './recipients.js';

/** A decorator held to the contract of mailers, over one that keeps what it is given. */
function holdToContract(decorate: (inner: MemoryMailer) => Mailer): void {
  describeMailerContract(
    { describe, it },
    {
      async create() {
        const memory = createMemoryMailer();
        const received = async () =>
          memory.accepted().map(({ key, mail, raw }) => ({
            ...{ key, messageId: mail.messageId, from: mail.envelopeFrom, to: [mail.to.address], raw },
          }));
        return { mailer: decorate(memory), received, dispose: async () => undefined };
      },
    },
  );
}

describe('redirected mailer', () => holdToContract((inner) => redirectMails(inner, 'dev@example.test')));
describe('mailer with a gate', () => holdToContract((inner) => guardDomains(inner, ['example.test'])));

const mail: FrozenMail = {
  ...{ messageId: '<1@example.test>', from: { address: 'r@example.test' }, envelopeFrom: 'r@example.test' },
  ...{ to: { address: 'ada@example.test', name: 'Ada' }, subject: 'Review', date: new Date(0) },
  ...{ text: 'text', html: '<p>text</p>', headers: [] },
};
const context = { key: '0'.repeat(32), signal: new AbortController().signal, onPhase: async () => undefined };
const elsewhere = { ...mail, to: { address: 'eve@else.example' } };

describe('createDelivery', () => {
  const domains = ['example.test'];

  it('has nothing but the shadow by default, which sends nothing and goes through the phases of a mail', async () => {
    const smtp = createMemoryMailer({ id: 'smtp' });
    const [shadow, ...more] = createDelivery(smtp, { delivery: { mode: 'shadow' }, domains });
    const phases: string[] = [];
    const onPhase = async (phase: string) => void phases.push(phase);
    expect(await shadow?.send(mail, { ...context, onPhase })).toEqual({ kind: 'accepted', id: mail.messageId });
    expect([more, smtp.accepted(), phases]).toEqual([[], [], ['envelope', 'data']]);
  });

  it('keeps mails of the shadow in the shadow when it is live', () => {
    const ids = (mode: 'live' | 'redirect') =>
      createDelivery(createMemoryMailer({ id: 'smtp' }), {
        delivery: mode === 'live' ? { mode } : { mode, to: 'lead@example.test' },
        domains,
      }).map(({ id }) => id);
    expect([ids('live'), ids('redirect')]).toEqual([
      ['smtp', 'shadow'],
      ['redirect-smtp', 'shadow'],
    ]);
  });

  it('sends nothing outside the domains, whatever row asks for it', async () => {
    const smtp = createMemoryMailer({ id: 'smtp' });
    const [live] = createDelivery(smtp, { delivery: { mode: 'live' }, domains });
    expect(await live?.send(elsewhere, context)).toMatchObject({
      ...{ kind: 'rejected', permanent: true, failure: { scope: 'recipient', code: 'MAIL_DOMAIN_DENIED' } },
    });
    expect(smtp.accepted()).toEqual([]);
  });

  it('redirects to one address alone, and says whom a mail was for', async () => {
    const smtp = createMemoryMailer({ id: 'smtp' });
    const [redirect] = createDelivery(smtp, { delivery: { mode: 'redirect', to: 'lead@example.test' }, domains });
    await redirect?.send(elsewhere, context);
    expect(smtp.accepted().map(({ mail }) => [mail.to, mail.subject])).toEqual([
      [{ address: 'lead@example.test' }, '[for eve@else.example] Review'],
    ]);
    expect(createShadowMailer().id).toBe('shadow');
    expect([redirect?.id, redirect?.destinationId]).toEqual(['redirect-smtp', 'smtp']);
  });
});

const change: ChangeSummary = {
  ...{ serverId: 'main', number: 1, changelistId: 'main/1', kind: 'submitted', user: 'ada', description: '' },
  ...{
    changedAt: new Date(0),
    userMail: 'ada@example.test',
    reviewerMails: ['bob@example.test', 'eve@else.example'],
    jobs: [],
  },
};

const noRules = { owners: undefined, lists: [] };

describe('createRecipients', () => {
  const inside = ['example.test', 'studio.example'];
  const counts = { critical: 0, high: 1, medium: 0, low: 0, info: 0 };
  const { signal } = new AbortController();
  const resolve = async (recipients: RecipientSource, more: Partial<ChangeSummary> = {}, reviewers = false) => {
    const request = {
      change: { ...change, ...more },
      paths: [],
      verdict: 'findings',
      counts,
      findings: [],
      version: 1,
    } as const;
    const found = await createRecipients(
      { recipients, reviewers, domains: inside, rules: noRules },
      silentLogger,
    ).resolve(request, {
      signal,
    });
    return found.map(({ address }) => address);
  };

  it('mails the author alone, and reviewers only where that is configured', async () => {
    expect(await resolve({ kind: 'perforce' })).toEqual(['ada@example.test']);
    expect(await resolve({ kind: 'perforce' }, {}, true)).toEqual(['ada@example.test', 'bob@example.test']);
  });

  it('leaves out who is outside the domains', async () => {
    expect(await resolve({ kind: 'perforce' })).toEqual(['ada@example.test']);
    expect(await resolve({ kind: 'perforce' }, { userMail: 'ada@else.example' })).toEqual([]);
  });

  it('makes the address of the author by the template or the map', async () => {
    const template = { kind: 'template', template: '{user}@studio.example' } as const;
    expect(await resolve(template)).toEqual(['ada@studio.example']);
    expect(await resolve(template, { user: 'a b' })).toEqual([]);
    const map = { kind: 'map', addresses: { ada: 'ada.l@studio.example' } } as const;
    expect(await resolve(map)).toEqual(['ada.l@studio.example']);
    expect(await resolve(map, { user: 'eve' })).toEqual([]);
  });
});

for (const recipients of [{ kind: 'perforce' }, { kind: 'template', template: '{user}@studio.example' }] as const)
  describeRecipientResolverContract(
    { describe, it },
    {
      create: async () =>
        createRecipients(
          { recipients, reviewers: true, domains: ['example.test', 'studio.example'], rules: noRules },
          silentLogger,
        ),
      change,
    },
  );
