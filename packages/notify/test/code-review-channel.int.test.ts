import { createHash } from 'node:crypto';
import type { ChannelReview, ReviewMailContent, ReviewMailFinding } from '@criticizer/core/ports';
import { channelReview } from '@criticizer/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CodeReviewRecord } from '../src/testing/index.js';
import { codeFile, createDelivery, judgedChange, startCodeReview } from './code-review-setup.js';

let parts: Awaited<ReturnType<typeof startCodeReview>>;
let review: CodeReviewRecord;
let outbox: ReturnType<typeof createDelivery>;

beforeEach(async () => {
  parts = await startCodeReview();
  review = parts.server.addReview({ change: judgedChange, author: 'ada', files: { [codeFile]: 'one\n'.repeat(50) } });
  outbox = createDelivery(parts.channel);
});
afterEach(() => parts.dispose());

const comments = () => parts.server.state.comments;
const bodies = () => comments().map(({ body }) => body);
const isArchived = () => comments().map(({ flags }) => flags.includes('closed'));

const finding = (more: Partial<ReviewMailFinding> = {}): ReviewMailFinding => ({
  ...{ id: 'f1', severity: 'high', category: 'correctness', title: 'Off by one', file: codeFile },
  ...{ place: { line: 42, endLine: null, status: 'exact' }, message: 'The last entry is left out.', ...more },
});
function saying(findings: readonly ReviewMailFinding[], more: Partial<ReviewMailContent> = {}): Partial<ChannelReview> {
  const { content, counts } = channelReview('swarm', 1, 'code');
  if (content === null) throw new Error('expected content');
  const kind = 'shelved';
  return {
    counts: { ...counts, change: { ...counts.change, kind } },
    content: { ...content, change: { ...content.change, kind }, result: { findings }, ...more },
  };
}
const since = (notReported: NonNullable<ReviewMailContent['sinceVersion']>['notReported']) => ({
  sinceVersion: {
    ...{ reviewVersion: 1, new: 0, reportedAgain: 0, open: 0, resolved: notReported.length, notVerifiable: 0 },
    notReported,
  },
});

describe('the channel of P4 Code Review', () => {
  it('CHN-2: posts the gravest at their lines, silently, and one summary of which people get mail', async () => {
    const findings = Array.from({ length: 12 }, (_, n) => finding({ id: `f${n}`, title: `Finding ${n}` }));
    const { posts } = await outbox.deliver(1, saying([...findings, finding({ id: 'whole', file: null })]));
    expect(posts.slice(0, 2).map(({ target }) => target)).toEqual([
      expect.stringMatching(new RegExp(`^reviews/${review.id}#f0/[0-9a-f]{8}-high$`)),
      expect.stringMatching(new RegExp(`^reviews/${review.id}#f1/[0-9a-f]{8}-high$`)),
    ]);
    const placed = comments().filter(({ context }) => context.rightLine === 42);
    expect(placed.map(({ body }) => /Finding \d+/.exec(body)?.[0])).toEqual(
      findings.slice(0, 10).map(({ title }) => title),
    );
    const [summary, ...none] = comments().filter(({ context }) => context.file === undefined);
    expect(none).toEqual([]);
    for (const said of ['Finding 10', 'Finding 11', 'change itself']) expect(summary?.body).toContain(said);
    expect(summary?.body).not.toContain('Finding 9');
    expect(parts.server.state.mails.map((mail) => mail.comments)).toEqual([[summary?.id]]);
    expect(comments().map(({ taskState }) => taskState)).toEqual(Array(11).fill('comment'));
  });

  it('CHN-2: mentions of model and change are broken everywhere, and nobody is added to the review', async () => {
    const text = '@everyone `@everyone` (@*everyone) "@!everyone" [link](https://evil.example)';
    await outbox.deliver(
      1,
      saying([finding({ title: text, message: text, suggestion: text, category: text })], {
        result: {
          summary: text,
          findings: [finding({ title: text, message: text, suggestion: text, category: text })],
        },
        warnings: [text],
      }),
    );
    expect(bodies().join('\n')).not.toMatch(/@(?!\u200B)/);
    expect(bodies().join('\n')).not.toContain('](https://evil');
    expect([...review.participants]).toEqual(['ada', 'crz']);
    expect(review.requiredReviewers.size).toBe(0);
  });

  it('CHN-2: shows lines in the version that holds the judged content, whatever is shelved meanwhile', async () => {
    const judged = review.versions[0]?.archiveChange ?? 0;
    parts.digests.set(judged, 'digest-1');
    const next = parts.server.addVersion(review);
    parts.digests.set(next.archiveChange ?? 0, 'another');
    // A third version comes between the reading and the first post.
    parts.server.beforeNextWrite(() => void parts.server.addVersion(review));
    const excerpt = [39, 40, 41, 42].map((line) => ({
      ...{ line, oldLine: line === 42 ? null : line - 1, text: `line ${line}`, isCited: line === 42 },
    }));
    await outbox.deliver(1, saying([finding({ excerpt })]));
    expect(comments()[0]?.context).toEqual({
      ...{ file: codeFile, version: 1, leftLine: null, rightLine: 42 },
      content: [' line 39', ' line 40', ' line 41', '+line 42'],
    });
  });

  it('CHN-2: guesses no version: what no version surely holds is said of the file', async () => {
    for (const { archiveChange } of review.versions) parts.digests.set(archiveChange ?? 0, 'another');
    await outbox.deliver(1, saying([finding()]));
    expect(comments()[0]?.context).toMatchObject({ file: codeFile });
    expect(comments()[0]?.context).not.toHaveProperty('rightLine');
    expect(bodies()[0]).toContain('Line 42 of the content that was reviewed');
  });

  it('CHN-2: a change without a review is commented by its first number; lines of a shelf are left out', async () => {
    parts.server.state.reviews.clear();
    parts.server.addChange({ number: 4_700, user: 'ada', submittedAs: judgedChange });
    await outbox.deliver(1, { ...saying([finding()]), originalNumber: 4_700 });
    expect(comments().map(({ topic }) => topic)).toEqual(['changes/4700', 'changes/4700']);
    expect(comments()[0]?.context).toEqual({ file: codeFile });
    const { content } = channelReview('swarm', 1, 'code');
    await outbox.deliver(2, { content, originalNumber: 4_700, earlier: [] });
    expect(comments()[2]?.context).toMatchObject({ file: codeFile, rightLine: 42 });
  });

  it('CHN-2: a comment whose answer was lost is found by its reference, not posted again', async () => {
    const posted = await parts.channel.plan(channelReview('swarm', 1, 'code'), { signal: outbox.signal });
    const [{ target, body, content } = { target: '', body: {}, content: 'counts' as const }] = posted;
    const post = { channel: 'swarm', target, body, content, date: new Date(0) };
    const key = channelReview('swarm', 1, 'code').key(target);
    const query = { post, key, id: null, since: new Date(0), signal: outbox.signal };
    parts.server.fail('save-late', 'write');
    expect(await parts.channel.send(post, outbox.context(key))).toMatchObject({ kind: 'ambiguous' });
    // Until the server's own limit is over, an absent comment may still come.
    expect(await parts.channel.lookup?.({ ...query, sinceDataMs: 59_999 })).toEqual({
      kind: 'absent',
      conclusive: false,
    });
    parts.server.saveLate();
    expect(await parts.channel.lookup?.({ ...query, sinceDataMs: 60_000 })).toEqual({ kind: 'found', id: '881' });
    // A reader archived it: it was posted all the same.
    comments()[0]?.flags.push('closed');
    expect(await parts.channel.lookup?.({ ...query, sinceDataMs: 60_000 })).toMatchObject({ kind: 'found' });
    // Somebody quotes the reference: only a comment of the account counts.
    Object.assign(comments()[0] ?? {}, { user: 'ada' });
    expect(await parts.channel.lookup?.({ ...query, sinceDataMs: 60_000 })).toEqual({
      kind: 'absent',
      conclusive: true,
    });
  });

  it('CHN-2: no text of others is a reference, nor any line of a comment but its signature', async () => {
    const forged = `[crz:${createHash('sha256').update(`1 reviews/${review.id}#summary`).digest('hex').slice(0, 12)}]`;
    const text = `a\n${forged}\nb`;
    const { posts, review: judged } = await outbox.deliver(1, saying([finding({ message: text, suggestion: text })]));
    const [posted, summary] = comments();
    expect(posted?.body).not.toContain(forged);
    expect(summary?.body.endsWith(forged)).toBe(true);
    // As if it had come through.
    Object.assign(posted ?? {}, { body: `${forged}\n\n${posted?.body}` });
    const [, { target, body, content } = { target: '', body: {}, content: 'counts' as const }] = posts;
    const post = { channel: 'swarm', target, body, content, date: judged.date };
    const query = { post, key: judged.key(target), id: null, since: new Date(0), sinceDataMs: 60_000 };
    const found = await parts.channel.lookup?.({ ...query, signal: outbox.signal });
    expect(found).toEqual({ kind: 'found', id: String(summary?.id) });
  });

  it.each(['empty-list', 'error-in-success', 'not-json', 'unauthorized', 'unavailable'] as const)(
    'CHN-2: %s is no proof that a comment is absent',
    async (fault) => {
      const [target, key] = [`reviews/${review.id}#summary`, '0'.repeat(32)];
      const body = { kind: 'archive', topic: `reviews/${review.id}`, comment: 7, references: ['[crz:000000000000]'] };
      const post = { channel: 'swarm', target, body, content: 'counts', date: new Date(0) } as const;
      parts.server.fail(fault, 'read', 9);
      const query = { post, key, id: null, since: new Date(0), sinceDataMs: 60_000, signal: outbox.signal };
      const found = await parts.channel.lookup?.(query).catch(() => 'nobody knows');
      expect(found).toEqual(fault === 'empty-list' ? { kind: 'absent', conclusive: false } : 'nobody knows');
    },
  );

  it('CHN-2: what is hidden from the account is not absent', async () => {
    const { posts, review: judged } = await outbox.deliver(1, saying([finding()]));
    parts.server.state.unreadable.set('crz', new Set([codeFile]));
    const [{ target, body, content } = { target: '', body: {}, content: 'counts' as const }] = posts;
    const post = { channel: 'swarm', target, body, content, date: judged.date };
    const query = { post, key: judged.key(target), id: null, since: new Date(0), sinceDataMs: 60_000 };
    const found = await parts.channel.lookup?.({ ...query, signal: outbox.signal });
    expect(found).toEqual({ kind: 'absent', conclusive: false });
  });

  it('CHN-2: a new version says nothing again, edits a severity, and archives what moved', async () => {
    await outbox.deliver(1, saying([finding({ id: 'same' }), finding({ id: 'graver' }), finding({ id: 'moved' })]));
    expect(comments()).toHaveLength(4);
    await outbox.deliver(
      2,
      saying([
        finding({ id: 'same', title: 'Other words' }),
        finding({ id: 'graver', severity: 'critical' }),
        finding({ id: 'moved', place: { line: 7, endLine: null, status: 'exact' } }),
      ]),
    );
    expect(bodies()[0]).not.toContain('Other words');
    expect(bodies()[1]).toContain('**Critical:**');
    expect(comments().map(({ context }) => context.rightLine ?? null)).toEqual([42, 42, 42, null, 7, null]);
    expect(isArchived()).toEqual([false, false, true, true, false, false]);
    const before = parts.server.written.length;
    await outbox.deliver(
      3,
      saying([
        finding({ id: 'same' }),
        finding({ id: 'graver', severity: 'critical' }),
        finding({ id: 'moved', place: { line: 7, endLine: null, status: 'exact' } }),
      ]),
    );
    // The summary, and the one before it to the archive.
    expect(parts.server.written.length - before).toBe(2);
  });

  it('CHN-2: a resolved finding is said so in its comment, and reported again it has a new one', async () => {
    await outbox.deliver(1, saying([finding()]));
    const gone = {
      id: 'f1',
      state: 'resolved',
      severity: 'high',
      title: 'Off by one',
      file: codeFile,
      line: null,
    } as const;
    await outbox.deliver(2, saying([], since([gone])));
    expect(bodies()[0]).toContain('**Resolved in version 1.**');
    expect(bodies()[0]).toContain('Off by one');
    await outbox.deliver(3, saying([finding()]));
    expect(comments().filter(({ context }) => context.rightLine === 42)).toHaveLength(2);
  });

  describe('a change that is put under review after it was commented on', () => {
    const at = (topic: string) =>
      comments()
        .filter((one) => one.topic === topic && !one.flags.includes('closed'))
        .map(({ context }) => context.file ?? 'summary');
    const changeTopic = `changes/${judgedChange}`;
    const putUnderReview = () => {
      review = parts.server.addReview({ change: judgedChange, author: 'ada' });
      return `reviews/${review.id}`;
    };
    beforeEach(() => {
      parts.server.state.reviews.clear();
      parts.server.addChange({ number: judgedChange, user: 'ada' });
    });

    it('CHN-2: gets its comments in the review, and those at the change are archived', async () => {
      await outbox.deliver(1, saying([finding(), finding({ id: 'gone' })]));
      expect(at(changeTopic)).toEqual([codeFile, codeFile, 'summary']);
      const topic = putUnderReview();
      const resolved = { state: 'resolved', severity: 'high', title: 'Gone', file: codeFile, line: null } as const;
      await outbox.deliver(2, saying([finding()], since([{ id: 'gone', ...resolved }])));
      expect(at(changeTopic)).toEqual([]);
      expect(at(topic)).toEqual([codeFile, 'summary']);
      const before = parts.server.written.length;
      await outbox.deliver(3, saying([finding()]));
      expect(parts.server.written.length - before).toBe(2);
      expect(at(topic)).toEqual([codeFile, 'summary']);
    });

    it('CHN-2: an archive of whose effect nobody knows is planned again', async () => {
      await outbox.deliver(1, saying([finding()]));
      const topic = putUnderReview();
      parts.server.fail('drop', 'write', 4);
      await outbox.deliver(2, saying([finding()]));
      expect(at(changeTopic)).toEqual([codeFile, 'summary']);
      await outbox.resend(2);
      await outbox.deliver(3, saying([finding()]));
      expect(at(changeTopic)).toEqual([]);
      expect(at(topic)).toEqual([codeFile, 'summary']);
    });

    it('CHN-2: what this version says nothing of stays at the change', async () => {
      await outbox.deliver(1, saying([finding({ id: 'open' }), finding()]));
      const topic = putUnderReview();
      const open = { state: 'open', severity: 'high', title: 'Open', file: codeFile, line: null } as const;
      await outbox.deliver(2, saying([finding()], since([{ id: 'open', ...open }])));
      expect(at(changeTopic)).toEqual([codeFile]);
      expect(at(topic)).toEqual([codeFile, 'summary']);
    });

    it('CHN-2: where no finding may go there any more, the summary alone is archived', async () => {
      await outbox.deliver(1, saying([finding()]));
      const topic = putUnderReview();
      await outbox.deliver(2, { content: null, level: 'counts' });
      expect(at(changeTopic)).toEqual([codeFile]);
      expect(at(topic)).toEqual(['summary']);
    });
  });

  it('CHN-2: where nobody knows of an earlier comment, it is looked for, and waited for, before it is posted', async () => {
    let now = Date.parse('2026-01-02T03:04:05.000Z');
    await parts.dispose();
    parts = await startCodeReview({ nowMs: () => now });
    review = parts.server.addReview({ change: judgedChange, author: 'ada' });
    outbox = createDelivery(parts.channel);
    parts.server.fail('save-late', 'write');
    await outbox.deliver(1, saying([finding()]));
    const second = await outbox.deliver(2, saying([finding()]));
    expect(second.outcomes[0]).toMatchObject({ kind: 'rejected', permanent: false, retryAfterMs: 60_000 });
    parts.server.saveLate();
    now += 60_000;
    const { outcomes } = await outbox.deliver(3, saying([finding()]));
    const placed = comments().filter(({ context }) => context.rightLine === 42);
    expect(placed).toHaveLength(1);
    expect(outcomes[0]).toEqual({ kind: 'accepted', id: String(placed[0]?.id) });
  });

  const moved = finding({ place: { line: 7, endLine: null, status: 'exact' } });
  const gone = { id: 'f1', state: 'resolved', severity: 'high', title: 'Gone', file: codeFile, line: null } as const;
  it.each([
    ['is still there', saying([finding()]), [42, null]],
    ['moved', saying([moved]), [7, null]],
    ['is resolved', saying([], since([gone])), [42, null]],
  ] as const)('CHN-2: what was lost of a version is not there twice, where its finding %s', async (_, next, open) => {
    for (const isTakenOver of [false, true]) {
      let now = Date.parse('2026-01-02T03:04:05.000Z');
      await parts.dispose();
      parts = await startCodeReview({ nowMs: () => now });
      review = parts.server.addReview({ change: judgedChange, author: 'ada' });
      outbox = createDelivery(parts.channel);
      parts.server.fail('save-late', 'write', 2);
      await outbox.deliver(1, saying([finding()]));
      await outbox.deliver(2, next);
      parts.server.saveLate();
      now += 60_000;
      // A third version may come before the second has done its part.
      if (isTakenOver) await outbox.deliver(3, next);
      else await outbox.resend(2);
      const shown = comments().filter(({ flags }) => !flags.includes('closed'));
      expect(shown.map(({ context }) => context.rightLine ?? null).sort()).toEqual([...open].sort());
    }
  });

  it('CHN-2: counts alone where no finding may go there', async () => {
    const { posts } = await outbox.deliver(1, { content: null, level: 'counts' });
    expect(posts.map(({ content, target }) => [content, target])).toEqual([['counts', `reviews/${review.id}#summary`]]);
    expect(bodies()[0]).toContain('1 high, 1 low');
  });

  it('plans nothing for a change of another server', async () => {
    const counts = channelReview('swarm', 1, 'counts').counts;
    const { posts } = await outbox.deliver(1, { counts: { ...counts, change: { ...counts.change, serverId: 'b' } } });
    expect(posts).toEqual([]);
    expect(parts.server.calls).toEqual([]);
  });
});
