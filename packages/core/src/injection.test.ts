import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fileWith, type Given, longFunction, oneLine, path, places } from '../test/injection-places.js';
import { createLocalKeyRing } from './artifacts/local-key-ring.js';
import { createMemoryArtifactStore } from './artifacts/memory-artifact-store.js';
import type { Change } from './changes/change.js';
import { createMemoryChangeFetcher } from './changes/memory-change-fetcher.js';
import { createMemoryContextReader } from './changes/memory-context-reader.js';
import { createCriticizer } from './criticizer.js';
import { makeVisibleLine } from './foundation/visible-text.js';
import { readLlmRequest } from './llm/http-provider/http-provider.js';
import { type LlmProvider, noUsage } from './llm/llm-provider.js';
import { createMemoryStores } from './memory/memory-stores.js';
import type { FrozenMail } from './outbox/senders/mailer.js';
import { createMemoryMailer } from './outbox/senders/memory-mailer.js';
import { Secret } from './secrets/secret.js';
import type { MailEnvelope } from './stages/notify/mail-composer.js';
import { createStaticRecipients } from './stages/recipients/static-recipients.js';
import { injectionPayloads } from './testing/support/injection-payloads.js';
import { createMarkerRedactor } from './testing/support/marker-redactor.js';

const key = new Secret(randomBytes(32).toString('base64'));

function changeWith(given: Partial<Change>): Change {
  return {
    ...{ serverId: 'main', number: 1, changelistId: 'main/1', kind: 'submitted', user: 'ada' },
    ...{ description: 'Frees the buffer.', changedAt: new Date(Date.UTC(2026, 0, 1)), userMail: null },
    ...{ reviewerMails: [], jobs: [], files: [fileWith({})], visibility: 'complete', deniedFiles: 0 },
    contentDigest: 'a'.repeat(64),
    ...given,
  };
}

/** What a review must not let anybody move. */
interface Outcome {
  system: readonly string[];
  /** By request, the kinds of the user text's blocks, each once, in order. */
  blocks: readonly string[];
  /** Our own lines between the blocks, of every request, without numbers. */
  trusted: readonly string[];
  isVisible: boolean;
  versions: readonly string[];
  /** Of the check. */
  checked: unknown;
  verdict: string | undefined;
  doubts: readonly string[] | undefined;
  findings: readonly string[];
  recipients: readonly string[];
  mails: number;
}

/** A model that says the same of every change, keeps what it found, and remembers what it was sent. */
function createModel({ reply = '', verdict = {} }: Given): {
  provider: LlmProvider;
  sent: { system: string; prompt: string }[];
} {
  const sent: { system: string; prompt: string }[] = [];
  const modes = ['prompt'] as const;
  const limits = { contextTokens: 64_000, maxOutputTokens: 4_096 };
  const provider: LlmProvider = {
    ...{ contract: 1, id: 'model', model: 'm', modes, limits, host: 'llm.internal' },
    prepare(request) {
      const prompt = readLlmRequest(request, { modes, limits })
        .map(({ text }) => text)
        .join('\n');
      sent.push({ system: request.system, prompt });
      return {
        method: 'POST',
        url: 'https://llm.internal/',
        model: 'm',
        headers: {},
        body: JSON.stringify(`${request.system}${prompt}`),
      };
    },
    async send({ body }) {
      const stop = { stop: 'complete', usage: noUsage, requestId: null, providerStop: null } as const;
      const id = /finding: ([0-9a-f]{16})/.exec(body)?.[1];
      if (body.includes('You check findings')) {
        const { summary, ...said } = verdict;
        const verdicts = [{ id, reason: 'It is freed below.', verdict: 'keep', ...said }];
        const more = summary === undefined ? {} : { summary };
        return { ...stop, text: JSON.stringify({ check_version: '1.0', ...more, verdicts }) };
      }
      const version = (name: string) => new RegExp(`\\\\"${name}\\\\": \\\\"([0-9.]+)`).exec(body)?.[1];
      const place = { file: path, line: 1, severity: 'high', category: 'correctness' };
      const text = JSON.stringify({
        ...{ schema_version: version('schema_version'), prompt_version: version('prompt_version') },
        findings: [{ id: 'f1', title: 'Freed twice', ...place, message: `Freed again below. ${reply}` }],
        meta: { quotes: { f1: 'free(p);' } },
      });
      return { ...stop, text };
    },
  };
  return { provider, sent };
}

const composeMail = ({ recipient, key: mailKey, date }: MailEnvelope): FrozenMail => ({
  ...{ messageId: `<${mailKey}@example.com>`, from: { address: 'r@example.com' }, envelopeFrom: 'b@example.com' },
  ...{
    to: { address: recipient.address },
    subject: 'Review',
    date,
    text: 'x',
    html: '<p>x</p>',
    content: 'none',
    headers: [],
  },
});

function describePrompt(prompt: string): Pick<Outcome, 'blocks' | 'trusted' | 'isVisible'> {
  const fence = /"<<<([0-9a-f]{32}) kind"/.exec(prompt)?.[1] ?? '';
  const blocks: string[] = [];
  const trusted: string[] = [];
  let isInside = false;
  for (const line of prompt.split('\n')) {
    const opens = line.startsWith(`<<<${fence} `);
    if (opens) blocks.push(`${isInside ? 'in a block: ' : ''}${line.slice(`<<<${fence} `.length)}`);
    else if (!isInside) trusted.push(line.replaceAll(/[0-9a-f]{32}|\d+/g, '#'));
    isInside = opens || (isInside && line !== `${fence}>>>`);
  }
  const hidden = prompt.split('\n').filter((line) => makeVisibleLine(line) !== line);
  return { blocks: blocks.filter((kind, at) => kind !== blocks[at - 1]), trusted, isVisible: hidden.length === 0 };
}

/** Files that call what the change is about on each line. A zero byte would make one binary: none is read. */
function readBeside(lines: readonly string[]) {
  const calls = lines.map((line) => `  drain(p); ${oneLine(line).replaceAll('\0', '')}\n`);
  const half = Math.ceil(calls.length / 2);
  const parts = [calls.slice(0, half), calls.slice(half)];
  const files = parts.map((part, at): [string, string] => [
    `//d/user${at}.c`,
    `void use(char *p) {\n${part.join('')}}\n`,
  ]);
  return createMemoryContextReader({ serverId: 'main', files: new Map(files) });
}

async function review(given: Given): Promise<{ outcome: Outcome; sent: string }> {
  const { provider, sent } = createModel(given);
  const changed = given.beside === undefined ? given.change : { files: [longFunction([])] };
  const mailer = createMemoryMailer();
  const criticizer = createCriticizer({
    stores: createMemoryStores(),
    changes: createMemoryChangeFetcher({ serverId: 'main', changes: new Map([[1, changeWith(changed ?? {})]]) }),
    context: readBeside(given.beside ?? []),
    redactor: createMarkerRedactor(),
    llm: provider,
    mailer,
    composer: {
      compose: (_content, envelope) => composeMail(envelope),
      composeCounts: (_counts, envelope) => composeMail(envelope),
    },
    recipients: createStaticRecipients([{ address: 'ada@example.com', required: true }]),
    artifacts: {
      store: createMemoryArtifactStore(),
      keys: createLocalKeyRing({
        source: { contract: 1, read: async () => ({ current: { secret: key, version: '1' } }) },
        name: 'KEK',
      }),
    },
  });
  const { job } = await criticizer.submit({ serverId: 'main', number: 1, reviewVersion: 1 });
  await criticizer.runDue();
  const stored = await criticizer.review(job.id);
  const status = await criticizer.status(job.id);
  await criticizer.stop();
  const prompts = sent.map(({ prompt }) => describePrompt(prompt));
  const outcome = {
    system: sent.map(({ system }) => system),
    blocks: prompts.map(({ blocks }) => blocks.join()),
    trusted: prompts.flatMap(({ trusted }) => trusted),
    isVisible: prompts.every(({ isVisible }) => isVisible),
    checked: [stored?.check, stored?.droppedByCheck],
    versions: [stored?.result.schema_version ?? '', stored?.result.prompt_version ?? ''],
    verdict: stored?.state.verdict,
    doubts: stored?.state.doubts,
    findings: (stored?.findings ?? []).map(
      ({ title, file, severity, place }) => `${title} ${file} ${severity} ${place.line}`,
    ),
    recipients: (status?.mails ?? []).map(({ recipient }) => recipient),
    mails: mailer.accepted().length,
  };
  return { outcome, sent: sent.map(({ prompt }) => prompt).join('\n') };
}

/** Payloads that one review holds together: each is in one, and none is repeated. */
const atOnce = 20;
const batches = Array.from({ length: Math.ceil(injectionPayloads.length / atOnce) }, (_, at) =>
  injectionPayloads.slice(at * atOnce, (at + 1) * atOnce),
);

/** Places that are in no request: what the model says last, and who made the change. */
const isSent = (name: string): boolean => !/verdict|user/.test(name);

describe('injection', () => {
  it.each(Object.keys(places))(
    'R15 PR-3 GRD-2 GRD-5: no payload moves structure, versions, verdict or recipients: %s',
    async (name) => {
      const place = places[name] as (typeof places)[string];
      expect(injectionPayloads.length).toBeGreaterThanOrEqual(60);
      for (const payloads of batches) {
        const harmless = payloads.map((_, at) => `plain${at}.`);
        const plain = await review(place(harmless));
        expect(plain.outcome).toMatchObject({
          verdict: 'findings',
          isVisible: true,
          recipients: ['ada@example.com'],
          mails: 1,
        });
        if (isSent(name)) expect(harmless.filter((text) => !plain.sent.includes(text))).toEqual([]);
        expect({ payloads, ...(await review(place(payloads))).outcome }).toEqual({ payloads, ...plain.outcome });
      }
    },
  );
});
