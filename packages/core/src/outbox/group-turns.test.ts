import { describe, expect, it } from 'vitest';
import { createGroupTurns } from './group-turns.js';

const never = new AbortController().signal;

describe('turns in a group', () => {
  it('CHN-2: posts of one group go one after another, those of others meanwhile', async () => {
    const turns = createGroupTurns();
    const steps: string[] = [];
    const gates = new Map<string, () => void>();
    const act = (name: string, group: string) =>
      turns.take(group, never, async () => {
        steps.push(`${name} begins`);
        await new Promise<void>((resolve) => gates.set(name, resolve));
        steps.push(`${name} ends`);
      });
    const all = [act('a', 'reviews/1'), act('b', 'reviews/1'), act('c', 'reviews/2')];
    const settled = async () => {
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    };
    await settled();
    expect(steps).toEqual(['a begins', 'c begins']);
    gates.get('a')?.();
    await settled();
    expect(steps).toEqual(['a begins', 'c begins', 'a ends', 'b begins']);
    for (const open of gates.values()) open();
    await Promise.all(all);
  });

  it('lets the next one in after a failure, and keeps out whoever is aborted while it waits', async () => {
    const turns = createGroupTurns();
    const failed = turns.take('reviews/1', never, () => Promise.reject(new Error('refused')));
    const stopping = new AbortController();
    let ran = false;
    const stopped = turns.take('reviews/1', stopping.signal, async () => {
      ran = true;
    });
    const next = turns.take('reviews/1', never, async () => 'done');
    stopping.abort(new Error('stop'));
    await expect(failed).rejects.toThrow('refused');
    await expect(stopped).rejects.toThrow('stop');
    expect([await next, ran]).toEqual(['done', false]);
  });

  it('lets whoever is aborted go at once, and the next one still waits for the first', async () => {
    const turns = createGroupTurns();
    let finish = (_: string): void => {};
    const gate = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const steps = [turns.take('reviews/1', never, () => gate)];
    const stopping = new AbortController();
    const stopped = turns.take('reviews/1', stopping.signal, async () => 'ran');
    steps.push(turns.take('reviews/1', never, async () => 'last'));
    stopping.abort(new Error('stop'));
    // The first one has not ended yet.
    await expect(stopped).rejects.toThrow('stop');
    await expect(Promise.race([...steps, Promise.resolve('waiting')])).resolves.toBe('waiting');
    finish('first');
    expect(await Promise.all(steps)).toEqual(['first', 'last']);
    await expect(turns.take('reviews/1', stopping.signal, async () => 'ran')).rejects.toThrow('stop');
  });
});
