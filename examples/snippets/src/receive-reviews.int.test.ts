import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createEnvironmentSecrets } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { channelReview } from '@criticizer/core/testing';
import type { ReviewWebhook } from '@criticizer/notify/webhook';
import { expect, it } from 'vitest';
import { createReviewChannel } from './post-reviews.js';
import { createReviewReceiver } from './receive-reviews.js';

it('CHN-1: the receiver of the page keeps each review once, and refuses what is not signed', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const kept = new Map<string, ReviewWebhook>();
  const failures: Error[] = [new Error('the database is out')];
  const server = createReviewReceiver({
    secret,
    async keep(id, review) {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
      if (!kept.has(id)) kept.set(id, review);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttpClient({ allowPrivateOrigins: [origin] });
  const open = (text: string) => {
    const secrets = createEnvironmentSecrets({ env: { WEBHOOK_SECRET: text } });
    return createReviewChannel({ url: `${origin}/reviews`, http, secrets });
  };
  const channel = open(secret);
  const review = channelReview(channel.id, 1, 'findings');
  const { signal } = new AbortController();
  const [planned] = await channel.plan(review, { signal });
  if (planned === undefined) throw new Error('it plans one');
  const { target, body, content } = planned;
  const post = { channel: channel.id, target, body, content, date: review.date };
  const context = { key: review.key(target), signal, onPhase: async () => undefined };
  expect(await channel.send(post, context)).toMatchObject({ kind: 'ambiguous' });
  for (let repeat = 0; repeat < 2; repeat += 1)
    expect(await channel.send(post, context)).toMatchObject({ kind: 'accepted' });
  expect([...kept.keys()]).toEqual([context.key]);
  expect(kept.get(context.key)?.data.change.id).toBe('main/4712');
  const stranger = open(`whsec_${randomBytes(32).toString('base64')}`);
  expect(await stranger.send(post, context)).toMatchObject({ kind: 'rejected', failure: { code: 'AUTH_DENIED' } });
  await http.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
