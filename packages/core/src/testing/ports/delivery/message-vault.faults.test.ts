import { describe, expect, it } from 'vitest';
import type { MessageVault } from '../../../outbox/frozen/frozen-mail.js';
import { collectCases, failedCases } from '../../support/collecting-runner.js';
import { describeMessageVaultContract } from './message-vault-contract.js';

interface Tx {
  staged: Map<string, Uint8Array>;
}
type Plant = (honest: MessageVault<Tx>, kept: Map<string, Uint8Array>) => Partial<MessageVault<Tx>>;

function create(plant: Plant) {
  const kept = new Map<string, Uint8Array>();
  let count = 0;
  const honest: MessageVault<Tx> = {
    async save(bytes, _about, { tx } = {}) {
      const id = `message-${count++}`;
      (tx?.staged ?? kept).set(id, bytes);
      return id;
    },
    load: async (id) => kept.get(id) ?? null,
    discard: async (id) => void kept.delete(id),
  };
  return {
    vault: { ...honest, ...plant(honest, kept) },
    async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      const tx: Tx = { staged: new Map() };
      const value = await work(tx);
      for (const [id, bytes] of tx.staged) kept.set(id, bytes);
      return value;
    },
    dispose: async () => undefined,
  };
}

async function convictedBy(plant: Plant): Promise<string[]> {
  const cases = collectCases(describeMessageVaultContract<Tx>, { create: async () => create(plant) });
  return (await failedCases(cases)).map(({ name }) => name.split(' > ').at(-1) ?? name);
}

describe('the message vault contract convicts', () => {
  it.each<[string, Plant, string]>([
    [
      'a save outside the transaction',
      (honest) => ({ save: (bytes, about) => honest.save(bytes, about) }),
      'NOT-3: keeps nothing',
    ],
    [
      'a save that the commit forgets',
      (honest) => ({
        save: (bytes, about, o) => honest.save(bytes, about, o?.tx ? { tx: { staged: new Map() } } : {}),
      }),
      'NOT-3: keeps what',
    ],
    [
      'bytes of another mail',
      (honest, kept) => ({
        load: async (id) => ((await honest.load(id)) === null ? null : ([...kept.values()].at(-1) ?? null)),
      }),
      'NOT-5: loads',
    ],
    [
      'bytes for an unknown id',
      (_honest, kept) => ({ load: async () => [...kept.values()].at(-1) ?? null }),
      'EGR-5: gives null',
    ],
    ['a discard of everything', (_honest, kept) => ({ discard: async () => kept.clear() }), 'EGR-5: a discard'],
  ])('%s', async (_name, plant, title) => {
    expect((await convictedBy(plant)).filter((name) => name.startsWith(title))).not.toEqual([]);
  });

  it('no honest vault', async () => {
    expect(await convictedBy(() => ({}))).toEqual([]);
  });
});
