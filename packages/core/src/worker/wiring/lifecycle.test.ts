import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../telemetry/logger.js';
import { createLifecycle, type LifecycleOptions } from './lifecycle.js';

function harness(over: Partial<LifecycleOptions> = {}) {
  const done: string[] = [];
  const logged: string[] = [];
  const step = (name: string) => async () => void done.push(name);
  const lifecycle = createLifecycle({
    name: 'thing',
    begin: [step('check'), step('work'), step('sweep')],
    end: async (graceMs) => void done.push(`end ${graceMs}`),
    graceMs: 7,
    signal: undefined,
    logger: { ...silentLogger, error: (_, message) => void logged.push(message) },
    ...over,
  });
  return { done, lifecycle, logged };
}

describe('a lifecycle', () => {
  it('starts once, in order, and stops once with the first grace', async () => {
    const { done, lifecycle } = harness();
    await Promise.all([lifecycle.start(), lifecycle.start()]);
    await Promise.all([lifecycle.stop({ graceMs: 3 }), lifecycle.stop({ graceMs: 5 })]);
    expect(done).toEqual(['check', 'work', 'sweep', 'end 3']);
    await expect(lifecycle.start()).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('may be started again where a start failed', async () => {
    let attempts = 0;
    const check = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('the database is away');
    };
    const { lifecycle } = harness({ begin: [check] });
    const both = await Promise.allSettled([lifecycle.start(), lifecycle.start()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await lifecycle.start();
    await lifecycle.start();
    expect(attempts).toBe(2);
  });

  it('begins no further step once a stop was asked for', async () => {
    const done: string[] = [];
    const stopping = async () => {
      done.push('check');
      await lifecycle.stop();
    };
    const { lifecycle } = harness({ begin: [stopping, () => done.push('work')] });
    await expect(lifecycle.start()).rejects.toMatchObject({ code: 'STOPPED' });
    expect(done).toEqual(['check']);
  });

  it('stops on its signal, at once where that is aborted already, with the usual grace', async () => {
    const abort = new AbortController();
    const late = harness({ signal: abort.signal });
    await late.lifecycle.start();
    abort.abort();
    expect(late.done.at(-1)).toBe('end 7');
    expect(harness({ signal: abort.signal }).done).toEqual(['end 7']);
  });

  it('logs a stop on its signal that fails, and gives the failure to whoever asks', async () => {
    const abort = new AbortController();
    const end = () => Promise.reject(new Error('the mailer hangs'));
    const { lifecycle, logged } = harness({ signal: abort.signal, end });
    abort.abort();
    await expect(lifecycle.stop()).rejects.toThrow('the mailer hangs');
    expect(logged).toEqual(['stopping the thing on its signal failed']);
  });

  it('no longer listens once stopped', async () => {
    const abort = new AbortController();
    const { done, lifecycle } = harness({ signal: abort.signal });
    await lifecycle.stop();
    abort.abort();
    expect(done).toEqual(['end 7']);
  });
});
