import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { holdOptions } from '../../../tools/testing/hold-options.js';
import * as artifacts from '../src/doors/artifacts.js';
import * as audit from '../src/doors/audit.js';
import * as auditDelivery from '../src/doors/audit-delivery.js';
import * as formats from '../src/doors/formats.js';
import * as http from '../src/doors/http.js';
import * as authors from '../src/doors/internal.js';
import * as links from '../src/doors/links.js';
import * as llm from '../src/doors/llm.js';
import * as pager from '../src/doors/pager.js';
import * as ports from '../src/doors/ports.js';
import type { JobKind } from '../src/doors/queue.js';
import * as queue from '../src/doors/queue.js';
import * as main from '../src/index.js';
import * as testing from '../src/testing/index.js';
import { harness } from './criticizer-harness.js';
import { sampleReview } from './sample-review.js';

const { createMemoryStores, silentLogger, systemRandom } = main;
const stores = createMemoryStores();
const emit = (): void => undefined;
const source = main.createEnvironmentSecrets({ env: { KEY: randomUUID() } });
const keys = artifacts.createLocalKeyRing({ source, name: 'KEY' });
const store = artifacts.createMemoryArtifactStore();
const access = artifacts.createRoleAccessPolicy([]);
const grant = { role: 'reader', actions: ['read'], namespaces: ['raw'] } as const;
const ttlMs = { raw: 1, redacted: 1 };
const vault = {
  store,
  manifest: stores.artifactManifest,
  keys,
  access,
  securityEvents: { emit },
  random: systemRandom,
  ttlMs,
};
const about = {
  namespace: 'raw',
  purpose: 'change',
  contentType: 'text/plain',
  changelistId: null,
  jobId: null,
  redaction: null,
} as const;
const payload = z.strictObject({ n: z.number() });
const stage = { name: 'only', run: async () => ({ kind: 'next' }) as const };
const kind: JobKind<{ n: number }> = { kind: 'numbers', payload, stages: [stage] };
const worker = { stores, kinds: [kind], redactText: (text: string) => text };
const model = {
  id: 'gateway',
  model: 'm',
  baseUrl: 'https://llm.invalid/v1',
  limits: { contextTokens: 9_000, maxOutputTokens: 900 },
};
const provider = { ...model, http: http.createHttpClient(), apiKey: { source, name: 'KEY' } };
const azure = { id: 'azure', model: 'm', endpoint: 'https://azure.example', http: provider.http, limits: model.limits };
const bedrock = { id: 'bedrock', model: 'm', region: 'eu-central-1', http: provider.http, limits: model.limits };
const entra = {
  http: provider.http,
  tenantId: 't',
  clientId: 'c',
  scope: 's',
  clientSecret: { source, name: 'KEY' },
};
const redactor = {
  ruleVersion: '1',
  redact: () => ({
    value: {},
    meta: { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] },
  }),
};
const trail = { store: stores.audit, redactor, destinations: [], random: systemRandom, logger: silentLogger };
const day = { since: new Date(0), until: new Date(86_400_000) };
const compared = { store: stores.audit, redactor, primary: [], ...day };
const operating = { stores, audit: audit.createAuditTrail(trail) };
const flip = { stopped: false, actor: { type: 'admin_user', id: 'ada' }, reason: 'over' } as const;
const meters = {
  createCounter: () => ({ add: emit }),
  createHistogram: () => ({ record: emit }),
  createGauge: () => ({ record: emit }),
};
const hook = { id: 'hook', url: 'https://siem.invalid/audit', http: http.createHttpClient() };
const template = 'https://swarm.example.com/changes/{change}';
const reply = {
  text: '',
  stop: 'complete',
  expected: { schemaVersion: '1', promptVersion: '1' },
  changedFiles: [],
} as const;
const exchange = { method: 'GET', url: 'https://127.0.0.1/' } as const;

describe('options', () => {
  holdOptions({
    folder: new URL('../', import.meta.url),
    entries: {
      '.': main,
      './http': http,
      './llm': llm,
      './artifacts': artifacts,
      './audit': audit,
      './audit-delivery': auditDelivery,
      './internal': authors,
      './formats': formats,
      './links': links,
      './pager': pager,
      './ports': ports,
      './queue': queue,
      './testing': testing,
    },
    calls: {
      createCriticizer: (extra) => harness({ more: { ...extra } }),
      'createCriticizer artifacts': (extra) => harness({ more: { artifacts: { store, keys, ...extra } } }),
      'createCriticizer submit': (extra) =>
        harness({}).criticizer.submit({ serverId: 'x', number: 1, reviewVersion: 1 }, { ...extra }),
      'createCriticizer enqueue': (extra) => harness({}).criticizer.enqueue([], { ...extra }),
      'createCriticizer stop': (extra) => harness({}).criticizer.stop({ ...extra }),
      'createCriticizer review': (extra) => harness({}).criticizer.review('j', { ...extra }),
      'createCriticizer excerpts': (extra) => harness({}).criticizer.excerpts('j', { ...extra }),
      'createCriticizer dryRun': (extra) => harness({}).criticizer.dryRun({ serverId: 'x', number: 1, ...extra }),
      createQueueWorker: (extra) => queue.createQueueWorker({ ...worker, ...extra }),
      'createQueueWorker kinds': (extra) => queue.createQueueWorker({ ...worker, kinds: [{ ...kind, ...extra }] }),
      defineJobKind: (extra) => queue.defineJobKind({ ...kind, ...extra }),
      createJobQueue: (extra) => queue.createJobQueue({ jobs: stores.jobs, kinds: [kind], ...extra }),
      'createJobQueue enqueue': (extra) =>
        queue.createJobQueue({ jobs: stores.jobs, kinds: [kind] }).enqueue([], { ...extra }),
      'createQueueWorker stop': (extra) => queue.createQueueWorker(worker).stop({ ...extra }),
      createMemoryStores: (extra) => createMemoryStores({ ...extra }),
      createMemoryMailer: (extra) => main.createMemoryMailer({ ...extra }),
      'createMemoryMailer capabilities': (extra) => main.createMemoryMailer({ capabilities: { ...extra } }),
      createKillSwitch: (extra) => ports.createKillSwitch({ documents: stores.documents, ...extra }),
      createStoppableTelemetry: (extra) =>
        ports.createStoppableTelemetry({
          telemetry: ports.noTelemetry,
          killSwitch: { check: async () => undefined },
          ...extra,
        }),
      createContentPolicy: (extra) => ports.createContentPolicy({ ...extra }),
      createOutboundGate: (extra) =>
        ports.createOutboundGate({ killSwitch: { check: async () => undefined }, log: stores.egress, ...extra }),
      createChangeRecipients: (extra) => main.createChangeRecipients({ ...extra }),
      createRecipientRules: (extra) => main.createRecipientRules({ ...extra }),
      'createRecipientRules rules': (extra) =>
        main.createRecipientRules({ rules: [{ to: [{ address: 'a@b.test' }], ...extra }] }),
      createStaticRecipients: (extra) =>
        main.createStaticRecipients([{ address: 'a@b.test', required: true, ...extra }]),
      createEnvironmentSecrets: (extra) => main.createEnvironmentSecrets({ ...extra }),
      createFileSecrets: (extra) => main.createFileSecrets({ directory: '/nonexistent', ...extra }),
      createExpiringSecrets: (extra) => ports.createExpiringSecrets({ source, ...extra }),
      createSendPacer: (extra) => authors.createSendPacer({ maxPerMinute: 1, clock: main.systemClock, ...extra }),
      createOpenTelemetry: (extra) =>
        main.createOpenTelemetry({ meter: meters, tracer: { startSpan: () => undefined as never }, ...extra }),
      formatReview: (extra) => formats.formatReview(sampleReview(), 'json', { ...extra }),
      createUrlTemplate: (extra) =>
        main.createUrlTemplate('link', template, { names: ['change'], required: 'change', ...extra }),
      createArtifactVault: (extra) =>
        artifacts.createArtifactVault({
          artifacts: artifacts.createArtifacts(vault),
          manifest: stores.artifactManifest,
          ...extra,
        }),
      'createArtifactVault discard': (extra) =>
        artifacts
          .createArtifactVault({ artifacts: artifacts.createArtifacts(vault), manifest: stores.artifactManifest })
          .discard?.(randomUUID(), { ...extra }),
      createAuditDelivery: (extra) => auditDelivery.createAuditDelivery({ store: stores.audit, sinks: [], ...extra }),
      'createAuditDelivery stop': (extra) =>
        auditDelivery.createAuditDelivery({ store: stores.audit, sinks: [] }).stop({ ...extra }),
      findOverdueAuditLetters: (extra) =>
        auditDelivery.findOverdueAuditLetters({ store: stores.audit, now: () => stores.now(), ...extra }),
      createAuditSealer: (extra) => auditDelivery.createAuditSealer({ stores, key: { source, name: 'KEY' }, ...extra }),
      'createAuditSealer key': (extra) =>
        auditDelivery.createAuditSealer({ stores, key: { source, name: 'KEY', ...extra } }),
      verifyAuditTrail: (extra) => auditDelivery.verifyAuditTrail({ stores, publicKeys: [], ...extra }),
      createWebhookSink: (extra) =>
        auditDelivery.createWebhookSink({ ...hook, secret: { source, name: 'KEY' }, ...extra }),
      'createWebhookSink secret': (extra) =>
        auditDelivery.createWebhookSink({ ...hook, secret: { source, name: 'KEY', ...extra } }),
      createJsonLinesSink: (extra) =>
        auditDelivery.createJsonLinesSink({ id: 'file', directory: '/nonexistent', ...extra }),
      createSplunkSink: (extra) =>
        auditDelivery.createSplunkSink({ ...hook, token: { source, name: 'KEY' }, ...extra }),
      createElasticSink: (extra) => auditDelivery.createElasticSink({ ...hook, index: 'audit', ...extra }),
      createOtlpLogsSink: (extra) => auditDelivery.createOtlpLogsSink({ ...hook, ...extra }),
      testPager: (extra) =>
        pager.testPager({
          pager: {
            contract: 1,
            id: 'p',
            trigger: async () => ({ kind: 'taken' }),
            resolve: async () => ({ kind: 'taken' }),
          },
          outbound: { check: async () => undefined, pass: async () => undefined },
          ...extra,
        }),
      createFindingLinks: (extra) =>
        links.createFindingLinks({ url: 'https://a.test/links', secret: { source, name: 'KEY' }, ...extra }),
      'createFindingLinks secret': (extra) =>
        links.createFindingLinks({ url: 'https://a.test/links', secret: { source, name: 'KEY', ...extra } }),
      createLinkHandler: (extra) =>
        links.createLinkHandler({
          criticizer: {
            status: async () => null,
            review: async () => null,
            operate: {
              suppressFinding: async () => Promise.reject(new Error('none')),
              stopMails: async () => Promise.reject(new Error('none')),
            },
          },
          links: { read: async () => ({ kind: 'invalid' }), readForMail: async () => ({ kind: 'invalid' }) },
          ...extra,
        }),
      createWebhookPager: (extra) => pager.createWebhookPager({ ...hook, secret: { source, name: 'KEY' }, ...extra }),
      createPagerDutyPager: (extra) =>
        pager.createPagerDutyPager({ ...hook, routingKey: { source, name: 'KEY' }, ...extra }),
      'createPagerDutyPager routingKey': (extra) =>
        pager.createPagerDutyPager({ ...hook, routingKey: { source, name: 'KEY', ...extra } }),
      createJiraPager: (extra) => pager.createJiraPager({ ...hook, apiKey: { source, name: 'KEY' }, ...extra }),
      createMailPager: (extra) =>
        pager.createMailPager({
          ...{ id: 'mail', mailer: main.createMemoryMailer(), to: 'a@b.test', from: 'c@d.test' },
          ...extra,
        }),
      applyMigrations: (extra) =>
        audit.applyMigrations(operating, { actor: flip.actor, reason: flip.reason, ...extra }),
      createOperator: (extra) => main.createOperator({ ...operating, ...extra }),
      'createOperator setKillSwitch': (extra) => main.createOperator(operating).setKillSwitch({ ...flip, ...extra }),
      'createOperator setKillSwitch actor': (extra) =>
        main.createOperator(operating).setKillSwitch({ ...flip, actor: { ...flip.actor, ...extra } }),
      parseReview: (extra) => llm.parseReview({ ...reply, ...extra }),
      createHttpClient: (extra) => http.createHttpClient({ ...extra }),
      'createHttpClient request': (extra) => http.createHttpClient().exchange({ ...exchange, ...extra }),
      'createHttpClient exchange': (extra) => http.createHttpClient().exchange(exchange, { ...extra }),
      createOpenAiChatProvider: (extra) => llm.createOpenAiChatProvider({ ...provider, ...extra }),
      'createOpenAiChatProvider apiKey': (extra) =>
        llm.createOpenAiChatProvider({ ...provider, apiKey: { source, name: 'KEY', ...extra } }),
      'createOpenAiChatProvider limits': (extra) =>
        llm.createOpenAiChatProvider({ ...provider, limits: { ...model.limits, ...extra } }),
      createOpenAiResponsesProvider: (extra) => llm.createOpenAiResponsesProvider({ ...provider, ...extra }),
      createAnthropicProvider: (extra) => llm.createAnthropicProvider({ ...provider, ...extra }),
      createGeminiProvider: (extra) => llm.createGeminiProvider({ ...provider, ...extra }),
      createLlmProvider: (extra) => llm.createLlmProvider({ ...provider, protocol: 'openai-chat', ...extra }),
      createTokenCounter: (extra) =>
        llm.createTokenCounter({ name: 'o200k_base', encoding: { countTokens: () => 0 }, ...extra }),
      createOllamaProvider: (extra) => llm.createOllamaProvider({ ...provider, ...extra }),
      createAzureOpenAiProvider: (extra) =>
        llm.createAzureOpenAiProvider({ ...azure, apiKey: { source, name: 'KEY' }, ...extra }),
      createBedrockProvider: (extra) =>
        llm.createBedrockProvider({ ...bedrock, apiKey: { source, name: 'KEY' }, ...extra }),
      createEntraTokenSource: (extra) => llm.createEntraTokenSource({ ...entra, ...extra }),
      createArtifacts: (extra) => artifacts.createArtifacts({ ...vault, ...extra }),
      'createArtifacts ttlMs': (extra) => artifacts.createArtifacts({ ...vault, ttlMs: { ...ttlMs, ...extra } }),
      'createArtifacts write': (extra) =>
        artifacts.createArtifacts(vault).write({ ...about, ...extra }, new Uint8Array()),
      createMemoryArtifactStore: (extra) => artifacts.createMemoryArtifactStore({ ...extra }),
      createFileArtifactStore: (extra) => artifacts.createFileArtifactStore({ directory: '/nonexistent', ...extra }),
      createLocalKeyRing: (extra) => artifacts.createLocalKeyRing({ source, name: 'KEY', ...extra }),
      createRoleAccessPolicy: (extra) => artifacts.createRoleAccessPolicy([{ ...grant, ...extra }]),
      sweepArtifacts: (extra) => artifacts.sweepArtifacts({ ...vaultless(), ...extra }),
      createAuditTrail: (extra) => audit.createAuditTrail({ ...trail, ...extra }),
      createAuditContext: (extra) => audit.createAuditContext().run({ actorId: 'a', ...extra }, emit),
      readAuditRequest: (extra) => audit.readAuditRequest({ headers: {} }, { ...extra }),
      createAuditMetrics: (extra) =>
        audit.createAuditMetrics({
          telemetry: { count: emit, record: emit, gauge: emit, startSpan: () => ({ setAttributes: emit, end: emit }) },
          environment: 'test',
          ...extra,
        }),
      createAuditFlags: (extra) =>
        audit.createAuditFlags({
          provider: audit.createPercentageFlags({}),
          defaults: { write: true, worker: true },
          ...extra,
        }),
      compareAuditTrails: (extra) => audit.compareAuditTrails({ ...compared, ...extra }),
      createPercentageFlags: (extra) => audit.createPercentageFlags({ ...extra }),
      createStoredFlags: (extra) => audit.createStoredFlags({ documents: stores.documents, ...extra }),
      'createAuditTrail record': (extra) =>
        audit
          .createAuditTrail(trail)
          .record({ actorType: 'system', action: 'a.b', resultStatus: 'success' }, { ...extra }),
      checkedStores: (extra) => authors.checkedStores(createMemoryStores()).jobs.list({ ...extra }),
    },
    // Values, errors, rows and what authors of stores and ports check by; suites take a runner and
    // a harness of the caller's own.
    without: [
      'measureAuditStore',
      'createShadowSink',
      'readAuditFlagRules',
      'toShadowDestination',
      'watchAuditTrail',
      'watchSecurityEvents',
      'describePagerContract',
      'digestAuditSubject',
      'createFallback',
      'createInternalHosts',
      'mayReach',
      'withTokenCounter',
      'decideShelf',
      // What a provider of another package reads and writes with: plain arguments, no options.
      'assembleReply',
      'checkProviderOptions',
      'chooseTexts',
      'readLlmRequest',
      'readRequestId',
      'readVendorFailure',
      'stateSchema',
      'toOptionalSchema',
      ...[
        'CriticizerError',
        'Secret',
        'backoffMs',
        'buildChangelistId',
        'parseChangelistId',
        'classifyFailure',
        'createLogSecurityEvents',
        'decodeFrozenMail',
        'encodeFrozenMail',
        'decodeFrozenPost',
        'encodeFrozenPost',
      ],
      ...[
        'errorFacts',
        'handedOverId',
        'isHandedOver',
        'isCriticizerError',
        'isDepotFolder',
        'describeSinceVersion',
        'isSearchWord',
        'isRedactedText',
        'joinRedacted',
        'messageIdFor',
        'outboxKey',
        'parseRecipient',
      ],
      ...['placeFindings', 'raiseSecurityEvent', 'readRedactedText', 'resolveSettings', 'revealSecret'],
      ...['codeOfLetter', 'exportAuditTrail', 'readCheckpoint', 'readSealPublicKey', 'rootCauseOf'],
      ...['classifyStatus', 'httpFailure', 'isSuccess', 'parseHttpDate', 'parseRetryAfter'],
      ...['nameVariant', 'nextMode', 'readUnknownStop', 'strongestMode', 'toStrictSchema'],
      // Building blocks that take a claimed row, or a change under way, with all their parts:
      // nothing in them has a default to fall back to.
      ...['deliverRow', 'reconcileRow', 'redactForLlm', 'withDeadline'],
      ...Object.keys(authors).filter(
        (name) => name !== 'checkedStores' && typeof Reflect.get(authors, name) === 'function',
      ),
      ...Object.keys(testing).filter((name) => typeof Reflect.get(testing, name) === 'function'),
    ],
  });
});

function vaultless() {
  return { store, manifest: stores.artifactManifest, random: systemRandom };
}

describe('kinds of job', () => {
  const make = (kinds: unknown) => () => queue.createQueueWorker({ ...worker, kinds: kinds as typeof worker.kinds });

  it.each([
    ['two kinds of one name', [kind, { ...kind }], /kinds\[1\]\.kind: "numbers" is there already/],
    ['no stages', [{ ...kind, stages: [] }], /kinds\[0\]\.stages of "numbers": needs stages/],
    ['two stages of one name', [{ ...kind, stages: [stage, { ...stage }] }], /needs stages with names of their own/],
    ['no schema', [{ ...kind, payload: undefined }], /kinds\[0\]\.payload: expected a schema with safeParse/],
    ['a stage without run', [{ ...kind, stages: [{ name: 'only' }] }], /the stage "only" needs a function run/],
    [
      'a stage without a name',
      [{ ...kind, stages: [{ ...stage, name: '' }] }],
      /stages of "numbers"\.name: expected a string/,
    ],
    ['no name', [{ ...kind, kind: undefined }], /kinds\[0\]\.kind: expected a string/],
    ['no list', kind, /kinds: expected an array/],
    ['an empty list', [], /kinds: expected at least one kind/],
    ['nothing', [null], /kinds\[0\]: expected an object with kind, payload, stages, deleteCompleted/],
    [
      'a misspelt deleteCompleted',
      [{ ...kind, deleteComplete: true }],
      /deleteComplete: unknown option; did you mean deleteCompleted\?/,
    ],
  ])('createQueueWorker refuses %s', (_what, kinds, message) => {
    expect(make(kinds)).toThrow(TypeError);
    expect(make(kinds)).toThrow(message);
    const registered: unknown = kinds;
    if (Array.isArray(registered) && registered.length > 0)
      expect(() => harness({ more: { kinds: registered } })).toThrow(message);
  });

  it('createCriticizer keeps its own name', () => {
    expect(() => harness({ more: { kinds: [{ ...kind, kind: 'review' }] } })).toThrow(
      /kinds\[0\]\.kind: "review" is there already/,
    );
  });

  it('takes stages that are objects of a class', () => {
    class Stage {
      readonly name = 'only';
      readonly counted = 0;
      async run() {
        return { kind: 'next' } as const;
      }
    }
    expect(make([{ ...kind, stages: [new Stage()] }])).not.toThrow();
  });
});
