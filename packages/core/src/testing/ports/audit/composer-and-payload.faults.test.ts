import { createPayloadRedactor } from '@criticizer/redact';
import { describe, expect, it } from 'vitest';
import type { PayloadRedactor } from '../../../foundation/redactor.js';
import { messageIdFor } from '../../../outbox/outbox-key.js';
import type { FrozenMail } from '../../../outbox/senders/mailer.js';
import type { PlacedFinding } from '../../../review/merge/place-findings.js';
import type { MailComposer, MailEnvelope } from '../../../stages/notify/mail-composer.js';
import { collectCases, failedCases } from '../../support/collecting-runner.js';
import { describeMailComposerContract } from '../delivery/mail-composer-contract.js';
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

const indented = (text: string): string => text.replace(/^/gm, '  ');

type Content = Parameters<MailComposer['compose']>[0];
type Counts = Parameters<MailComposer['composeCounts']>[0];
const describePlace = ({ file, place }: Content['result']['findings'][number]): string =>
  `${file}:${place.line ?? 'whole file'}${place.status === 'unverified' ? ' (not confirmed)' : ''}`;
const unsettled = (since: Content['sinceVersion'] | Counts['sinceVersion']): string =>
  `${since?.open ?? 0} still open, ${since?.notVerifiable ?? 0} not verifiable`;
const verdict = ({ result, notShown, check, suppressed = 0, sinceVersion }: Content): string =>
  `${result.findings.length} findings, ${notShown.belowFloor} below the floor, ${check?.dropped ?? 0} dropped by the check, ${suppressed} suppressed, ${unsettled(sinceVersion)}`;

const composeMail = (
  { recipient, key, date, thread }: MailEnvelope,
  { subject, text, content }: Pick<FrozenMail, 'subject' | 'text' | 'content'>,
): FrozenMail => ({
  messageId: messageIdFor(key, 'example.test'),
  from: { address: 'reviews@example.test' },
  envelopeFrom: 'reviews@example.test',
  to: { address: recipient.address },
  subject: thread?.content === content && thread !== undefined ? thread.subject : oneLine(subject),
  date,
  text: text.replace(/\r/g, ''),
  html: `<pre>${escaped(text.replace(/\r/g, ''))}</pre>`,
  content,
  headers: [],
});

/** The least that keeps the contract. */
const plain: MailComposer = {
  compose: (content, envelope) => {
    const lines = [
      ...content.result.findings.flatMap((f) => [oneLine(f.title), describePlace(f), indented(f.message)]),
      verdict(content),
      ...content.coverage.files.map((f) => `${f.path} ${f.state}`),
    ];
    const subject = `${content.change.number}: ${content.change.description}`;
    return composeMail(envelope, { subject, text: lines.join('\n'), content: 'findings' });
  },
  composeCounts: (
    { change, findings, belowFloor, check, suppressed = 0, sinceVersion, files, conclusive },
    envelope,
  ) => {
    const subject = `Review of ${change.number}`;
    const text = `${findings.high} high, ${belowFloor} below the floor, ${check?.dropped ?? 0} dropped, ${suppressed} suppressed, ${unsettled(sinceVersion)}\n${files.skipped} of ${files.total} files not reviewed\n${conclusive ? 'whole' : 'partial'}`;
    return composeMail(envelope, { subject, text, content: 'counts' });
  },
};

describe('a plain composer', () => describeMailComposerContract({ describe, it }, { create: () => plain }));

describe('planted faults are convicted', () => {
  const convict = async (composer: MailComposer) =>
    (await failedCases(collectCases(describeMailComposerContract, { create: () => composer }))).map((c) => c.name);
  const changed = (more: (mail: FrozenMail, content: Content) => object): MailComposer => ({
    ...plain,
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

  const changedCounts = (more: (mail: FrozenMail) => object): MailComposer => ({
    ...plain,
    composeCounts: (counts, envelope) => {
      const mail = plain.composeCounts(counts, envelope);
      return { ...mail, ...more(mail) };
    },
  });
  let lastText = '';
  const forgetful: MailComposer = {
    compose: (content, envelope) => {
      const mail = plain.compose(content, envelope);
      lastText = mail.text;
      return mail;
    },
    composeCounts: (counts, envelope) => ({ ...plain.composeCounts(counts, envelope), html: lastText }),
  };

  it.each([
    ['a mail with findings that does not say what it holds', changed(() => ({ content: undefined }))],
    ['a mail with findings that says it has counts', changed(() => ({ content: 'counts' }))],
    ['a mail of counts that does not say what it holds', changedCounts(() => ({ content: undefined }))],
    ['a mail of counts that has the findings of an earlier mail', forgetful],
    ['a mail of counts without its verdict', changedCounts(() => ({ text: '7: reviewed' }))],
    [
      'a mail of counts that calls every review clean',
      changedCounts(({ text }) => ({ text: `${text}\nNo findings.` })),
    ],
    [
      'a mail of counts with the verdict in its subject',
      changedCounts(({ subject, text }) => ({ subject: oneLine(`${subject}: ${text}`) })),
    ],
    ['a mail of counts with a date of its own', changedCounts(() => ({ date: new Date(samples++) }))],
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
    ['a section forged by the summary', changed(({ text }, { result }) => ({ text: `${text}\n${result.summary}` }))],
    ['findings left out of the text', changed(() => ({ text: 'See the HTML part.' }))],
    ['the model’s line in the text', claimed((text) => ({ text }))],
    ['the model’s line in the HTML', claimed((html) => ({ html }))],
    [
      'a place that is not told from a confirmed one',
      changed(({ text, html }) => ({ text: unmarked(text), html: unmarked(html) })),
    ],
    [
      'a text without the findings below the floor',
      changed((mail, { notShown }) => ({ text: notShown.belowFloor === 0 ? mail.text : 'A review.' })),
    ],
    ['the verdict in the subject', changed(({ subject }, content) => ({ subject: `${subject}: ${verdict(content)}` }))],
    [
      'a subject of each description',
      changed((_, { change }) => ({ subject: oneLine(`${change.number}: ${change.description}`) })),
    ],
    [
      'the subject of a mail that holds more',
      {
        ...plain,
        compose: (content: Content, given: MailEnvelope) => ({
          ...plain.compose(content, given),
          ...(given.thread && { subject: given.thread.subject }),
        }),
      },
    ],
    [
      'a text without the findings that the check dropped',
      changed(({ text }) => ({ text: text.replace(/, \d+ dropped by the check/, '') })),
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
