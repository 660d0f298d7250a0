import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { withDeadline } from './with-deadline.js';

const never = new Promise<string>(() => undefined);

describe('withDeadline', () => {
  it('gives what the call gives, or its rejection', async () => {
    const options = { clock: createManualClock(), ms: 1_000, call: 'outbox.settle' };
    expect(await withDeadline(options, Promise.resolve('value'))).toBe('value');
    await expect(withDeadline(options, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('gives up a call that does not answer, not before its time', async () => {
    const clock = createManualClock();
    const ended: string[] = [];
    const waiting = withDeadline({ clock, ms: 1_000, call: 'outbox.settle' }, never);
    waiting.catch(() => ended.push('ended'));
    await clock.advance(999);
    expect(ended).toEqual([]);
    await clock.advance(1);
    await expect(waiting).rejects.toMatchObject({ code: 'STORE_TIMEOUT', category: 'upstream' });
  });

  it('ends with its signal', async () => {
    const options = { clock: createManualClock(), ms: 1_000, call: 'outbox.settle' };
    const stop = new AbortController();
    const waiting = withDeadline({ ...options, signal: stop.signal }, never);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(withDeadline({ ...options, signal: stop.signal }, never)).rejects.toThrow('stopped');
  });
});
