import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommentBody } from '../src/p4-code-review/post-body.js';
import { createDelivery, judgedChange, startCodeReview } from './code-review-setup.js';

let parts: Awaited<ReturnType<typeof startCodeReview>>;
let outbox: ReturnType<typeof createDelivery>;
let topic: CommentBody['topic'];

beforeEach(async () => {
  parts = await startCodeReview();
  topic = `reviews/${parts.server.addReview({ change: judgedChange, author: 'ada' }).id}`;
  outbox = createDelivery(parts.channel);
});
afterEach(() => parts.dispose());

const about = { channel: 'swarm', target: 'x', content: 'counts', date: new Date(0) } as const;
const context = () => outbox.context('0'.repeat(32));
const archive = (comment: number | null) => ({
  ...{ ...about, body: { kind: 'archive', topic, comment, references: ['[crz:000000000000]'] } },
});
const comment = (where = topic) => {
  const text = 'Said. [crz:000000000000]';
  const more = { context: null, notifies: false, isTask: false, sameAs: [] };
  return { ...about, body: { kind: 'comment', topic: where, text, ...more } };
};

describe('what the channel of P4 Code Review makes of a refusal', () => {
  it('CHN-2: an expired ticket parks, and so does an address that has no API', async () => {
    for (const fault of ['unauthorized', 'not-found', 'forbidden-page'] as const)
      for (const post of [comment(), archive(7)]) {
        parts.server.fail(fault, 'write');
        await expect(parts.channel.send(post, context())).rejects.toMatchObject({ parks: true });
      }
    expect(parts.server.state.comments).toEqual([]);
  });

  it('CHN-2: a plan waits for an address that has no API', async () => {
    parts.server.fail('not-found', 'read', 9);
    await expect(outbox.deliver(1)).rejects.toMatchObject({ parks: true, details: { status: 404 } });
  });

  it('CHN-2: a topic that is not there is waited for; one that is closed to the account is not', async () => {
    const failure = { scope: 'recipient' };
    const waits = { kind: 'rejected', permanent: false, retryAfterMs: 300_000, failure };
    expect(await parts.channel.send(comment('reviews/1'), context())).toMatchObject(waits);
    const closed = parts.server.addReview({ change: 5, author: 'bob', isPrivate: true });
    const refused = { kind: 'rejected', permanent: true, failure };
    expect(await parts.channel.send(comment(`reviews/${closed.id}`), context())).toMatchObject(refused);
  });

  it('a rate limit is waited out for as long as the server says', async () => {
    parts.server.fail('rate-limited', 'write');
    const waits = { kind: 'rejected', permanent: false, retryAfterMs: 7_000, failure: { scope: 'transport' } };
    expect(await parts.channel.send(comment(), context())).toMatchObject(waits);
  });

  it('a comment that is gone is no failure of its archive', async () => {
    expect(await parts.channel.send(archive(7), context())).toMatchObject({ kind: 'accepted' });
    expect(await parts.channel.send(archive(null), context())).toMatchObject({ kind: 'accepted' });
  });

  it('a body of another form is refused', async () => {
    await expect(parts.channel.send({ ...about, body: { kind: 'vote' } }, context())).rejects.toThrow(TypeError);
  });
});
