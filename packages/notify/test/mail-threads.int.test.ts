import type { ReviewMailContent, ReviewMailFinding } from '@criticizer/core/ports';
import PostalMime, { decodeWords } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { createReviewMailComposer } from '../src/rendering/review-mail-composer.js';
import { composeMessage } from '../src/smtp/compose-message.js';

const found: ReviewMailFinding = {
  id: 'f',
  severity: 'critical',
  category: 'correctness',
  title: 'Off by one',
  file: '//depot/a.ts',
  place: { line: 1, endLine: null, status: 'exact' },
  message: 'Reads past the end.',
};
const content = (more: Partial<ReviewMailContent> & { serverId?: string; number?: number; title?: string } = {}) => {
  const {
    serverId = 'main',
    number = 12345,
    title = 'Grüße: fix the totals of orders, a title that folds',
    ...rest
  } = more;
  return {
    change: {
      serverId,
      number,
      changelistId: `${serverId}/${number}`,
      user: 'ada',
      description: title,
      kind: 'shelved',
    },
    reviewVersion: 1,
    result: { findings: [found] },
    notShown: { belowFloor: 0, floor: 'info', overCap: 0 },
    conclusive: true,
    coverage: { files: [{ path: '//depot/a.ts', state: 'reviewed' }] },
    withheldSecrets: 0,
    warnings: [],
    ...rest,
  } satisfies ReviewMailContent;
};

interface ReceivedMail {
  id: string;
  subject: string;
  references: readonly string[];
  topic: string;
  index: Buffer;
}

const composer = createReviewMailComposer({ from: { address: 'reviews@example.test' }, host: 'example.test' });
let keys = 0;

/** What a reader's server gets of a review. */
async function receive(given: ReviewMailContent, subjectBefore?: string): Promise<ReceivedMail> {
  const key = (++keys).toString(16).padStart(32, '0');
  const thread = subjectBefore === undefined ? undefined : { subject: subjectBefore, content: 'findings' as const };
  const recipient = { address: 'ada@example.test', required: true };
  const mail = composer.compose(given, { recipient, key, date: new Date(keys), thread });
  const parsed = await PostalMime.parse(await composeMessage(mail, key));
  const header = (name: string) => parsed.headers.find((one) => one.key === name)?.value ?? '';
  return {
    id: parsed.messageId ?? '',
    subject: parsed.subject ?? '',
    references: header('references').split(/\s+/),
    topic: decodeWords(header('thread-topic')),
    index: Buffer.from(header('thread-index'), 'base64'),
  };
}

const withoutPrefix = (subject: string): string => subject.replace(/^(?:(?:re|aw|fwd?|wg):\s*)+/i, '').trim();

function countGroups(mails: readonly ReceivedMail[], keyOf: (mail: ReceivedMail) => string): number {
  return new Set(mails.map(keyOf)).size;
}

/** Gmail: one of the references in common, and the same subject but for reply prefixes. */
const countGmailThreads = (mails: readonly ReceivedMail[]): number =>
  countGroups(mails, ({ references, subject }) => `${references[0]}\n${withoutPrefix(subject)}`);
/** Outlook and Exchange: the header block of Thread-Index, and the topic, which is the subject without prefixes. */
const countOutlookThreads = (mails: readonly ReceivedMail[]): number =>
  countGroups(mails, ({ index, topic }) => `${index.subarray(0, 22).toString('hex')}\n${topic}`);

describe('threads of review mails', () => {
  it('NOT-5: all versions of a change are one thread for Gmail and for Outlook, whatever the verdict or an edited title', async () => {
    const first = await receive(content());
    const mails = [
      first,
      await receive(content({ reviewVersion: 2, result: { findings: [] } })),
      await receive(content({ reviewVersion: 3, conclusive: false, warnings: ['A reply was cut short.'] })),
      await receive(content({ reviewVersion: 4, title: 'Another title' }), first.subject),
    ];
    expect([countGmailThreads(mails), countOutlookThreads(mails)]).toEqual([1, 1]);
    expect(new Set(mails.map(({ id }) => id)).size).toBe(4);
    for (const { index, topic, subject, references, id } of mails) {
      expect(withoutPrefix(subject)).toBe(topic);
      expect(references).not.toContain(id);
      // A header block of 22 bytes that begins with 1, and one reply block of 5.
      expect([index.length, index[0]]).toEqual([27, 1]);
    }
    expect(new Set(mails.map(({ index }) => index.toString('hex'))).size).toBe(4);
  });

  it('NOT-5: another change, and the same number on another server, are threads of their own', async () => {
    const mails = [
      await receive(content()),
      await receive(content({ number: 12346 })),
      await receive(content({ serverId: 'other' })),
    ];
    expect([countGmailThreads(mails), countOutlookThreads(mails)]).toEqual([3, 3]);
  });
});
