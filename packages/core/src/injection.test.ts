import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createLocalKeyRing } from './artifacts/local-key-ring.js';
import { createMemoryArtifactStore } from './artifacts/memory-artifact-store.js';
import type { Change } from './changes/change.js';
import { createMemoryChangeFetcher } from './changes/memory-change-fetcher.js';
import { createCriticizer } from './criticizer.js';
import { makeVisibleLine } from './foundation/visible-text.js';
import { readLlmRequest } from './llm/http-provider/http-provider.js';
import { type LlmProvider, noUsage } from './llm/llm-provider.js';
import { createMemoryStores } from './memory/memory-stores.js';
import type { FrozenMail } from './outbox/mailer.js';
import { createMemoryMailer } from './outbox/memory-mailer.js';
import { Secret } from './secrets/secret.js';
import type { MailEnvelope } from './stages/notify/mail-composer.js';
import { createStaticRecipients } from './stages/recipients/static-recipients.js';
import { injectionPayloads } from './testing/support/injection-payloads.js';
import { createMarkerRedactor } from './testing/support/marker-redactor.js';

const key = new Secret(randomBytes(32).toString('base64'));
const path = '//d/a.c';

/** Places of payloads; each gives the change, or the model's reply, that holds them. */
const places: Readonly<Record<string, (payloads: readonly string[]) => { change?: Partial<Change>; reply?: string }>> =
  {
    'added lines': (payloads) => ({ change: { files: [fileWith({ added: payloads })] } }),
    'lines round a hunk': (payloads) => ({ change: { files: [fileWith({ beside: payloads })] } }),
    'lines elsewhere in the file': (payloads) => ({ change: { files: [fileWith({ below: payloads })] } }),
    'paths of other files': (payloads) => ({
      change: {
        files: [fileWith({}), ...payloads.map((payload, at) => ({ ...fileWith({}), path: asPath(payload, at) }))],
      },
    }),
    'paths that files came from': (payloads) => ({
      change: {
        files: [
          fileWith({}),
          ...payloads.map((payload, at) => ({ ...fileWith({}), path: `//d/b${at}.c`, oldPath: asPath(payload, at) })),
        ],
      },
    }),
    'headings of hunks': (payloads) => ({
      change: {
        files: [
          fileWith({}),
          ...payloads.map((section, at) => ({ ...fileWith({ section: oneLine(section) }), path: `//d/b${at}.c` })),
        ],
      },
    }),
    'the description': (payloads) => ({ change: { description: payloads.join('\n') } }),
    'names of jobs': (payloads) => ({ change: { jobs: payloads } }),
    'the name of the user': (payloads) => ({ change: { user: payloads.join(' ') } }),
    'the message of a finding': (payloads) => ({ reply: payloads.join(' ') }),
  };

/** As Perforce stores it: no empty folder, no control character, some characters encoded. No model gets other paths. */
const asPath = (text: string, at: number): string => {
  const coded = text.replaceAll(/[%@#*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return `//d/${at}${coded
    .replaceAll(/\p{Cc}/gu, '')
    .replaceAll(/\/+/g, '/')
    .replaceAll('...', '..')}.c`;
};
const oneLine = (text: string): string => text.replaceAll(/[\n\r]/g, ' ');

function fileWith(given: {
  added?: readonly string[];
  beside?: readonly string[];
  below?: readonly string[];
  section?: string;
}): Change['files'][number] {
  const [added = ['let b;'], beside = ['let a;'], below = []] = [given.added, given.beside, given.below].map((lines) =>
    lines?.map(oneLine),
  );
  const newSide = ['free(p);', ...added, ...beside];
  const lines = ['+free(p);', ...added.map((line) => `+${line}`), ...beside.map((line) => ` ${line}`)];
  const newText = [...newSide, ...Array.from({ length: 20 }, () => 'next();'), ...below, ''].join('\n');
  const { section } = given;
  const hunk = { oldStart: 1, oldLines: beside.length, newStart: 1, newLines: lines.length, lines };
  return {
    ...{ path, oldPath: null, action: 'edit', fileType: 'text', revision: 2, bytes: 1, skipped: null, newText },
    hunks: [{ ...hunk, ...(section === undefined ? {} : { section }) }],
    ...{ addedLines: 1 + added.length, removedLines: 0, encoding: 'utf8' },
  };
}

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
  /** Kinds of the user text's blocks, each once, in order. */
  blocks: readonly string[];
  /** The first words of each of our own lines between the blocks. */
  trusted: readonly string[];
  isVisible: boolean;
  versions: readonly string[];
  verdict: string | undefined;
  doubts: readonly string[] | undefined;
  findings: readonly string[];
  recipients: readonly string[];
  mails: number;
}

/** A model that says the same of every change, and remembers what it was sent. */
function createModel(message: string): { provider: LlmProvider; sent: { system: string; prompt: string }[] } {
  const sent: { system: string; prompt: string }[] = [];
  const modes = ['prompt'] as const;
  const limits = { contextTokens: 64_000, maxOutputTokens: 4_096 };
  const provider: LlmProvider = {
    ...{ contract: 1, id: 'model', model: 'm', modes, limits },
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
        body: JSON.stringify(request.system),
      };
    },
    async send({ body }) {
      const version = (name: string) => new RegExp(`\\\\"${name}\\\\": \\\\"([0-9.]+)`).exec(body)?.[1];
      const place = { file: path, line: 1, severity: 'high', category: 'correctness' };
      const text = JSON.stringify({
        ...{ schema_version: version('schema_version'), prompt_version: version('prompt_version') },
        findings: [{ id: 'f1', title: 'Freed twice', ...place, message: `Freed again below. ${message}` }],
        meta: { quotes: { f1: 'free(p);' } },
      });
      return { stop: 'complete', text, usage: noUsage, requestId: null, providerStop: null };
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

async function review(given: { change?: Partial<Change>; reply?: string }): Promise<Outcome> {
  const { provider, sent } = createModel(given.reply ?? '');
  const mailer = createMemoryMailer();
  const criticizer = createCriticizer({
    stores: createMemoryStores(),
    changes: createMemoryChangeFetcher({ serverId: 'main', changes: new Map([[1, changeWith(given.change ?? {})]]) }),
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
  return {
    system: sent.map(({ system }) => system),
    ...describePrompt(sent[0]?.prompt ?? ''),
    versions: [stored?.result.schema_version ?? '', stored?.result.prompt_version ?? ''],
    verdict: stored?.state.verdict,
    doubts: stored?.state.doubts,
    findings: (stored?.findings ?? []).map(
      ({ title, file, severity, place }) => `${title} ${file} ${severity} ${place.line}`,
    ),
    recipients: (status?.mails ?? []).map(({ recipient }) => recipient),
    mails: mailer.accepted().length,
  };
}

/** Payloads that one review holds together: each is in one, and none is repeated. */
const atOnce = 14;
const batches = Array.from({ length: Math.ceil(injectionPayloads.length / atOnce) }, (_, at) =>
  injectionPayloads.slice(at * atOnce, (at + 1) * atOnce),
);

describe('injection', () => {
  it.each(Object.keys(places))(
    'R15 PR-3 GRD-2: no payload moves structure, versions, verdict or recipients: %s',
    async (name) => {
      const place = places[name] as (typeof places)[string];
      expect(injectionPayloads.length).toBeGreaterThanOrEqual(60);
      for (const payloads of batches) {
        const plain = await review(place(payloads.map((_, at) => `plain${at}`)));
        expect(plain).toMatchObject({
          verdict: 'findings',
          isVisible: true,
          recipients: ['ada@example.com'],
          mails: 1,
        });
        expect({ payloads, ...(await review(place(payloads))) }).toEqual({ payloads, ...plain });
      }
    },
  );
});
