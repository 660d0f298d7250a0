import type { Artifacts } from '../../artifacts/artifacts.js';
import { CriticizerError } from '../../foundation/errors.js';
import { type ContentLevel, isWithinLevel, type OutboundGate } from '../../foundation/outbound.js';
import type { Redactor } from '../../foundation/redactor.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { FindingLinks } from '../../links/finding-links.js';
import { encodeFrozenMail } from '../../outbox/frozen-mail.js';
import { createMailVault } from '../../outbox/mail-vault.js';
import { type FrozenMail, toDestination } from '../../outbox/mailer.js';
import type { Mailers } from '../../outbox/mailers.js';
import { outboxKey } from '../../outbox/outbox-key.js';
import { summariseFindings } from '../../review/review-result.js';
import type { Settings } from '../../settings/settings.js';
import type { Job } from '../../stores/job.js';
import type { NewOutboxRow, NotifyOutbox } from '../../stores/notify-outbox.js';
import type { StageContext } from '../../worker/run/stage.js';
import { readSummary, type StoredSummary } from '../job/change-snapshot.js';
import type { ReviewJob } from '../job/review-job.js';
import type { RunOutputs } from '../job/run-outputs.js';
import { bothPaths } from '../job/true-paths.js';
import type { StoredReview } from '../llm/stored-review.js';
import { mergeRecipients, parseRecipients } from '../recipients/merge-recipients.js';
import {
  applyPreferences,
  type RecipientPreferences,
  type Willing,
  type WillingRecipient,
} from '../recipients/recipient-preferences.js';
import type { Recipient, RecipientResolver } from '../recipients/recipient-resolver.js';
import { resolveRecipients } from '../recipients/resolve-recipients.js';
import { createThreadFinder } from './find-thread.js';
import type { MailComposer, MailEnvelope, ReviewMailContent, ReviewMailCounts } from './mail-composer.js';
import { buildMailContent, buildMailCounts } from './review-mail-content.js';
import { addExcerpts, readSnapshot } from './show-code.js';

/** What writes the mails of a review. */
export interface StoreMailsOptions {
  outbox: NotifyOutbox<never>;
  artifacts: Artifacts;
  redactor: Redactor;
  mailers: Mailers;
  composer: MailComposer;
  /** Says how much of a review each recipient may get. */
  outbound: Pick<OutboundGate, 'highestContent'>;
  recipients: RecipientResolver;
  /** Makes links by which recipients hide findings. Left out: none. */
  links?: Pick<FindingLinks, 'open' | 'openForMail'> | undefined;
  /** Who wants which mails. */
  preferences: RecipientPreferences;
  settings: Pick<Settings, 'mail' | 'review'>;
  clock: Clock;
  storeNow(): Promise<Date>;
}

/** Change and version of a review job. */
export function identityOf(job: Job): { changelistId: string; reviewVersion: number } {
  if (job.changelistId === null || job.reviewVersion === null)
    throw new CriticizerError('JOB_WITHOUT_CHANGE', 'A review job names no change and version.');
  return { changelistId: job.changelistId, reviewVersion: job.reviewVersion };
}

/**
 * The address alone where the name, which may be a user's of the change, is something to redact.
 * Throws what the redactor throws.
 */
function withoutSecretName({ name, ...rest }: Recipient, redactor: Redactor): Recipient {
  return name === undefined || redactor.session().redact(name).text !== name ? rest : { ...rest, name };
}

/** Those who asked for the review and those whom the resolver names, each once, where they want the mail. */
async function findRecipients(
  options: StoreMailsOptions,
  { job, payload, signal }: StageContext<ReviewJob>,
  { summary, files, review }: Pick<StoredSummary, 'summary' | 'files'> & { review: StoredReview },
): Promise<Willing> {
  const { reviewVersion } = identityOf(job);
  const resolved = await resolveRecipients(
    {
      resolver: options.recipients,
      clock: options.clock,
      timeoutMs: options.settings.mail.recipientsTimeoutMs,
      signal,
    },
    {
      change: summary,
      paths: [...new Set(files.flatMap(bothPaths))],
      verdict: review.state.verdict,
      counts: summariseFindings(review.findings),
      findings: review.findings.map(({ severity, file }) => ({ severity, path: file })),
      version: reviewVersion,
    },
  );
  const requested = payload.recipients.map((recipient) => ({ reason: 'requested', ...recipient }));
  const merged = mergeRecipients([...requested, ...parseRecipients(resolved)], options.mailers);
  if (merged.length === 0) return { recipients: [], leftOut: 0 };
  const wishes = await options.preferences.find(merged.map(({ recipientKey }) => recipientKey));
  return applyPreferences(merged, wishes, summariseFindings(review.findings));
}

/**
 * Rows before any send, with the frozen messages they point to, in one commit (NOT-3). Gives how
 * many of them hold counts alone.
 */
export async function storeMails(
  options: StoreMailsOptions,
  context: StageContext<ReviewJob>,
  outputs: RunOutputs,
  review: StoredReview,
): Promise<number> {
  const { outbox, artifacts } = options;
  const { job } = context;
  const { changelistId, reviewVersion } = identityOf(job);
  const { summary, files } = await readSummary(outputs);
  const { recipients: everybody, leftOut } = await findRecipients(options, context, { summary, files, review });
  if (leftOut > 0) context.report({ mailsUnwanted: leftOut });
  const levelOf = createLevels(options);
  const getsCode = everybody.some((one) => isWithinLevel('code', levelOf(one)));
  const snapshot = getsCode ? await readSnapshot(options.redactor, outputs, context) : null;
  const content = buildMailContent(review, options.settings.review, reviewVersion);
  const compose = createLeveledComposer(options, {
    content,
    code: addExcerpts(content, snapshot, files),
    counts: buildMailCounts(review, options.settings.review, reviewVersion),
    link: await createLinking(options.links, job.id, context.signal),
  });
  const vault = createMailVault(artifacts, review.hiddenPaths.length === 0 ? options.redactor.rules : null);
  const earlier = reviewVersion === 1 ? [] : await outbox.list({ changelistId, limit: 1_000 });
  const findThread = createThreadFinder(earlier, reviewVersion, vault);
  // When it is composed, by the store's clock: a review may have waited for days, and readers sort by Date.
  const date = await options.storeNow();
  const rows: NewOutboxRow[] = [];
  let countsMails = 0;
  const unsubscribeFor = await options.links?.openForMail({ signal: context.signal });
  for (const { recipientKey, via, linkOnly, ...known } of everybody) {
    const recipient = withoutSecretName(known, options.redactor);
    const key = outboxKey({ changelistId, recipientKey, reviewVersion });
    const thread = await findThread(recipientKey);
    const unsubscribeUrl = unsubscribeFor?.(key, date);
    const mail = compose(levelOf({ via, recipientKey, linkOnly }), { recipient, key, date, thread, unsubscribeUrl });
    if (mail.content === 'counts') countsMails += 1;
    const { bytes, sha256 } = encodeFrozenMail(mail);
    const messageArtifactId = await vault.save(bytes, { changelistId, jobId: job.id });
    const { address, required } = recipient;
    rows.push({
      changelistId,
      reviewVersion,
      recipient: address,
      recipientKey,
      key,
      required,
      via,
      jobId: job.id,
      messageArtifactId,
      messageSha256: sha256,
      traceparent: job.traceparent ?? context.span?.traceparent ?? null,
    });
  }
  await context.checkpoint({ outbox: rows, publish: rows.map((row) => row.messageArtifactId) });
  // Versions that waited together come here in any order. Whichever comes last sees all rows:
  // only the newest version mails.
  const versions = (await outbox.list({ changelistId, limit: 1_000 })).map((row) => row.reviewVersion);
  await outbox.cancelOlder(changelistId, Math.max(reviewVersion, ...versions));
  return countsMails;
}

/** The highest content level of a recipient, by the policy (ruling R21) and by what the person wants. */
function createLevels({
  mailers,
  outbound,
}: Pick<StoreMailsOptions, 'mailers' | 'outbound'>): (
  to: Pick<WillingRecipient, 'via' | 'recipientKey' | 'linkOnly'>,
) => ContentLevel {
  return ({ via, recipientKey, linkOnly }) => {
    const highest = outbound.highestContent({ destination: toDestination(mailers.get(via)), recipient: recipientKey });
    return linkOnly && isWithinLevel('counts', highest) ? 'counts' : highest;
  };
}

/** What a review's mails say, by level. */
interface LeveledMail {
  content: ReviewMailContent;
  code: ReviewMailContent;
  counts: ReviewMailCounts;
  /** Adds the links of one recipient's mail. */
  link(mail: ReviewMailContent, envelope: MailEnvelope): ReviewMailContent;
}

/** Adds to a mail the links of its recipient, but to a withheld credential, which no link hides. */
async function createLinking(
  links: StoreMailsOptions['links'],
  jobId: string,
  signal: AbortSignal,
): Promise<LeveledMail['link']> {
  if (links === undefined) return (mail) => mail;
  const linkTo = await links.open({ signal });
  return (mail, { key, date }) => {
    const findings = mail.result.findings.map((finding) => {
      if (finding.origin === 'redaction') return finding;
      return { ...finding, hideUrl: linkTo({ jobId, findingId: finding.id, mailKey: key }, date) };
    });
    return { ...mail, result: { ...mail.result, findings } };
  };
}

/** Composes what the level allows: findings with code, findings, or counts. */
function createLeveledComposer(
  { composer }: Pick<StoreMailsOptions, 'composer'>,
  { content, code, counts, link }: LeveledMail,
): (level: ContentLevel, envelope: MailEnvelope) => FrozenMail {
  return (level, envelope) => {
    if (isWithinLevel('code', level)) return composer.compose(link(code, envelope), envelope);
    return isWithinLevel('findings', level)
      ? composer.compose(link(content, envelope), envelope)
      : composer.composeCounts(counts, envelope);
  };
}
