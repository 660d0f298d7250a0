import { describe, expect, it } from 'vitest';
import { createMemoryChangeFetcher } from '../src/changes/memory-change-fetcher.js';
import type { CriticizerOptions } from '../src/criticizer-options.js';
import { createOpenAiChatProvider } from '../src/llm/openai/openai-chat-provider.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { MemoryTx } from '../src/memory/shared/memory-database.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import { createMarkerRedactor } from '../src/testing/support/marker-redactor.js';
import { createQueueWorker } from '../src/worker/wiring/queue-worker.js';
import { harness, scriptedProvider, sharedArtifacts } from './criticizer-harness.js';

/** The part with another contract, as a part of a later release would have it. */
function written<Part extends object>(part: Part, contract: unknown): Part {
  return Object.create(part, { contract: { value: contract } }) as Part;
}
const shared = sharedArtifacts();
const parts: Record<string, (contract: unknown) => Partial<CriticizerOptions<MemoryTx>>> = {
  stores: (contract) => ({ stores: written(createMemoryStores(), contract) }),
  changes: (contract) => ({
    changes: written(createMemoryChangeFetcher({ serverId: 'main', changes: new Map() }), contract),
  }),
  llm: (contract) => ({ llm: written(scriptedProvider([]).provider, contract) }),
  mailer: (contract) => ({ mailer: written(createMemoryMailer(), contract) }),
  redactor: (contract) => ({ redactor: written(createMarkerRedactor(), contract) }),
  'artifacts.store': (contract) => ({ artifacts: { ...shared, store: written(shared.store, contract) } }),
};
const later = /\.contract: expected 1, the version of the port that this @criticizer\/core calls; it says 2/;

describe('the version of a port', () => {
  it.each(Object.entries(parts))('createCriticizer refuses a part of another version: %s', (_name, partOf) => {
    expect(() => harness({ more: partOf(2) })).toThrow(later);
    expect(() => harness({ more: partOf(undefined) })).toThrow(/contract: expected 1.*it has none/);
    expect(() => harness({ more: partOf(1) })).not.toThrow();
  });

  it('createQueueWorker refuses stores of another version', () => {
    const stage = { name: 'only', run: async () => ({ kind: 'next' }) as const };
    const kinds = [
      { kind: 'k', payload: { safeParse: () => ({ success: true, data: {} }) as const }, stages: [stage] },
    ];
    const stores = written(createMemoryStores(), 2);
    expect(() => createQueueWorker({ stores, kinds: kinds as never, redactText: (text) => text })).toThrow(later);
  });

  it('a provider refuses a secret source of another version', () => {
    const source = written({ contract: 1 as const, read: () => Promise.reject(new Error()) }, 2);
    const limits = { contextTokens: 9_000, maxOutputTokens: 900 };
    const http = { exchange: () => Promise.reject(new Error()), close: async () => undefined };
    const provider = { id: 'g', model: 'm', baseUrl: 'https://llm.invalid/v1', limits, http };
    expect(() => createOpenAiChatProvider({ ...provider, apiKey: { source, name: 'KEY' } })).toThrow(later);
  });
});
