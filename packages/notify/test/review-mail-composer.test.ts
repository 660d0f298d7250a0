import { decodeFrozenMail, encodeFrozenMail, silentLogger } from '@criticizer/core/ports';
import { describe, expect, it } from 'vitest';
import { createReviewMailComposer } from '../src/rendering/review-mail-composer.js';
import { sampleKey } from './sample-mail.js';

const content = {
  change: {
    serverId: 'p4',
    number: 7,
    changelistId: 'p4/7',
    user: 'dev',
    description: 'Title',
    kind: 'shelved' as const,
  },
  reviewVersion: 1,
  result: { findings: [] },
  notShown: { belowFloor: 0, floor: 'info' as const, overCap: 0 },
  conclusive: true,
  coverage: { files: [{ path: '//depot/a.ts', state: 'reviewed' as const }] },
  withheldSecrets: 0,
  warnings: [],
};
const envelope = {
  recipient: { address: 'dev@example.test', required: true },
  key: sampleKey,
  date: new Date('2026-01-02T03:04:05.000Z'),
};
const from = { address: 'criticizer@example.test' };

describe('createReviewMailComposer', () => {
  it('NOT-5: composes a mail that freezes, the same each time, with the change’s link', () => {
    const make = () =>
      createReviewMailComposer({
        from,
        host: 'example.test',
        changeUrl: (change) => `https://swarm.example.test/${change.number}`,
      });
    const one = encodeFrozenMail(make().compose(content, envelope));
    expect(encodeFrozenMail(make().compose(content, envelope)).sha256).toBe(one.sha256);
    const mail = decodeFrozenMail(one.bytes, one.sha256);
    expect(mail).toMatchObject({
      messageId: `<${sampleKey}@example.test>`,
      envelopeFrom: from.address,
      to: { address: 'dev@example.test' },
    });
    expect(mail.html).toContain('href="https://swarm.example.test/7"');
  });

  it('NOT-5: freezes the bounce address of its key, the reply address and further headers', () => {
    const make = () =>
      createReviewMailComposer({
        from,
        host: 'example.test',
        envelopeFrom: (key) => `bounces+${key}@Reviews.Example.test`,
        replyTo: { address: 'team@example.test', name: 'The team' },
        headers: [{ name: 'List-Unsubscribe', value: '<https://example.test/off>' }],
      });
    const one = encodeFrozenMail(make().compose(content, envelope));
    expect(encodeFrozenMail(make().compose(content, envelope)).sha256).toBe(one.sha256);
    const mail = decodeFrozenMail(one.bytes, one.sha256);
    expect(mail).toMatchObject({
      envelopeFrom: `bounces+${sampleKey}@reviews.example.test`,
      replyTo: { address: 'team@example.test', name: 'The team' },
    });
    expect(mail.headers.at(-1)).toEqual({ name: 'List-Unsubscribe', value: '<https://example.test/off>' });
    const plain = createReviewMailComposer({ from, host: 'example.test' }).compose(content, envelope);
    const silence = 'Nobody reads replies.';
    expect([plain.text, plain.html, mail.text, mail.html].map((part) => part.includes(silence))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['envelopeFrom', { envelopeFrom: () => 'not an address' }, 'RECIPIENT_INVALID'],
    ['envelopeFrom', { envelopeFrom: 7 as never }, undefined],
    ['replyTo', { replyTo: { address: 'a@b.test, c@d.test' } }, 'RECIPIENT_INVALID'],
    ['headers', { headers: [{ name: 'Bcc', value: 'eve@example.test' }] }, undefined],
    ['headers', { headers: [{ name: 'X-A', value: 'a\r\nBcc: eve@example.test' }] }, undefined],
    ['unsubscribe', { unsubscribe: 'http://example.test/stop' }, undefined],
    ['unsubscribe', { unsubscribe: 'https://example.test/{user}' }, undefined],
    ['unsubscribe', { unsubscribe: 'mailto:stop@example.test>,<https://eve.test' }, undefined],
    ['unsubscribe', { unsubscribe: `https://example.test/${'x'.repeat(400)}` }, undefined],
    [
      'headers',
      { unsubscribe: 'mailto:a@b.test', headers: [{ name: 'List-Unsubscribe', value: '<mailto:a@b.test>' }] },
      undefined,
    ],
    ['headers', { headers: [{ name: 'Thread-Index', value: 'AA==' }] }, undefined],
    ['headers', { headers: [{ name: 'References', value: '<a@b.test>' }] }, undefined],
  ])('refuses a wrong %s at once', (option, wrong, code) => {
    const create = () => createReviewMailComposer({ from, host: 'example.test', ...wrong });
    if (code === undefined) expect(create).toThrow(new RegExp(`createReviewMailComposer: ${option}`));
    else expect(create).toThrow(expect.objectContaining({ code }));
  });

  it('NOT-5: says how to stop the mails only where the host configures it: header and last line', () => {
    const compose = (unsubscribe?: string) =>
      createReviewMailComposer({ from, host: 'example.test', unsubscribe }).compose(content, {
        ...envelope,
        recipient: { address: 'dev+a@example.test', required: true, reason: 'author' },
      });
    const mail = compose('https://example.test/stop?who={recipient}');
    const url = 'https://example.test/stop?who=dev%2Ba%40example.test';
    expect(mail.headers).toContainEqual({ name: 'List-Unsubscribe', value: `<${url}>` });
    expect(mail.headers.map(({ name }) => name)).not.toContain('List-Unsubscribe-Post');
    expect(mail.headers).toContainEqual({ name: 'X-Criticizer-Reason', value: 'author' });
    expect(mail.text.trimEnd().endsWith(`\nStop these mails: ${url}`)).toBe(true);
    expect(mail.html).toContain(`href="${url}"`);
    expect(compose('mailto:stop@example.test').headers).toContainEqual({
      name: 'List-Unsubscribe',
      value: '<mailto:stop@example.test>',
    });
    const plain = compose();
    expect(JSON.stringify(plain)).not.toMatch(/Stop these mails|List-Unsubscribe/);
  });

  it('NOT-10: the link of core comes before the template, and says that a POST acts at once', () => {
    const unsubscribeUrl = 'https://reviews.example.test/links?t=a.b';
    const composer = createReviewMailComposer({ from, host: 'example.test', unsubscribe: 'mailto:stop@example.test' });
    const mail = composer.compose(content, { ...envelope, unsubscribeUrl });
    expect(mail.headers.filter(({ name }) => name.startsWith('List-Unsubscribe'))).toEqual([
      { name: 'List-Unsubscribe', value: `<${unsubscribeUrl}>` },
      { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
    ]);
    expect(mail.text).toContain(`Stop these mails: ${unsubscribeUrl}`);
    // RFC 8058 has it for https alone.
    const inHouse = composer.compose(content, { ...envelope, unsubscribeUrl: 'http://reviews.example.test/links?t=a' });
    expect(inHouse.headers.map(({ name }) => name)).not.toContain('List-Unsubscribe-Post');
  });

  it('links the change by a template, in both parts of the mail', () => {
    const { html, text } = createReviewMailComposer({
      from,
      host: 'example.test',
      changeUrl: 'https://swarm.example.test/changes/{change}?server={server}&view=1',
    }).compose(content, envelope);
    expect(html).toContain('href="https://swarm.example.test/changes/7?server=p4&amp;view=1"');
    expect(text).toContain('https://swarm.example.test/changes/7?server=p4&view=1\n');
  });

  it.each([
    ['no address', () => 'not a url'],
    ['a script', () => 'javascript:alert(1)'],
    ['one too long once encoded', () => `https://swarm.example.test/${'\u65e5'.repeat(300)}`],
    ['a number', () => Object(5)],
    ['a promise', () => Object(Promise.reject(new TypeError('late')))],
    [
      'an error',
      () => {
        throw new TypeError('boom');
      },
    ],
  ])(
    'NOT-4: writes the mail without the link, and logs once, where the function of links gives %s',
    (_what, changeUrl) => {
      const lines: object[] = [];
      const logger = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
      const composer = createReviewMailComposer({ from, host: 'example.test', changeUrl, logger });
      const plain = createReviewMailComposer({ from, host: 'example.test' });
      expect(composer.compose(content, envelope)).toEqual(plain.compose(content, envelope));
      expect(composer.compose(content, envelope)).toEqual(plain.compose(content, envelope));
      expect(lines).toEqual([
        expect.objectContaining({ event: 'link.change_url_failed', maker: 'createReviewMailComposer' }),
      ]);
    },
  );

  it('refuses a wrong sender, host or template at once', () => {
    expect(() =>
      createReviewMailComposer({ from, host: 'example.test', changeUrl: 'javascript:alert({change})' }),
    ).toThrow(TypeError);
    expect(() => createReviewMailComposer({ from: { address: 'no address' }, host: 'example.test' })).toThrow();
    expect(() => createReviewMailComposer({ from, host: 'no host' })).toThrow(TypeError);
  });
});
