import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CodeReviewRecord, type CodeReviewServer, startCodeReviewServer } from '../src/testing/index.js';

interface Answer {
  error?: unknown;
  data: { comments: { id: number }[]; lastSeen: number | null; reviews: { versions: object[] }[] };
}

const login = (name: string): string => `Basic ${Buffer.from(`${name}:ticket-of-${name}`).toString('base64')}`;

let server: CodeReviewServer;
let review: CodeReviewRecord;

beforeEach(async () => {
  const users = Object.fromEntries(['crz', 'ada', 'bob', 'Override'].map((name) => [name, `ticket-of-${name}`]));
  server = await startCodeReviewServer({ users });
  review = server.addReview({ change: 4_711, author: 'ada', files: { '//depot/a.c': 'one\ntwo\n' } });
});
afterEach(() => server.close());

async function call(method: string, path: string, body?: unknown, user = 'crz') {
  const response = await fetch(`${server.origin}/api/v11${path}`, {
    method,
    headers: { authorization: login(user), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, answer: (await response.json()) as Answer };
}
const post = (body: object, query = '?notify=silent', user?: string) =>
  call('POST', `/comments/reviews/${review.id}${query}`, body, user);

describe('the stand-in of P4 Code Review', () => {
  it('makes the poster a participant, and whom a silent body mentions, in code too', async () => {
    await post({ body: 'Look: `x` @Override and @*bob, mail@ada' });
    expect([...review.participants]).toEqual(['ada', 'crz', 'Override', 'bob']);
    expect([...review.requiredReviewers]).toEqual(['bob']);
    await post({ body: '@\u200Bnobody \\@bob `@ada`' });
    expect(review.participants.size).toBe(4);
    expect(server.state.mails).toEqual([]);
  });

  it('sends mail at once, later or never', async () => {
    await post({ body: 'one' }, '');
    await post({ body: 'two' }, '?notify=delayed');
    expect(server.state.mails).toEqual([]);
    await post({ body: 'three' }, '?notify=immediate');
    expect(server.state.mails).toMatchObject([{ from: 'crz', to: ['ada'], comments: [881, 882, 883] }]);
  });

  it('pages oldest first, filters after it counted, and ends at null alone', async () => {
    for (const body of ['one', 'two', 'three']) await post({ body });
    await call('POST', '/comments/881/archive');
    const list = (query: string) => call('GET', `/comments/reviews/${review.id}?max=2${query}`);
    const ids = ({ answer: { data } }: { answer: Answer }): object => ({
      ids: data.comments.map(({ id }) => id),
      lastSeen: data.lastSeen,
    });
    expect(ids(await list('&ignoreArchived=true'))).toEqual({ ids: [882], lastSeen: 882 });
    expect(ids(await list('&after=882'))).toEqual({ ids: [883], lastSeen: 883 });
    expect(ids(await list('&after=883'))).toEqual({ ids: [], lastSeen: null });
    expect(ids(await list('&after=7'))).toEqual({ ids: [], lastSeen: null });
  });

  it('hides comments on files that the caller may not read', async () => {
    await post({ body: 'here', context: { file: '//depot/a.c', leftLine: null, rightLine: 2, content: null } });
    server.state.unreadable.set('bob', new Set(['//depot/a.c']));
    const { answer } = await call('GET', `/comments/reviews/${review.id}`, undefined, 'bob');
    expect(answer).toMatchObject({ data: { comments: [], lastSeen: 881 } });
  });

  it.each([
    ['a line as text', { file: '//depot/a.c', leftLine: null, rightLine: '2', content: null }, 400],
    ['a line without its sides', { file: '//depot/a.c', rightLine: 2 }, 400],
    ['an unknown version', { file: '//depot/a.c', leftLine: null, rightLine: 2, content: null, version: 3 }, 409],
    ['a file that is not in the review', { file: '//depot/z.c' }, 200],
  ])('answers %s with its status', async (_what, context, status) => {
    expect((await post({ body: 'x', context })).status).toBe(status);
  });

  it('lets the author alone change a body, and nobody a context', async () => {
    await post({ body: 'one', context: { file: '//depot/a.c' } });
    expect((await call('POST', '/comments/881/edit', { body: 'mine' }, 'bob')).status).toBe(403);
    expect((await call('POST', '/comments/881/edit', {})).status).toBe(500);
    const { answer } = await call('POST', '/comments/881/edit', { body: 'two', context: {} });
    expect(answer).toMatchObject({ data: { comments: [{ body: 'two', context: { file: '//depot/a.c' } }] } });
  });

  it('finds reviews by a prefix of the change, and keeps versions for the one that is read', async () => {
    server.addReview({ change: 47_112, author: 'bob' });
    server.addVersion(review);
    const found = await call('GET', '/reviews?keywords=4711&keywordsFields[]=changes');
    expect(found.answer.data.reviews).toHaveLength(2);
    const { answer } = await call('GET', `/reviews/${review.id}`);
    const [first, second] = answer.data.reviews[0]?.versions ?? [];
    expect(first).toMatchObject({ change: expect.any(Number) });
    expect(second).toMatchObject({ change: review.id, archiveChange: expect.any(Number) });
  });

  it('refuses as the server does: unknown login bare, private and renumbered 403, absent 404', async () => {
    const hidden = server.addReview({ change: 5, author: 'bob', isPrivate: true });
    server.addChange({ number: 20, user: 'ada', submittedAs: 30 });
    const status = async (path: string): Promise<number> => (await call('GET', path)).status;
    expect(await status(`/comments/reviews/${hidden.id}`)).toBe(403);
    expect(await status('/comments/changes/30')).toBe(403);
    expect(await status('/comments/changes/20')).toBe(200);
    expect(await status('/comments/reviews/1')).toBe(404);
    expect(await call('GET', '/reviews', undefined, 'eve')).toEqual({ status: 401, answer: { error: 'Unauthorized' } });
  });

  it('loses an answer after or before it saved, and answers v9 lists that fail as empty ones', async () => {
    server.fail('save-then-drop', 'write');
    await expect(post({ body: 'kept' })).rejects.toThrow(TypeError);
    server.fail('save-late', 'write');
    await expect(post({ body: 'later' })).rejects.toThrow(TypeError);
    expect(server.state.comments.map(({ body }) => body)).toEqual(['kept']);
    expect(server.saveLate()).toBe(1);
    expect(server.state.comments.map(({ body }) => body)).toEqual(['kept', 'later']);
    const headers = { authorization: login('crz') };
    const response = await fetch(`${server.origin}/api/v9/comments?topic=reviews/1`, { headers });
    expect([response.status, await response.json()]).toEqual([200, { topic: '', comments: [], lastSeen: null }]);
  });

  it('shows a review with its comments at their lines, as text', async () => {
    const context = { file: '//depot/a.c', leftLine: null, rightLine: 2, content: null };
    await post({ body: 'At **two** <b>x</b>', context });
    const page = await (await fetch(`${server.origin}/reviews/${review.id}`)).text();
    expect(page).toMatch(/<span>two<\/span><\/div><div class="note">/);
    expect(page).toContain('At <strong>two</strong> &lt;b&gt;x&lt;/b&gt;');
  });
});
