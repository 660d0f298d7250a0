import { Secret } from '@criticizer/core';
import { createHttpClient, type HttpClient } from '@criticizer/core/http';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CodeReviewClient,
  type CodeReviewTopic,
  createCodeReviewClient,
  makeInert,
  makeInertCode,
  type NewCodeReviewComment,
} from '../src/p4-code-review/index.js';
import { type CodeReviewRecord, type CodeReviewServer, startCodeReviewServer } from '../src/testing/index.js';

let server: CodeReviewServer;
let review: CodeReviewRecord;
let http: HttpClient;
let client: CodeReviewClient;
const { signal } = new AbortController();
const silent = { isSilent: true, signal };

/** A source of one ticket, with one before it. */
const tickets = (current: string, previous?: string) => ({
  contract: 1 as const,
  read: async () => ({
    current: { secret: new Secret(current), version: '2' },
    ...(previous === undefined ? {} : { previous: { secret: new Secret(previous), version: '1' } }),
  }),
});
const connect = (source: ReturnType<typeof tickets>, requestTimeoutMs = 5_000): CodeReviewClient =>
  createCodeReviewClient({
    url: `${server.origin}/`,
    user: 'crz',
    ticket: { source, name: 'TICKET' },
    http,
    requestTimeoutMs,
  });

beforeEach(async () => {
  server = await startCodeReviewServer({ users: { crz: 'a-ticket', ada: 'b-ticket', bob: 'c-ticket' } });
  review = server.addReview({ change: 4_711, author: 'ada', files: { '//depot/a.c': 'one\ntwo\n' } });
  http = createHttpClient({ allowPrivateOrigins: [server.origin] });
  client = connect(tickets('a-ticket'));
});
afterEach(async () => {
  await http.close();
  await server.close();
});

const topic = (): `reviews/${number}` => `reviews/${review.id}`;

describe('the client of P4 Code Review', () => {
  it('SEC-3: takes no plain http to another machine, which would carry the ticket in the clear', () => {
    const ticket = { source: tickets('a-ticket'), name: 'TICKET' };
    const at = (url: string) => () => createCodeReviewClient({ url, user: 'crz', ticket, http });
    expect(at('http://swarm.example.test')).toThrow(/url: expected an https address/);
    expect(at('http://localhost:8080')).not.toThrow();
  });

  it('SEC-3: takes plain http where the HTTP client was given the origin, and there alone', async () => {
    const inHouse = server.origin.replace('127.0.0.1', 'swarm.internal');
    const ticket = { source: tickets('a-ticket'), name: 'TICKET' };
    const resolveHost = async () => [{ address: '127.0.0.1', family: 4 }];
    const listed = createHttpClient({ allowPrivateOrigins: [inHouse], resolveHost });
    const at = (url: string, by: HttpClient) => createCodeReviewClient({ url, user: 'crz', ticket, http: by });
    await at(inHouse, listed).checkAccess(signal);
    expect(() => at('http://swarm.internal:1', listed)).toThrow(/url: expected an https address/);
    const { exchange, close } = listed;
    expect(() => at(inHouse, { exchange, close })).toThrow(/url: expected an https address/);
    await listed.close();
  });

  it('reads the versions of the API', async () => {
    expect(await client.readApiVersions(signal)).toContain(11);
  });

  it('says whether it may comment, and comments nothing', async () => {
    await client.checkAccess(signal);
    expect(server.written).toEqual([]);
    await expect(connect(tickets('old')).checkAccess(signal)).rejects.toMatchObject({ parks: true });
    server.fail('unavailable', 'write');
    await expect(client.checkAccess(signal)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  it('finds the newest review of exactly this change, and its versions', async () => {
    server.addReview({ change: 47_112, author: 'bob' });
    server.addVersion(review);
    const found = await client.findReview(4_711, signal);
    expect(found?.id).toBe(review.id);
    expect(await client.findReview(471, signal)).toBeNull();
    const { versions } = await client.readReview(review.id, signal);
    expect(versions).toMatchObject([{ pending: true }, { change: review.id, archiveChange: expect.any(Number) }]);
  });

  it('posts at a line of a version, silently, with exactly the bytes that it announced', async () => {
    const announced: string[] = [];
    const context = { file: '//depot/a.c', leftLine: null, rightLine: 2, content: ['+two'], version: 1 };
    const onRequest = async (bytes: Uint8Array): Promise<void> => void announced.push(Buffer.from(bytes).toString());
    const done = await client.postComment(topic(), { body: 'Here.', context }, { ...silent, onRequest });
    expect(done).toEqual({ kind: 'done', id: 881 });
    expect(server.state.comments).toMatchObject([{ body: 'Here.', context, user: 'crz' }]);
    expect(announced.map((text) => JSON.parse(text))).toEqual([{ body: 'Here.', context, taskState: 'comment' }]);
    expect(server.state.mails).toEqual([]);
  });

  it('sends nothing where the announcement is refused', async () => {
    const reason = new Error('not recorded');
    const onRequest = (): Promise<void> => Promise.reject(reason);
    await expect(client.postComment(topic(), { body: 'x' }, { ...silent, onRequest })).rejects.toBe(reason);
    expect(server.state.comments).toEqual([]);
  });

  it('CHN-2: finds own comments over all pages, archived ones too, and believes no short page', async () => {
    for (let n = 0; n < 130; n++) await client.postComment(topic(), { body: `n ${n}` }, silent);
    await client.postComment(topic(), { body: 'ref [crz:7f3a]' }, silent);
    await client.archiveComment(1_011, { signal });
    // The first page is empty for this account: what it holds is about a file that it may not read.
    for (const one of server.state.comments.slice(0, 100)) one.context = { file: '//depot/secret.c' };
    server.state.unreadable.set('crz', new Set(['//depot/secret.c']));
    server.state.comments.push({
      ...server.state.comments[0],
      id: 2_000,
      body: 'ref [crz:7f3a]',
      user: 'bob',
    } as never);
    const { comments, areAllShown } = await client.findOwnComments(
      topic(),
      ({ body }) => body.includes('[crz:7f3a]'),
      signal,
    );
    expect(comments).toMatchObject([{ id: 1_011, flags: ['closed'] }]);
    expect(areAllShown).toBe(false);
  });

  it('edits an own body, and calls a comment that is gone the fault of the message', async () => {
    await client.postComment(topic(), { body: 'one' }, silent);
    expect(await client.editComment(881, { body: 'two' }, silent)).toEqual({ kind: 'done', id: 881 });
    expect(server.state.comments).toMatchObject([{ body: 'two' }]);
    expect(await client.archiveComment(7, { signal })).toMatchObject({ kind: 'failed', scope: 'message' });
    // A proxy that knows no such page says nothing of the comment.
    server.fail('not-found', 'write');
    expect(await client.archiveComment(881, { signal })).toMatchObject({ kind: 'failed', scope: 'transport' });
  });

  it.each([
    ['unauthorized', 'transport', true],
    ['error-in-success', 'transport', true],
    ['not-found', 'transport', true],
    ['rate-limited', 'transport', false],
    ['unavailable', 'transport', false],
    ['broken', 'ambiguous', false],
    ['not-json', 'ambiguous', false],
    ['drop', 'ambiguous', false],
    ['save-then-drop', 'ambiguous', false],
  ] as const)('takes %s as %s', async (fault, scope, parks) => {
    server.fail(fault, 'write');
    const failed = await client.postComment(topic(), { body: 'x' }, silent);
    expect(failed).toMatchObject({ kind: 'failed', scope, error: { parks } });
    expect(JSON.stringify(failed)).not.toContain('a-ticket');
    if (fault === 'rate-limited') expect(failed).toMatchObject({ error: { retryAfterMs: 7_000 } });
  });

  it('takes 403 and 404 as the topic’s fault, and 400 and 409 as the message’s', async () => {
    const hidden = server.addReview({ change: 5, author: 'bob', isPrivate: true });
    const scope = async (where: CodeReviewTopic, comment: NewCodeReviewComment): Promise<unknown> => {
      const result = await client.postComment(where, comment, silent);
      return result.kind === 'failed' ? result.scope : result;
    };
    const context = { file: '//depot/a.c', leftLine: null, rightLine: 2, content: null, version: 9 };
    expect(await scope(`reviews/${hidden.id}`, { body: 'x' })).toBe('recipient');
    expect(await scope('reviews/1', { body: 'x' })).toBe('recipient');
    expect(await scope(topic(), { body: ' ' })).toBe('message');
    expect(await scope(topic(), { body: 'x', context })).toBe('message');
  });

  it.each([
    [404, { error: 'Not Found', status: 404, path: '/api' }, 'transport'],
    [404, { message: 'no Route matched' }, 'transport'],
    [404, { error: 404, messages: [], data: null }, 'recipient'],
    [407, {}, 'transport'],
  ] as const)('takes the status %i with %j as the fault of the %s', async (status, answer, scope) => {
    const body = Buffer.from(JSON.stringify(answer));
    const stubbed = createCodeReviewClient({
      ...{ url: server.origin, user: 'crz', ticket: { source: tickets('a-ticket'), name: 'TICKET' } },
      http: { ...http, exchange: async () => ({ status, headers: {}, body }) },
    });
    const parks = scope === 'transport';
    const failed = await stubbed.postComment(topic(), { body: 'x' }, silent);
    expect(failed).toMatchObject({ kind: 'failed', scope, error: { parks } });
    const gone = await stubbed.archiveComment(7, silent);
    expect(gone).toMatchObject({ kind: 'failed', scope: parks ? scope : 'message', error: { parks } });
  });

  it.each([0, '', false, null])('takes a success with the error %j as one', async (error) => {
    const body = Buffer.from(JSON.stringify({ error, messages: [], data: { comments: [{ id: 12 }] } }));
    const exchange: HttpClient['exchange'] = async () => ({ status: 200, headers: {}, body });
    const stubbed = createCodeReviewClient({
      ...{ url: server.origin, user: 'crz', ticket: { source: tickets('a-ticket'), name: 'TICKET' } },
      http: { ...http, exchange },
    });
    expect(await stubbed.postComment(topic(), { body: 'x' }, silent)).toEqual({ kind: 'done', id: 12 });
  });

  it('takes a connection that is refused as an outage: nothing was sent', async () => {
    // No call before: a reset of a kept connection could not say whether the request had arrived.
    await server.close();
    const failed = await client.postComment(topic(), { body: 'x' }, silent);
    expect(failed).toMatchObject({ kind: 'failed', scope: 'transport', error: { code: 'NETWORK_REFUSED' } });
  });

  it('falls back to the ticket before, and reports a refused one as an outage that parks', async () => {
    expect(await connect(tickets('new', 'a-ticket')).findReview(4_711, signal)).toMatchObject({ id: review.id });
    // A ticket in a file ends with a line break.
    expect(await connect(tickets('a-ticket\r\n')).findReview(4_711, signal)).toMatchObject({ id: review.id });
    expect(await connect(tickets('new\n', 'a-ticket\n')).findReview(4_711, signal)).toMatchObject({ id: review.id });
    const refused = connect(tickets('new')).findReview(4_711, signal);
    await expect(refused).rejects.toMatchObject({ parks: true, category: 'auth' });
  });

  it('never makes a mention of foreign text', async () => {
    const parts = fc.constantFrom(
      '@',
      '@@',
      '*',
      '!',
      'bob',
      'ada',
      ' ',
      '`',
      '\n',
      '\\',
      '<',
      '(',
      '"',
      'x',
      '\u200B',
    );
    const texts = fc.array(parts, { maxLength: 30 }).map((some) => some.join(''));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        await client.postComment(topic(), { body: `[x] ${makeInert(text)}\n\n${makeInertCode(text)}` }, silent);
      }),
      { numRuns: 60 },
    );
    expect([...review.participants]).toEqual(['ada', 'crz']);
    expect(review.requiredReviewers.size).toBe(0);
  });

  it('CHN-2: makes no link, tag, sign or reference of ours of foreign text', () => {
    const parts = fc.constantFrom('<', '&', '#', 'lt;', 'steam://run/1', '>', '[', 'crz:', '0123456789ab]', ' ', '\n');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 20 }), (some) => {
        const text = some.join('');
        expect(makeInert(text)).not.toMatch(/<(?!\u200B)|&\\?[#\p{L}]/u);
        expect(`${makeInert(text)}${makeInertCode(text)}`).not.toContain('[crz:');
      }),
      { numRuns: 100 },
    );
  });

  it('keeps code in its fence, with its indentation', () => {
    expect(makeInertCode('  if (x)\n    @Override\n')).toBe('```\n  if (x)\n    @\u200BOverride\n```');
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '```', '\n', 'a', ' ')), (parts) => {
        const [fence = '', ...lines] = makeInertCode(parts.join('')).split('\n');
        expect(lines.pop()).toBe(fence);
        expect(lines.join('\n')).not.toContain(fence);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['**bold** `code`', '\\*\\*bold\\*\\* \\`code\\`'],
    ['see https://evil.example and job123456', 'see https\u200B://evil\\.example and job\u200B123456'],
    ['change 12, @Override', 'change \u200B12, @\u200BOverride'],
    ['    code block', 'code block'],
    ['<steam://run/1> a < b', '<\u200Bsteam://run/1\\> a <\u200B b'],
    ['&lt;b&gt; &rlm; &#8207; a && b', '&\u200Blt;b&\u200Bgt; &\u200Brlm; &\u200B\\#8207; a && b'],
    ['title\n===', 'title\n\u200B==='],
  ])('shows %j as text', (text, inert) => {
    expect(makeInert(text)).toBe(inert);
  });
});
