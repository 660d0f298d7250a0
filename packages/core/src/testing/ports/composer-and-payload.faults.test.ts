import { createPayloadRedactor } from '@criticizer/redact';
import { describe, expect, it } from 'vitest';
import type { PayloadRedactor } from '../../foundation/redactor.js';
import { messageIdFor } from '../../outbox/outbox-key.js';
import type { PlacedFinding } from '../../review/merge/place-findings.js';
import type { MailComposer } from '../../stages/notify/mail-composer.js';
import { collectCases, failedCases } from '../support/collecting-runner.js';
import { describeMailComposerContract } from './mail-composer-contract.js';
import { describePayloadRedactorContract } from './payload-redactor-contract.js';

let samples = 0;
const sample = (): string => `value${++samples}withLetters`;

describe('@criticizer/redact', () => {
  describePayloadRedactorContract({ describe, it }, { create: () => createPayloadRedactor(), sample });
});

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const oneLine = (text: string): string =>
  text
    .replaceAll('=?', '= ?')
    .replace(/[\r\n\0]+/g, ' ')
    .replace(/\S{200,}/g, '…')
    .slice(0, 200);

type Content = Parameters<MailComposer['compose']>[0];
const describePlace = ({ file, place }: Content['result']['findings'][number]): string =>
  `${file}:${place.line ?? 'whole file'}${place.status === 'unverified' ? ' (not confirmed)' : ''}`;
const verdict = ({ result, notShown }: Content): string =>
  `${result.findings.length} findings, ${notShown.belowFloor} below the floor`;

/** The least that keeps the contract. */
const plain: MailComposer = {
  compose: (content, { recipient, key, date }) => {
    const text = [
      ...content.result.findings.flatMap((f) => [f.title, describePlace(f), f.message]),
      verdict(content),
      ...content.coverage.files.map((f) => `${f.path} ${f.state}`),
    ].join('\n');
    const from = { address: 'reviews@example.test' };
    return {
      messageId: messageIdFor(key, 'example.test'),
      from,
      envelopeFrom: from.address,
      to: { address: recipient.address },
      subject: oneLine(`${content.change.number}: ${verdict(content)}: ${content.change.description}`),
      date,
      text: text.replace(/\r/g, ''),
      html: `<pre>${escaped(text.replace(/\r/g, ''))}</pre>`,
      headers: [],
    };
  },
};

describe('a plain composer', () => describeMailComposerContract({ describe, it }, { create: () => plain }));

describe('planted faults are convicted', () => {
  const convict = async (composer: MailComposer) =>
    (await failedCases(collectCases(describeMailComposerContract, { create: () => composer }))).map((c) => c.name);
  const changed = (more: (mail: ReturnType<MailComposer['compose']>, content: Content) => object): MailComposer => ({
    compose: (content, envelope) => {
      const mail = plain.compose(content, envelope);
      return { ...mail, ...more(mail, content) };
    },
  });

  const claimed = (part: (text: string) => object): MailComposer =>
    changed(({ text }, { result }) =>
      part(`${text}\n${result.findings.map((f) => `${f.title} at ${(f as PlacedFinding).model.line}`).join('\n')}`),
    );
  const unmarked = (text: string): string => text.replaceAll(' (not confirmed)', '');

  it.each([
    ['a date of its own', changed(() => ({ date: new Date(samples++) }))],
    ['markup let through', changed((mail, content) => ({ html: `${mail.html}${content.result.summary}` }))],
    [
      'a header from the description',
      changed((_, content) => ({ headers: [{ name: 'X-Title', value: content.change.description }] })),
    ],
    [
      'an encoded word let into the subject',
      changed(({ subject }, { change }) => ({
        subject: change.description.includes('=?') ? change.description : subject,
      })),
    ],
    ['findings left out of the text', changed(() => ({ text: 'See the HTML part.' }))],
    ['the model’s line in the text', claimed((text) => ({ text }))],
    ['the model’s line in the HTML', claimed((html) => ({ html }))],
    [
      'a place that is not told from a confirmed one',
      changed(({ text, html }) => ({ text: unmarked(text), html: unmarked(html) })),
    ],
    [
      'a subject without the findings below the floor',
      changed((_, content) => ({ subject: `${content.change.number}: a review` })),
    ],
    [
      '"no findings" though some lie below the floor',
      changed(({ subject, text }, { result }) => ({
        subject,
        text: result.findings.length === 0 ? `${text}\nNo findings.` : text,
      })),
    ],
  ])('%s', async (_name, composer) => {
    expect(await convict(composer)).not.toEqual([]);
  });

  const honest = createPayloadRedactor();
  it.each<[string, PayloadRedactor]>([
    [
      'looks at the top level only',
      { ...honest, redact: (value) => ({ ...honest.redact(value), value: JSON.parse(JSON.stringify(value ?? null)) }) },
    ],
    [
      'throws on a circle',
      { ...honest, redact: (value) => honest.redact(JSON.parse(JSON.stringify(value) ?? 'null')) },
    ],
    [
      'counts nothing',
      {
        ...honest,
        redact: (value) => ({
          ...honest.redact(value),
          meta: { ...honest.redact(value).meta, fields_redacted_count: 0, redacted_paths: [] },
        }),
      },
    ],
  ])('%s', async (_name, redactor) => {
    const failed = await failedCases(collectCases(describePayloadRedactorContract, { create: () => redactor, sample }));
    expect(failed).not.toEqual([]);
  });
});
