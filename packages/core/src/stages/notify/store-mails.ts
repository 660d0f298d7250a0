import type { Artifacts } from '../../artifacts/artifacts.js';
import { CriticizerError } from '../../foundation/errors.js';
import { type ContentLevel, isWithinLevel, type OutboundGate } from '../../foundation/outbound.js';
import type { Redactor } from '../../foundation/redactor.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { FindingLinks } from '../../links/finding-links.js';
import { type EncodedMail, encodeFrozenMail } from '../../outbox/frozen/frozen-mail.js';
import { createMailVault } from '../../outbox/frozen/mail-vault.js';
import { outboxKey } from '../../outbox/outbox-key.js';
import type { FrozenMail } from '../../outbox/senders/mailer.js';
import type { Mailers } from '../../outbox/senders/mailers.js';
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
import type { Channel } from './channel.js';
import { createThreadFinder } from './find-thread.js';
import type { MailComposer, MailEnvelope, ReviewMailContent, ReviewMailCounts } from './mail-composer.js';
import { planBesideOthers } from './plan-beside-others.js';
import { buildMailContent, buildMailCounts } from './review-mail-content.js';
import { addExcerpts, readSnapshot } from './show-code.js';

/** What writes the mails of a review. */
export interface StoreMailsOptions {
  outbox: NotifyOutbox<never>;
  artifacts: Artifacts;
  redactor: Redactor;
  mailers: Mailers;
  /** Left out only where there is no mailer. */
  composer?: MailComposer | undefined;
  /** What posts the review beside the mails. */
  channels: readonly Channel[];
  /** Says how much of a review each recipient may get. */
  outbound: Pick<OutboundGate, 'check' | 'highestContent'>;
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
  if (options.mailers.ids.length === 0) return { recipients: [], leftOut: 0 };
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

type RowOfMessage = Pick<NewOutboxRow, 'key' | 'recipient' | 'recipientKey' | 'required' | 'via'>;

/**
 * Rows before any send, with the frozen messages they point to, in one commit (NOT-3). Gives how
 * many of them hold counts alone.
 */
// long: the one commit of a review's messages, mails and posts
export async function storeMails(
  options: StoreMailsOptions,
  context: StageContext<ReviewJob>,
  outputs: RunOutputs,
  review: StoredReview,
): Promise<number> {
  const { outbox, artifacts } = options;
  const { job } = context;
  const { changelistId, reviewVersion } = identityOf(job);
  const { summary, files, rest } = await readSummary(outputs);
  const { recipients: everybody, leftOut } = await findRecipients(options, context, { summary, files, review });
  if (leftOut > 0) context.report({ mailsUnwanted: leftOut });
  const levelOf = createLevels(options);
  const content = buildMailContent(review, options.settings.review, reviewVersion);
  const code = once(async () => addExcerpts(content, await readSnapshot(options.redactor, outputs, context), files));
  const getsCode = everybody.some((one) => isWithinLevel('code', levelOf(one)));
  const counts = buildMailCounts(review, options.settings.review, reviewVersion);
  const hideUrl = await createLinking(options.links, job.id, context.signal);
  const leveled = { content, code: getsCode ? await code() : content, counts, hideUrl };
  const compose = createLeveledComposer(options, leveled);
  const vault = createMailVault(artifacts, review.hiddenPaths.length === 0 ? options.redactor.rules : null);
  const listRows = () => outbox.list({ changelistId, limit: 1_000 });
  const earlier = reviewVersion === 1 ? [] : await listRows();
  const findThread = createThreadFinder(earlier, reviewVersion, vault);
  // When it is composed, by the store's clock: a review may have waited for days, and readers sort by Date.
  const date = await options.storeNow();
  const traceparent = job.traceparent ?? context.span?.traceparent ?? null;
  const rows: NewOutboxRow[] = [];
  async function keep({ bytes, sha256: messageSha256 }: EncodedMail, row: RowOfMessage): Promise<void> {
    const messageArtifactId = await vault.save(bytes, { changelistId, jobId: job.id });
    rows.push({ ...row, changelistId, reviewVersion, jobId: job.id, messageArtifactId, messageSha256, traceparent });
  }
  let countsMails = 0;
  const unsubscribeFor = await options.links?.openForMail({ signal: context.signal });
  for (const { recipientKey, via, linkOnly, ...known } of everybody) {
    const recipient = withoutSecretName(known, options.redactor);
    const key = outboxKey({ changelistId, recipientKey, reviewVersion });
    const thread = await findThread(recipientKey);
    const unsubscribeUrl = unsubscribeFor?.(key, date);
    const mail = compose(levelOf({ via, recipientKey, linkOnly }), { recipient, key, date, thread, unsubscribeUrl });
    if (mail.content === 'counts') countsMails += 1;
    const { address, required } = recipient;
    await keep(encodeFrozenMail(mail), { recipient: address, recipientKey, key, required, via });
  }
  const { number, originalNumber = number } = summary;
  const { contentDigest } = rest;
  const judged = { changelistId, reviewVersion, originalNumber, contentDigest, jobId: job.id };
  const hide = (findingId: string, rowKey: string) => hideUrl?.(findingId, { key: rowKey, date });
  const planned = { ...judged, date, content, code, counts, hideUrl: hide };
  const posts = await planBesideOthers(options, { review: planned, earlier, listRows }, context.signal);
  for (const { bytes, sha256, ...post } of posts)
    await keep({ bytes, sha256 }, { ...post, recipient: post.recipientKey });
  await context.checkpoint({ outbox: rows, publish: rows.map((row) => row.messageArtifactId) });
  // Versions that waited together come here in any order. Whichever comes last sees all rows:
  // only the newest version mails.
  const versions = (await listRows()).map((row) => row.reviewVersion);
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
    const highest = outbound.highestContent({ destination: mailers.get(via).destination, recipient: recipientKey });
    return linkOnly && isWithinLevel('counts', highest) ? 'counts' : highest;
  };
}

/** What a review's mails say, by level. */
interface LeveledMail {
  content: ReviewMailContent;
  code: ReviewMailContent;
  counts: ReviewMailCounts;
  /** Makes the links of one recipient's mail; null where there are none. */
  hideUrl: HideUrl | null;
}

type HideUrl = (findingId: string, row: Pick<MailEnvelope, 'date' | 'key'>) => string;

/** The same promise for every caller, made at the first call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Makes the links by which whoever has a row's message hides a finding; null where there are none. */
async function createLinking(
  links: StoreMailsOptions['links'],
  jobId: string,
  signal: AbortSignal,
): Promise<HideUrl | null> {
  if (links === undefined) return null;
  const linkTo = await links.open({ signal });
  return (findingId, { key, date }) => linkTo({ jobId, findingId, mailKey: key }, date);
}

/** Adds to a mail the links of its recipient, but to a withheld credential, which no link hides. */
function addLinks(mail: ReviewMailContent, hideUrl: HideUrl | null, envelope: MailEnvelope): ReviewMailContent {
  if (hideUrl === null) return mail;
  const findings = mail.result.findings.map((finding) =>
    finding.origin === 'redaction' ? finding : { ...finding, hideUrl: hideUrl(finding.id, envelope) },
  );
  return { ...mail, result: { ...mail.result, findings } };
}

/** Composes what the level allows: findings with code, findings, or counts. */
function createLeveledComposer(
  { composer }: Pick<StoreMailsOptions, 'composer'>,
  { content, code, counts, hideUrl }: LeveledMail,
): (level: ContentLevel, envelope: MailEnvelope) => FrozenMail {
  return (level, envelope) => {
    if (composer === undefined) throw new TypeError('storeMails: expected a composer where there is a mailer');
    if (!isWithinLevel('findings', level)) return composer.composeCounts(counts, envelope);
    return composer.compose(addLinks(isWithinLevel('code', level) ? code : content, hideUrl, envelope), envelope);
  };
}
