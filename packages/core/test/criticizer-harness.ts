import { createLocalKeyRing } from '../src/artifacts/local-key-ring.js';
import { createMemoryArtifactStore } from '../src/artifacts/memory-artifact-store.js';
import type { Change, ChangedFile, SkipReason } from '../src/changes/change.js';
import { createMemoryChangeFetcher } from '../src/changes/memory-change-fetcher.js';
import { createCriticizer } from '../src/criticizer.js';
import type { Criticizer } from '../src/criticizer-interface.js';
import type { CriticizerOptions } from '../src/criticizer-options.js';
import { readRedactedText } from '../src/foundation/redacted-text.js';
import type { LlmProvider, LlmReply } from '../src/llm/llm-provider.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { MemoryTx } from '../src/memory/shared/memory-database.js';
import { messageIdFor } from '../src/outbox/outbox-key.js';
import type { FrozenMail } from '../src/outbox/senders/mailer.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import { builtInVariant } from '../src/prompt/built-in-variant.js';
import { createEnvironmentSecrets } from '../src/secrets/environment-secrets.js';
import type { SubmitRequest } from '../src/stages/intake/submit-request.js';
import type { MailComposer, MailEnvelope } from '../src/stages/notify/mail-composer.js';
import { createMemorySecurityEvents } from '../src/telemetry/memory-security-events.js';
import { createMarkerRedactor } from '../src/testing/support/marker-redactor.js';
import type { JobEvent } from '../src/worker/run/stage.js';

export const file = (path: string, lines: readonly string[], more: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  oldPath: null,
  action: 'edit',
  fileType: 'text',
  revision: 2,
  bytes: 10,
  skipped: null,
  hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: lines.length, lines: lines.map((line) => `+${line}`) }],
  addedLines: lines.length,
  removedLines: 0,
  encoding: 'utf8',
  ...more,
});

export const change = (more: Partial<Change> = {}): Change => ({
  serverId: 'main',
  number: 7,
  changelistId: 'main/7',
  kind: 'submitted',
  user: 'ada',
  description: 'Add a thing',
  changedAt: new Date(0),
  userMail: 'ada@example.test',
  reviewerMails: [],
  jobs: [],
  files: [file('//depot/a.ts', ['const a = 1;', 'use(a);'])],
  visibility: 'complete',
  deniedFiles: 0,
  contentDigest: 'd',
  ...more,
});

export const finding = (more: object = {}) => ({
  id: 'f1',
  severity: 'high',
  category: 'correctness',
  title: 'A title',
  file: '//depot/a.ts',
  line: 1,
  message: 'A message',
  ...more,
});

export const reply = (findings: readonly object[], more: Partial<LlmReply> = {}): LlmReply => ({
  stop: 'complete',
  text: JSON.stringify({
    schema_version: builtInVariant.schemaVersion,
    prompt_version: builtInVariant.promptVersion,
    findings,
  }),
  usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: null, reasoningTokens: null },
  requestId: null,
  providerStop: 'stop',
  ...more,
});

/** Answers from a list, the last one again and again; an Error is thrown. Keeps what it was sent. */
export function scriptedProvider(script: readonly (LlmReply | Error)[], id = 'scripted') {
  const sent: string[] = [];
  const provider: LlmProvider = {
    contract: 1,
    id,
    model: 'scripted-1',
    limits: { contextTokens: 100_000, maxOutputTokens: 4_096 },
    modes: ['json_schema', 'prompt'],
    prepare(request) {
      return {
        method: 'POST',
        // A test that declares a host has requests to it.
        url: `https://${this.host ?? 'model.test.internal'}/v1`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          system: request.system,
          turns: request.turns.map(({ role, text }) => ({ role, text: readRedactedText(text).text })),
          mode: request.mode,
        }),
        model: 'scripted-1',
      };
    },
    async send(prepared) {
      sent.push(prepared.body);
      const answer = script[Math.min(sent.length, script.length) - 1];
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no script');
      return answer;
    },
  };
  return { provider, sent };
}

const composeMail = (
  { recipient, key, date }: MailEnvelope,
  said: Pick<FrozenMail, 'subject' | 'text' | 'content'>,
): FrozenMail => ({
  messageId: messageIdFor(key, 'reviews.example.test'),
  from: { address: 'reviews@example.test' },
  envelopeFrom: 'reviews@example.test',
  to: { address: recipient.address },
  date,
  html: '<p>see text</p>',
  headers: [],
  ...said,
});

/** Says everything it is given, as JSON. */
export const plainComposer: MailComposer = {
  compose: (content, envelope) => {
    const subject = `${content.change.number}: ${content.result.findings.length} findings`;
    return composeMail(envelope, { subject, text: JSON.stringify(content), content: 'findings' });
  },
  composeCounts: (counts, envelope) =>
    composeMail(envelope, { subject: `${counts.change.number}`, text: JSON.stringify(counts), content: 'counts' }),
};

export interface Harness {
  criticizer: Criticizer<MemoryTx>;
  stores: ReturnType<typeof createMemoryStores>;
  mailer: ReturnType<typeof createMemoryMailer>;
  events: JobEvent[];
  securityEvents: ReturnType<typeof createMemorySecurityEvents>;
  sent: string[];
  /** Resolves at the first event that fits. */
  seen(fits: (event: JobEvent) => boolean): Promise<JobEvent>;
  /** Submits change 7, starts, and resolves when a stage ended its job for now. */
  run(reviewVersion?: number, more?: Partial<SubmitRequest>): Promise<string>;
}

/** Artifact parts that two harnesses may share. */
export function sharedArtifacts() {
  const env = { ARTIFACT_KEY: Buffer.alloc(32, 7).toString('base64') };
  const keys = createLocalKeyRing({ source: createEnvironmentSecrets({ env }), name: 'ARTIFACT_KEY' });
  return { store: createMemoryArtifactStore(), keys };
}

/** A whole Criticizer in memory. Waits are milliseconds, so that retries come at once. */
export function harness(
  options: {
    change?: Change | { skipped: SkipReason; detail: string };
    script?: readonly (LlmReply | Error)[];
    more?: Partial<CriticizerOptions<MemoryTx>>;
  } = {},
): Harness {
  const stores = (options.more?.stores as ReturnType<typeof createMemoryStores> | undefined) ?? createMemoryStores();
  const mailer = createMemoryMailer();
  const securityEvents = createMemorySecurityEvents();
  const events: JobEvent[] = [];
  const waiting: { fits(event: JobEvent): boolean; resolve(event: JobEvent): void }[] = [];
  const { provider, sent } = scriptedProvider(options.script ?? [reply([finding()])]);
  const { settings, ...more } = options.more ?? {};
  const criticizer = createCriticizer<MemoryTx>({
    stores,
    changes: createMemoryChangeFetcher({ serverId: 'main', changes: new Map([[7, options.change ?? change()]]) }),
    redactor: createMarkerRedactor(),
    llm: provider,
    mailer,
    composer: plainComposer,
    artifacts: sharedArtifacts(),
    securityEvents,
    settings: {
      ...settings,
      worker: { pollMinMs: 10, pollMaxMs: 20, ...settings?.worker },
      // A test of the check asks for it: the others count what a review asks.
      review: { check: 'off', ...settings?.review },
      egress: { mailDomains: ['example.test'], ...settings?.egress },
      retry: { initialMs: 1, maxMs: 2, parkMs: 100, ...settings?.retry },
    },
    onEvent(event) {
      events.push(event);
      for (const one of waiting.filter((w) => w.fits(event))) one.resolve(event);
    },
    ...more,
  });
  const seen = (fits: (event: JobEvent) => boolean): Promise<JobEvent> => {
    const already = events.find(fits);
    return already === undefined ? new Promise((resolve) => waiting.push({ fits, resolve })) : Promise.resolve(already);
  };
  return {
    criticizer,
    stores,
    mailer,
    events,
    securityEvents,
    sent,
    seen,
    async run(reviewVersion = 1, more = {}) {
      const { job } = await criticizer.submit({ serverId: 'main', number: 7, reviewVersion, ...more });
      await criticizer.start();
      await seen(
        (e) => e.jobId === job.id && e.type === 'stage.ended' && (e.outcome === 'done' || e.outcome === 'dead-letter'),
      );
      return job.id;
    },
  };
}
