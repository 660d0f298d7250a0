import { describe, expect, it } from 'vitest';
import { createAllowList, createP4ChangeFetcher, createTicketWatch, type P4Runner } from '../index.js';
import { createP4CommandLimit, type P4CommandLimit } from './command-limit.js';

/** The most commands that two fetches and a ticket watch run at once. */
async function countTogether(maxConcurrent: number | P4CommandLimit): Promise<number> {
  const events = { emit: () => undefined };
  let running = 0;
  let most = 0;
  const runner: P4Runner = {
    async run() {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => setImmediate(resolve));
      running -= 1;
      throw new Error('no server');
    },
  };
  const reach = {
    serverId: 'main',
    port: 'p4.example.test:1666',
    user: 'bot',
    runner,
    maxConcurrent,
    securityEvents: events,
  };
  const fetcher = createP4ChangeFetcher({
    ...reach,
    allowList: createAllowList({ allow: ['//depot/...'] }),
    fingerprintKey: new Uint8Array(32),
  });
  const { signal } = new AbortController();
  const limits = { maxFiles: 1, maxFileBytes: 1, maxTotalBytes: 1, contextLines: 1, maxNewTextBytes: 0 };
  const watch = createTicketWatch(reach);
  const runAll = () =>
    Promise.allSettled([fetcher.fetch(1, { limits, signal }), fetcher.fetch(2, { limits, signal }), watch.check()]);
  await runAll(); // the first command of each part reads folders first, so that they start apart
  most = 0;
  await runAll();
  return most;
}

describe('a limit that several parts share', () => {
  it('P4-7: bounds what they run on one server together; without it each has its own', async () => {
    expect(await countTogether(createP4CommandLimit(1))).toBe(1);
    expect(await countTogether(createP4CommandLimit(2))).toBe(2);
    expect(await countTogether(1)).toBe(2);
    for (const max of [0, 1.5, Number.NaN]) expect(() => createP4CommandLimit(max)).toThrow(TypeError);
  });
});
