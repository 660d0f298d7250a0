import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { encodeFrozenMail, type FrozenMail } from '@criticizer/core/ports';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { composeReviewMail } from '../src/rendering/compose-review-mail.js';
import type { ReviewMailInput } from '../src/rendering/review-mail-input.js';
import { composeMessage } from '../src/smtp/compose-message.js';
import { sampleKey, sampleMail } from './sample-mail.js';

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'a\r\nBcc: evil@x.test',
    '\r\n\r\nbody',
    '\0',
    '\u202e\u2066',
    '\ud800',
    'x'.repeat(5_000),
    '=?utf-8?B?QQ==?=',
    ', evil@x.test',
    '"<evil@x.test>"',
    '漢'.repeat(900),
  ),
  fc
    .array(fc.constantFrom('\r\n', 'Bcc: evil@x.test', ' ', '\t', '\n.\n', 'Ünï', ':', ';', '<', '@'), {
      maxLength: 20,
    })
    .map((parts) => parts.join('')),
);

function inputWith(text: string): ReviewMailInput {
  return {
    change: {
      serverId: text,
      number: 12345,
      changelistId: `${text}/12345`,
      user: text,
      description: text,
      kind: 'pending',
    },
    reviewVersion: 3,
    result: {
      summary: text,
      findings: [
        {
          id: text,
          severity: 'high',
          category: text,
          title: text,
          file: text,
          place: { line: 1, endLine: null, status: 'exact' },
          message: text,
        },
      ],
    },
    notShown: { belowFloor: 0, floor: 'info', overCap: 0 },
    conclusive: true,
    coverage: { files: [{ path: text, state: 'reviewed' }] },
    withheldSecrets: 0,
    warnings: [text],
  };
}

function compose(input: ReviewMailInput, name: string): FrozenMail {
  return composeReviewMail({
    input,
    recipient: { address: 'Dev.One@Example.TEST', name },
    from: { address: 'criticizer@example.test', name: 'Criticizer' },
    envelopeFrom: 'bounces@example.test',
    host: 'example.test',
    key: sampleKey,
    date: new Date('2026-01-02T03:04:05.000Z'),
  });
}

const headerNames = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'in-reply-to',
  'list-id',
  'message-id',
  'mime-version',
  'precedence',
  'references',
  'subject',
  'thread-index',
  'thread-topic',
  'to',
  'x-auto-response-suppress',
  'x-criticizer-author',
  'x-criticizer-change',
  'x-criticizer-key',
  'x-criticizer-verdict',
  'x-criticizer-version',
];

describe('composed messages', () => {
  it('EGR-5: any text of change, model or name gives one recipient, the expected headers and lines a server takes', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (text, name) => {
        const mail = compose(inputWith(text), name);
        encodeFrozenMail(mail); // what is composed can be frozen
        const raw = await composeMessage(mail, sampleKey);
        const parsed = await PostalMime.parse(raw);
        expect(parsed.to?.map(({ address }) => address)).toEqual(['Dev.One@example.test']);
        expect(`${parsed.subject}${parsed.to?.[0]?.name}`).not.toMatch(/=\?|[\p{Cf}\p{Cc}]/u);
        expect([parsed.cc, parsed.bcc]).toEqual([undefined, undefined]);
        expect(parsed.headers.map(({ key }) => key).sort()).toEqual(headerNames);
        expect(parsed.from?.address).toBe('criticizer@example.test');
        expect(parsed.messageId).toBe(`<${sampleKey}@example.test>`);
        expect(parsed.attachments).toEqual([]);
        for (const line of raw.toString('latin1').split('\r\n')) {
          expect(line.length).toBeLessThanOrEqual(998);
          expect(line).not.toMatch(/[\r\n\0]/);
        }
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  const encodedWord = '=?utf-8?Q?=E2=80=AEclean?=';

  it('NOT-5: an encoded word in a description or name stays text in every header', async () => {
    const mail = compose(inputWith(encodedWord), encodedWord);
    for (const { headers } of [mail, { headers: [{ value: mail.subject }, { value: mail.to.name ?? '' }] }])
      for (const { value } of headers) expect(value).not.toContain('=?');
    const raw = (await composeMessage(mail, sampleKey)).toString('latin1');
    expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toContain('=?');
  });

  it('NOT-5: an encoded word in a host’s own mail stays text in subject, names and headers', async () => {
    const named = { address: 'dev@example.test', name: encodedWord };
    const headers = [{ name: 'X-Title', value: encodedWord }];
    const own = { ...sampleMail, subject: `Invoice ${encodedWord}`, from: named, to: named, replyTo: named, headers };
    const raw = (await composeMessage(own, sampleKey)).toString('latin1');
    expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toContain('=?');
    expect(raw).toContain('Subject: Invoice = ?utf-8?Q?=E2=80=AEclean?=');
  });

  it('NOT-5: carries subject, threading, filters and both bodies', async () => {
    const mail = compose(
      {
        ...inputWith('Grüße'),
        change: {
          ...inputWith('').change,
          serverId: 'p4 Main',
          changelistId: 'p4-main/12345',
          description: 'Grüße & mehr',
        },
      },
      'Dev "D" Öne',
    );
    const parsed = await PostalMime.parse(await composeMessage(mail, sampleKey));
    const headers = Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value]));
    expect(parsed.subject).toBe('[Criticizer] 12345: Grüße & mehr');
    expect(parsed.to?.[0]?.name).toBe('Dev "D" Öne');
    expect(headers).toMatchObject({
      references: '<p4.p4-main.12345@example.test>',
      'in-reply-to': '<p4.p4-main.12345@example.test>',
      'auto-submitted': 'auto-generated',
      precedence: 'bulk',
      'x-auto-response-suppress': 'All',
      'list-id': 'Criticizer p4-main <p4-main.criticizer.example.test>',
      'x-criticizer-change': 'p4-main/12345',
      'x-criticizer-version': '3',
      'x-criticizer-verdict': 'high',
      'x-criticizer-key': sampleKey,
    });
    expect(parsed.date).toBe('2026-01-02T03:04:05.000Z');
    expect(parsed.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(mail.text.trimEnd());
    expect(parsed.html?.replaceAll('\r\n', '\n').trimEnd()).toBe(mail.html.trimEnd());
  });

  it('the key header is the row’s, whatever the mail says', async () => {
    const forged = { ...sampleMail, headers: [{ name: 'x-criticizer-key', value: 'forged' }] };
    const parsed = await PostalMime.parse(await composeMessage(forged, sampleKey));
    expect(parsed.headers.filter(({ key }) => key === 'x-criticizer-key').map(({ value }) => value)).toEqual([
      sampleKey,
    ]);
  });

  it('reads no file and no URL that a body names', async () => {
    const bodies = {
      text: 'file:///etc/passwd',
      html: '<img src="file:///etc/passwd"><img src="data:image/png;base64,AAAA">',
    };
    const parsed = await PostalMime.parse(await composeMessage({ ...sampleMail, ...bodies }, sampleKey));
    expect(parsed.attachments).toEqual([]);
    expect(parsed.text?.trim()).toBe(bodies.text);
  });

  it('NOT-5: the same bytes in other processes, time zones and locales', async () => {
    const script = `
      import { createHash } from 'node:crypto';
      const { composeMessage } = await import(${JSON.stringify(new URL('../src/smtp/compose-message.ts', import.meta.url).href)});
      const mail = JSON.parse(process.argv[1]);
      mail.date = new Date(mail.date);
      console.log(createHash('sha256').update(await composeMessage(mail, ${JSON.stringify(sampleKey)})).digest('hex'));
    `;
    const mail = compose(inputWith('Größe 漢字 text'), 'Dev');
    const here = createHash('sha256')
      .update(await composeMessage(mail, sampleKey))
      .digest('hex');
    const run = promisify(execFile);
    const args = [
      '--conditions=criticizer-source',
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      script,
      JSON.stringify(mail),
    ];
    const environments = [
      { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
      { TZ: 'America/St_Johns', LANG: 'C', LC_ALL: 'C' },
    ];
    const hashes = await Promise.all(
      environments.map(async (env) =>
        (await run(process.execPath, args, { env: { ...process.env, ...env } })).stdout.trim(),
      ),
    );
    expect(hashes).toEqual([here, here]);
  }, 60_000);
});
