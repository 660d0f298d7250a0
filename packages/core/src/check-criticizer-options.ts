import { checkSinks } from './audit/delivery/audit-delivery.js';
import type { ChangeFetcher } from './changes/change-fetcher.js';
import type { ContextReader } from './changes/context-reader.js';
import type { CriticizerOptions } from './criticizer-options.js';
import { checkOptions, type OptionShape } from './foundation/check-options.js';
import { checkContract } from './foundation/contract.js';
import {
  checkAbortSignal,
  checkArray,
  checkedElsewhere,
  checkFunction,
  nested,
  observerShape,
  optional,
  withMethods,
} from './foundation/option-checks.js';
import { isFallback } from './llm/fallback.js';
import type { LlmProvider } from './llm/llm-provider.js';
import type { Mailer } from './outbox/senders/mailer.js';
import { listMailers, type Mailers, noMailers } from './outbox/senders/mailers.js';
import { joinSenders, type Senders } from './outbox/senders/senders.js';
import { checkPagers } from './pager/check-pagers.js';
import { requireModules } from './stores/modules.js';
import type { Stores } from './stores/stores.js';
import { checkKinds } from './worker/wiring/check-kinds.js';

function need(condition: boolean, message: string): void {
  if (!condition) throw new TypeError(`createCriticizer: ${message}`);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function listOf<T>(given: T | readonly T[]): readonly T[] {
  return Array.isArray(given) ? (given as readonly T[]) : [given as T];
}

function checkStores(stores: Stores<never>): void {
  need(
    isObject(stores) && typeof stores.storeId === 'string',
    'stores must be made by a stores factory such as createSqliteStores',
  );
  requireModules('createCriticizer', stores, ['queue', 'notify', 'artifacts', 'review']);
  const facets = {
    ...{ jobs: stores.jobs, deadLetters: stores.deadLetters, outbox: stores.outbox },
    ...{ audit: stores.audit, auditSeals: stores.auditSeals },
  };
  const { artifactManifest, egress, cursors, documents, samples, limits, suppressions } = stores;
  const more = { artifactManifest, egress, cursors } as const;
  const rest = { documents, samples, limits, suppressions } as const;
  for (const [name, facet] of Object.entries({ ...facets, ...more, ...rest })) {
    need(isObject(facet), `stores.${name} is missing`);
    need(
      facet.storeId === stores.storeId,
      `stores.${name} belongs to another store; all facets must share one, so that effects commit together`,
    );
  }
}

const optionShape: OptionShape<CriticizerOptions<unknown>> = {
  stores: checkedElsewhere,
  changes: checkedElsewhere,
  context: checkedElsewhere,
  redactor: checkedElsewhere,
  llm: checkedElsewhere,
  prompts: optional(checkArray),
  mailer: checkedElsewhere,
  composer: checkedElsewhere,
  channels: checkedElsewhere,
  artifacts: nested<CriticizerOptions<unknown>['artifacts']>({
    store: checkedElsewhere,
    keys: checkedElsewhere,
    access: checkedElsewhere,
    onAccess: optional(checkFunction),
  }),
  audit: optional(withMethods('record')),
  auditSinks: checkedElsewhere,
  auditFlags: optional(withMethods('mayDeliver')),
  pagers: checkedElsewhere,
  alertSources: checkedElsewhere,
  auditSealer: optional(withMethods('start', 'stop')),
  recipients: optional(withMethods('resolve')),
  findingLinks: optional(withMethods('open', 'openForMail')),
  preferences: optional(withMethods('find')),
  kinds: checkedElsewhere,
  classify: optional(checkFunction),
  settings: checkedElsewhere,
  signal: optional(checkAbortSignal),
  onEvent: optional(checkFunction),
  ...observerShape,
};

function checkProvider({ id, limits, modes }: LlmProvider): void {
  const positive = (value: unknown): boolean => typeof value === 'number' && value > 0;
  need(
    positive(limits?.contextTokens) && positive(limits?.maxOutputTokens),
    `llm: "${id}" must say its limits in tokens`,
  );
  need(
    limits.maxOutputTokens < limits.contextTokens,
    `llm: "${id}" must have limits.maxOutputTokens below limits.contextTokens: the window holds the prompt too`,
  );
  need(Array.isArray(modes) && modes.length > 0, `llm: "${id}" must name at least one mode`);
}

/** Every part is written to a version of its port that this core calls. */
function checkContracts<Tx>(
  { stores, redactor, artifacts }: CriticizerOptions<Tx>,
  fetchers: readonly ChangeFetcher[],
  providers: readonly LlmProvider[],
): void {
  const parts = { stores, redactor, 'artifacts.store': artifacts.store };
  for (const [name, part] of Object.entries(parts)) checkContract(`createCriticizer: ${name}`, part);
  for (const fetcher of fetchers) checkContract(`createCriticizer: changes "${fetcher.serverId}"`, fetcher);
  for (const provider of providers) checkContract(`createCriticizer: llm "${provider.id}"`, provider);
}

/** The fetchers by their servers. */
function listFetchers(changes: CriticizerOptions<unknown>['changes']): ReadonlyMap<string, ChangeFetcher> {
  const fetchers = listOf(changes);
  need(
    fetchers.length > 0 && fetchers.every((f) => typeof f?.fetch === 'function'),
    'changes must be one or more change fetchers',
  );
  for (const { serverId } of fetchers)
    need(
      typeof serverId === 'string' && /^[a-z0-9][a-z0-9.-]{0,62}$/.test(serverId),
      `changes: the serverId ${JSON.stringify(serverId)} must match ^[a-z0-9][a-z0-9.-]{0,62}$`,
    );
  const byServer = new Map(fetchers.map((fetcher) => [fetcher.serverId, fetcher]));
  need(byServer.size === fetchers.length, 'changes: two fetchers have the same serverId');
  return byServer;
}

/** The context readers by their servers, each of which has a fetcher. */
function listReaders(
  context: CriticizerOptions<unknown>['context'],
  fetchers: ReadonlyMap<string, ChangeFetcher>,
): ReadonlyMap<string, ContextReader> {
  const readers = context === undefined ? [] : listOf(context);
  need(
    readers.every((reader) => typeof reader?.open === 'function'),
    'context must be one or more context readers such as createP4ContextReader',
  );
  for (const reader of readers) {
    need(
      fetchers.has(reader.serverId),
      `context: no change fetcher has the serverId ${JSON.stringify(reader.serverId)}`,
    );
    checkContract(`createCriticizer: context "${reader.serverId}"`, reader);
  }
  const byServer = new Map(readers.map((reader) => [reader.serverId, reader]));
  need(byServer.size === readers.length, 'context: two readers have the same serverId');
  return byServer;
}

function checkAuditSinks<Tx>({ stores, audit, auditSinks }: CriticizerOptions<Tx>): void {
  if (auditSinks === undefined || auditSinks.length === 0) return;
  checkSinks('createCriticizer: auditSinks', auditSinks);
  need(audit !== undefined, 'auditSinks: expected the option audit too, which records what is delivered');
  need(
    audit?.storeId === stores.storeId,
    'auditSinks: the audit trail writes to other stores; deliver from those with createAuditDelivery',
  );
  requireModules('createCriticizer: auditSinks', stores, ['audit']);
}

function listProviders(llm: CriticizerOptions<unknown>['llm']): readonly LlmProvider[] {
  if (llm === 'none') return [];
  const providers = isFallback(llm) ? llm.providers : listOf(llm);
  need(
    providers.length > 0 && providers.every((one) => typeof one?.prepare === 'function'),
    "llm must be one or more LLM providers, createFallback, or 'none'",
  );
  for (const provider of providers) checkProvider(provider);
  need(new Set(providers.map((p) => p.id)).size === providers.length, 'llm: two providers have the same id');
  return providers;
}

/** Mailers, which need a composer, and channels, of which one will do. */
function listSenders({
  mailer,
  composer,
  channels = [],
}: Pick<CriticizerOptions<never>, 'channels' | 'composer' | 'mailer'>): {
  mailers: Mailers;
  senders: Senders;
} {
  const hasMailer = mailer !== undefined || channels.length === 0;
  const mailers = hasMailer ? listMailers('createCriticizer: mailer', mailer as Mailer) : noMailers;
  const senders = joinSenders('createCriticizer: channels', mailers, channels);
  need(
    channels.every((channel) => typeof channel.plan === 'function'),
    'channels: expected channels with the method plan',
  );
  need(
    !hasMailer || (typeof composer?.compose === 'function' && typeof composer.composeCounts === 'function'),
    'composer must be a MailComposer such as createReviewMailComposer of @criticizer/notify',
  );
  return { mailers, senders };
}

/** Collaborators as lists, checked. Throws `TypeError` naming the option and what was expected. */
export function checkCriticizerOptions<Tx>(options: CriticizerOptions<Tx>): {
  fetchers: ReadonlyMap<string, ChangeFetcher>;
  readers: ReadonlyMap<string, ContextReader>;
  providers: readonly LlmProvider[];
  mailers: Mailers;
  senders: Senders;
} {
  checkOptions('createCriticizer', options, optionShape);
  checkStores(options.stores as Stores<never>);
  const fetchers = listFetchers(options.changes);
  const readers = listReaders(options.context, fetchers);
  const providers = listProviders(options.llm);
  need(
    typeof options.redactor?.session === 'function',
    'redactor must be a Redactor such as createRedactor of @criticizer/redact',
  );
  const { mailers, senders } = listSenders(options);
  need(
    typeof options.artifacts?.store?.put === 'function',
    'artifacts.store must be an ArtifactStore such as createFileArtifactStore',
  );
  need(
    typeof options.artifacts.keys?.wrap === 'function',
    'artifacts.keys must be a KeyProvider such as createLocalKeyRing',
  );
  need(
    options.artifacts.access === undefined || typeof options.artifacts.access.decide === 'function',
    'artifacts.access must be an AccessPolicy such as createRoleAccessPolicy',
  );
  const unwired = (options.recipients?.vias ?? []).filter((via) => !mailers.ids.includes(via));
  need(unwired.length === 0, `recipients: no mailer ${unwired.join(', ')}; wired are ${mailers.ids.join(', ')}`);
  checkContracts(options, [...fetchers.values()], providers);
  checkAuditSinks(options);
  checkPagers('createCriticizer', options);
  checkKinds('createCriticizer', options.kinds ?? [], ['review']);
  return { fetchers, readers, providers, mailers, senders };
}
