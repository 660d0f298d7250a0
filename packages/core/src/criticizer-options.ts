import type { AlertSource } from './alerts/alert-source.js';
import type { AccessPolicy } from './artifacts/access-policy.js';
import type { ArtifactStore } from './artifacts/artifact-store.js';
import type { OnAccess } from './artifacts/authorize.js';
import type { KeyProvider } from './artifacts/key-provider.js';
import type { AuditTrail } from './audit/audit-trail.js';
import type { AuditFlags } from './audit/flags/audit-flags.js';
import type { AuditSealer } from './audit/seal/audit-sealer.js';
import type { AuditSink } from './audit/sinks/audit-sink.js';
import type { ChangeFetcher } from './changes/change-fetcher.js';
import type { ContextReader } from './changes/context-reader.js';
import type { FailureClassifier } from './foundation/failures/failure.js';
import type { Redactor } from './foundation/redactor.js';
import type { Clock } from './foundation/time/clock.js';
import type { Random } from './foundation/time/random.js';
import type { FindingLinks } from './links/finding-links.js';
import type { LlmFallback } from './llm/fallback.js';
import type { LlmProvider } from './llm/llm-provider.js';
import type { Mailer } from './outbox/senders/mailer.js';
import type { Pager } from './pager/pager.js';
import type { PromptVariant } from './prompt/prompt-variant.js';
import type { SettingsInput } from './settings/settings.js';
import type { Channel } from './stages/notify/channel.js';
import type { MailComposer } from './stages/notify/mail-composer.js';
import type { RecipientPreferences } from './stages/recipients/recipient-preferences.js';
import type { RecipientResolver } from './stages/recipients/recipient-resolver.js';
import type { Stores } from './stores/stores.js';
import type { Logger } from './telemetry/logger.js';
import type { SecurityEvents } from './telemetry/security-events.js';
import type { Telemetry } from './telemetry/telemetry.js';
import type { JobEvent, JobKind } from './worker/run/stage.js';

/** The parts of a Criticizer. Collaborators here, numbers in `settings`. */
export interface CriticizerOptions<Tx> {
  stores: Stores<Tx>;
  /** One per Perforce server; `serverId`s differ. */
  changes: ChangeFetcher | readonly ChangeFetcher[];
  /** Reads what explains the changes of these servers from other files (GRD-4). Default: nothing is read. */
  context?: ContextReader | readonly ContextReader[] | undefined;
  redactor: Redactor;
  /**
   * In order of preference: the first one that may see every path of a change reviews it. Where there
   * is none, each file goes to the first one that may see it (EGR-2). `createFallback` lets them stand
   * in for each other. `none`: nothing is sent; reviews count files and withheld secrets only.
   */
  llm: LlmProvider | readonly LlmProvider[] | LlmFallback | 'none';
  /**
   * Prompts of your own in addition to the built-in ones, each with an id and version of its own. Nobody gets one
   * before `operator.startPromptRollout` names it (PR-4). Keep one here as long as jobs are frozen on it.
   */
  prompts?: readonly PromptVariant[] | undefined;
  /** One or more with different ids; the first delivers to recipients that name none (`Recipient.via`). */
  mailer?: Mailer | readonly Mailer[] | undefined;
  /** Needed with a mailer. */
  composer?: MailComposer | undefined;
  /**
   * Other ways out of the outbox: chat, code review, a webhook. Their ids differ from each other's and from
   * the mailers'. With one, `mailer` and `composer` may be left out. Default none.
   */
  channels?: readonly Channel[] | undefined;
  artifacts: {
    store: ArtifactStore;
    keys: KeyProvider;
    /** Default: the workers alone (ART-3). */
    access?: AccessPolicy | undefined;
    /** Receives every read of an artifact, allowed or denied. Nothing waits for it. */
    onAccess?: OnAccess | undefined;
  };
  /** Records what `operate` does (OPS-1). Without it `operate` is null. */
  audit?: AuditTrail<Tx> | undefined;
  /**
   * Where the events of `audit` are delivered to (AUD-4). Each sink delivers the rows whose destination
   * is its `id`. The trail must write to `stores`; for another database use `createAuditDelivery`.
   */
  auditSinks?: readonly AuditSink[] | undefined;
  /**
   * Whose events go to `auditSinks` now (AUD-17), of `createAuditFlags`; those of other tenants wait
   * and spend no attempt. Default: everybody's.
   */
  auditFlags?: Pick<AuditFlags, 'mayDeliver'> | undefined;
  /**
   * Who is called for what is wrong, once a cause over all processes: dead letters that page, parked
   * stages, held mails, spent budgets, a degraded audit (OPS-3). The kill switch knows them as
   * `pager:<id>`. Default: nobody; `[]` keeps the alerts for the log and the metrics.
   */
  pagers?: readonly Pager[] | undefined;
  /** The host's own conditions, in addition to the built-in ones; names that differ. Read where `pagers` is given. */
  alertSources?: readonly AlertSource[] | undefined;
  /** Starts and stops with this Criticizer; over the same stores. Default: nothing is sealed. */
  auditSealer?: Pick<AuditSealer, 'start' | 'stop'> | undefined;
  /** Default: the change's user and reviewers. */
  recipients?: RecipientResolver | undefined;
  /**
   * Links in mails by which a reader hides a finding or stops the mails, of `createFindingLinks` (GRD-8).
   * Default: none.
   */
  findingLinks?: Pick<FindingLinks, 'open' | 'openForMail'> | undefined;
  /** Who wants which mails (NOT-10). Default: what the verbs of `operate` and the links in mails have set. */
  preferences?: RecipientPreferences | undefined;
  /** The host's own kinds of job, on the same queue. */
  kinds?: readonly JobKind<unknown>[] | undefined;
  /** Your own rows of the failure table, for errors of your kinds and adapters that the SDK does not know (ERR-1). */
  classify?: FailureClassifier | undefined;
  settings?: SettingsInput | undefined;
  /** Aborting it stops the Criticizer as `stop()` does. */
  signal?: AbortSignal | undefined;
  /** Progress of the jobs this process runs. */
  onEvent?: ((event: JobEvent) => void) | undefined;
  logger?: Logger | undefined;
  telemetry?: Telemetry | undefined;
  /** Default: warnings of the logger. */
  securityEvents?: SecurityEvents | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
}
