import { describe, expect, it } from 'vitest';
import type { SoakedChannel } from './notify/notify-work.js';
import { isGood, soakChannels } from './notify/run-notify-soak.js';
import { bundleProcess } from './worker-bundle.js';

const channels: readonly SoakedChannel[] = ['smtp-maildir', 'webhook', 'code-review'];

// The long one, over every channel: npm run soak:notify.
describe('workers that are killed and frozen while they deliver', () => {
  it('NOT-7 NOT-11: 60 kills lose no message, and double none where a key or a look-up can tell', {
    timeout: 300_000,
  }, async () => {
    const bundle = await bundleProcess('notify/notify-worker.ts');
    try {
      const configs = channels.map((channel, at) => ({ channel, kills: 20, seed: 31 + at, drainMs: 60_000 }));
      const figures = await soakChannels(bundle, configs);
      expect(figures.map(({ channel, kills }) => [channel, kills])).toEqual(channels.map((channel) => [channel, 20]));
      for (const one of figures) expect(isGood(one), JSON.stringify(one)).toBe(true);
    } finally {
      bundle.remove();
    }
  });
});
