import { describe, expect, it } from 'vitest';
import { type DestinationKind, destinationKinds, isWithinLevel } from '../foundation/outbound.js';
import { createContentPolicy } from './content-policy.js';

const mail = (recipient: string | null, id = 'smtp') => ({ destination: { kind: 'mail', id } as const, recipient });

describe('createContentPolicy', () => {
  it('EGR-1: without settings only models and P4 Code Review get more than counts', () => {
    const policy = createContentPolicy();
    const highest = (kind: DestinationKind) =>
      policy.highest({ destination: { kind, id: 'x' }, recipient: 'ada@studio.example' });
    expect(Object.fromEntries(destinationKinds.map((kind) => [kind, highest(kind)]))).toEqual({
      llm: 'code',
      mail: 'counts',
      chat: 'counts',
      pager: 'none',
      sink: 'none',
      telemetry: 'none',
      'code-review': 'code',
      webhook: 'counts',
    });
  });

  it('EGR-1: findings go to addresses in the listed domains, and to no look-alike', () => {
    const policy = createContentPolicy({ mailDomains: ['Studio.example', '.games.example', 'bücher.example'] });
    const inside = ['ada@studio.example', 'ada@STUDIO.EXAMPLE', 'a@eu.games.example', 'a@xn--bcher-kva.example'];
    for (const recipient of [...inside, 'a@b.eu.games.example', 'a@bücher.example'])
      expect(policy.highest(mail(recipient)), recipient).toBe('findings');
    const outside = ['a@studio.example.evil.test', 'a@sub.studio.example', 'a@notstudio.example', 'a@games.example'];
    for (const recipient of [...outside, 'a@evilgames.example', 'studio.example@evil.test', 'nobody', '', null])
      expect(policy.highest(mail(recipient)), String(recipient)).toBe('counts');
    expect(policy.highest({ destination: { kind: 'chat', id: 'smtp' }, recipient: 'ada@studio.example' })).toBe(
      'counts',
    );
  });

  it('EGR-1: a destination that is named gets more, by its exact name, and never less', () => {
    const policy = createContentPolicy({
      mailDomains: ['studio.example'],
      content: [
        { destination: 'mail:partner', highest: 'findings' },
        { destination: 'mail:inner', highest: 'code' },
        { destination: 'chat:team', highest: 'findings' },
      ],
    });
    expect(policy.highest(mail('eve@partner.example', 'partner'))).toBe('findings');
    expect(policy.highest(mail('eve@partner.example', 'smtp'))).toBe('counts');
    expect(policy.highest(mail('ada@studio.example', 'inner'))).toBe('code');
    for (const outside of ['eve@partner.example', 'studio.example@evil.test', 'ada@studio.example.evil.test', null])
      expect(policy.highest(mail(outside, 'inner')), String(outside)).toBe('findings');
    expect(policy.highest({ destination: { kind: 'chat', id: 'team' }, recipient: null })).toBe('findings');
    expect(policy.highest({ destination: { kind: 'chat', id: 'all' }, recipient: null })).toBe('counts');
    const least = createContentPolicy({
      mailDomains: ['studio.example'],
      content: [{ destination: 'mail:smtp', highest: 'counts' }],
    });
    expect(least.highest(mail('ada@studio.example'))).toBe('findings');
  });

  it('EGR-1: a grant names any channel: a webhook gets more, P4 Code Review gets less', () => {
    const policy = createContentPolicy({
      content: [
        { destination: 'webhook:reviews', highest: 'code' },
        { destination: 'code-review:swarm', highest: 'counts' },
      ],
    });
    const highest = (kind: DestinationKind, id: string) =>
      policy.highest({ destination: { kind, id }, recipient: null });
    expect([highest('webhook', 'reviews'), highest('webhook', 'other'), highest('chat', 'reviews')]).toEqual([
      ...['code', 'counts', 'counts'],
    ]);
    expect([highest('code-review', 'swarm'), highest('code-review', 'other')]).toEqual(['counts', 'code']);
  });

  it('refuses what is no domain, no destination whose level can be chosen, or no level', () => {
    for (const mailDomains of [['ada@studio.example'], [''], ['.'], ['a b'], 'studio.example' as never])
      expect(() => createContentPolicy({ mailDomains }), String(mailDomains)).toThrow(/mailDomains/);
    const grants = [
      { destination: 'telemetry:otel', highest: 'counts' },
      { destination: 'sink:siem', highest: 'findings' },
      { destination: 'mail:', highest: 'findings' },
      { destination: 'mail:smtp', highest: 'everything' as never },
    ] as const;
    for (const grant of grants)
      expect(() => createContentPolicy({ content: [grant] }), grant.destination).toThrow(/content/);
    expect(() => createContentPolicy({ mailDomain: ['studio.example'] } as never)).toThrow(/mailDomains/);
  });

  it('each level includes those before it', () => {
    expect(isWithinLevel('none', 'counts')).toBe(true);
    expect(isWithinLevel('counts', 'counts')).toBe(true);
    expect(isWithinLevel('findings', 'counts')).toBe(false);
    expect(isWithinLevel('code', 'findings')).toBe(false);
  });
});
