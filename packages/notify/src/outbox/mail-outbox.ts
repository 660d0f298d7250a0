import {
  checkedElsewhere,
  checkFields,
  checkFunction,
  checkOptions,
  createMailDelivery,
  createOutages,
  type DeliverySettings,
  defaultDeliverySettings,
  denyContent,
  isWithinLevel,
  listMailers,
  type MailOutcome,
  messageIdFor,
  nested,
  type OptionShape,
  observerShape,
  optional,
  outboxKey,
  refuseAbsentFacet,
  withMethods,
} from '@criticizer/core/internal';
import {
  type Clock,
  type ContentLevel,
  decodeFrozenMail,
  encodeFrozenMail,
  errorFacts,
  type FrozenMail,
  type Logger,
  type Mailer,
  type MessageVault,
  type NotifyOutbox,
  noTelemetry,
  type OutboundGate,
  type OutboxRow,
  parseRecipient,
  silentLogger,
  systemClock,
  systemRandom,
} from '@criticizer/core/ports';
import { createEnvelopeSender, type EnvelopeFrom } from '../envelope-sender.js';
import { mailbox } from '../option-shapes.js';
import { type DeliverDueOptions, deliverAllDue, deliverDue, type RunMailsOptions } from './deliver-due.js';
import { type MailIntent, mailShape, type OutgoingMail, scopeOf } from './outgoing-mail.js';

/** Where mails lie, who sends them, and from whom they come. */
export interface MailOutboxOptions<Tx> {
  /** `Stores.outbox`. */
  outbox: NotifyOutbox<Tx>;
  /**
   * Where the messages rest until they are sent; rows hold only a digest. `createArtifactVault`
   * follows the caller's transaction.
   */
  vault: MessageVault<Tx>;
  /** One or more with different ids; the first delivers mails that name none (`OutgoingMail.via`). */
  mailer: Mailer | readonly Mailer[];
  from: { address: string; name?: string | undefined };
  /** Where bounces go: an address, or one for each mail. Default: the address of `from`. */
  envelopeFrom?: EnvelopeFrom | undefined;
  /** Domain of the Message-IDs. */
  host: string;
  /**
   * `createOutboundGate` of `@criticizer/core/ports`: kill switch, content level and egress record of
   * every mail.
   * Default: none, since these are your own mails and the stores may lack the review tables.
   */
  outbound?: OutboundGate | undefined;
  /** The store's clock: `Stores.now`. */
  storeNow(): Promise<Date>;
  /** Default: the specification's numbers; a mail nobody can tell about is sent again, flagged `possibleDuplicate`. */
  settings?: Partial<DeliverySettings> | undefined;
  /**
   * Mails that this object sends by each mailer in any 60 seconds, so that a backlog does not leave at once; 1 to
   * 100,000. Default: not limited.
   */
  maxPerMinute?: number | undefined;
  clock?: Clock | undefined;
  logger?: Logger | undefined;
}

/** Mails of the host, each delivered once in effect; a mail commits with the host's own rows. */
export interface MailOutbox<Tx> {
  /**
   * Commits the intent to send; sends nothing. With `tx`, it holds exactly if the caller's own
   * transaction commits, the vault's bytes included. A mail that is there already is never
   * replaced: a difference is given as `differs` and logged. Throws `RECIPIENT_INVALID`,
   * `MAILER_UNKNOWN`, `EGRESS_CONTENT_DENIED` where `outbound` allows less than its `content` to this
   * address, `TypeError` for what cannot be a mail.
   */
  send(mail: OutgoingMail, options?: { tx?: Tx | undefined }): Promise<MailIntent>;
  /**
   * Claims what is due, at most `limit` rows, and delivers it, each row under its own lease; resolves
   * when all of it ended, in the order in which it ended. Run it from a timer or a job. An outage of
   * the mail server, a relay rule or a quota is logged once; the results name it each time
   * (`outage`). Rejects with what `claim` rejects with.
   */
  deliverDue(options?: DeliverDueOptions): Promise<readonly MailOutcome[]>;
  /**
   * For tests of the host: delivers until nothing is due now; mails that wait for later are left.
   * With stores and outbox on one manual clock, advance it and call again; PostgreSQL's own clock
   * decides what is due there. Leaves no timer. Rejects as `deliverDue` does.
   */
  runDue(options?: RunMailsOptions): Promise<readonly MailOutcome[]>;
}

const settingsShape: OptionShape<DeliverySettings> = {
  ambiguity: checkedElsewhere,
  maxAttempts: checkedElsewhere,
  replayMarginMs: checkedElsewhere,
  lookupRetryMs: checkedElsewhere,
  backoffMs: optional(checkFunction),
  maxBackoffMs: checkedElsewhere,
  outageWaitMs: optional(checkFunction),
  lostAnswerWaitMs: optional(checkFunction),
  patienceMs: checkedElsewhere,
};

const optionShape: OptionShape<MailOutboxOptions<unknown>> = {
  outbox: withMethods('add', 'claim', 'settle'),
  vault: withMethods('save', 'load'),
  mailer: checkedElsewhere,
  from: mailbox,
  envelopeFrom: checkedElsewhere,
  host: checkedElsewhere,
  outbound: optional(withMethods('check', 'highestContent', 'pass')),
  storeNow: checkFunction,
  settings: optional(nested(settingsShape)),
  maxPerMinute: checkedElsewhere,
  clock: observerShape.clock,
  logger: observerShape.logger,
};

// long: the verbs of the outbox, each short, over the same parts
/**
 * An outbox for mails of the host's own, on the same table and the same guarantees as review mails
 * (NOT-3..11): written before it is sent, unique by `dedupeKey` and recipient, sent at least once,
 * once in effect where the mailer can look up or the provider knows the key.
 */
export function createMailOutbox<Tx>(options: MailOutboxOptions<Tx>): MailOutbox<Tx> {
  checkOptions('createMailOutbox', options, optionShape);
  refuseAbsentFacet('createMailOutbox: outbox', options.outbox);
  const { outbox, vault, host } = options;
  const mailers = listMailers('createMailOutbox: mailer', options.mailer);
  const from = { ...options.from, address: parseRecipient(options.from.address).recipientKey };
  const senderFor = createEnvelopeSender(
    'createMailOutbox: envelopeFrom',
    options.envelopeFrom ?? options.from.address,
  );
  messageIdFor('0'.repeat(32), host); // a wrong host is a caller's mistake now, not at the first mail
  const { maxPerMinute, clock = systemClock, logger = silentLogger } = options;
  const observers = { clock, logger, telemetry: noTelemetry };
  const deliver = createMailDelivery({
    outbox,
    vault,
    mailers,
    outbound: options.outbound ?? null,
    settings: { ...defaultDeliverySettings, ...options.settings },
    maxPerMinute: maxPerMinute ?? null,
    storeNow: options.storeNow,
    outages: createOutages(observers),
    ...observers,
  });
  const due = { outbox, via: mailers.ids, deliver, random: systemRandom, ...observers };

  /** Dates differ between any two calls, so they are no difference. */
  async function differs(row: OutboxRow, mail: FrozenMail): Promise<boolean | null> {
    try {
      const bytes = await vault.load(row.messageArtifactId);
      if (bytes === null) return null;
      const { date, messageId } = decodeFrozenMail(bytes, row.messageSha256);
      return encodeFrozenMail({ ...mail, date, messageId }).sha256 !== row.messageSha256;
    } catch (error) {
      logger.warn(
        { event: 'mail.compare_failed', rowId: row.id, ...errorFacts(error) },
        'could not compare a mail with the one that is there already',
      );
      return null;
    }
  }

  async function existing(row: OutboxRow, mail: FrozenMail): Promise<MailIntent> {
    const isOther = await differs(row, mail);
    if (isOther === true)
      logger.warn(
        { event: 'mail.dedupe_key_taken', rowId: row.id },
        'another mail with this dedupe key is there already; it stands, this one is not sent',
      );
    return { outcome: 'existing', row, differs: isOther };
  }

  /** The gate refuses it again before it leaves; here its caller hears of it. */
  function refuseDenied(via: string, recipient: string, content: ContentLevel): void {
    const destination = { kind: 'mail', id: mailers.get(via).destinationId ?? via } as const;
    const highest = options.outbound?.highestContent({ destination, recipient });
    if (highest !== undefined && !isWithinLevel(content, highest)) throw denyContent(destination, content, highest);
  }

  async function send(mail: OutgoingMail, sending?: { tx?: Tx | undefined }): Promise<MailIntent> {
    checkFields('mail outbox: mail', mail, mailShape);
    checkFields<{ tx?: Tx | undefined }>('send: options', sending, { tx: checkedElsewhere });
    const tx = sending?.tx;
    const changelistId = scopeOf(mail.dedupeKey);
    const reviewVersion = mail.version ?? 1;
    const via = mailers.resolve(mail.via);
    const { address: recipient, recipientKey } = parseRecipient(mail.to.address);
    refuseDenied(via, recipientKey, mail.content ?? 'code');
    const key = outboxKey({ changelistId, recipientKey, reviewVersion });
    const frozen: FrozenMail = {
      messageId: messageIdFor(key, host),
      from,
      envelopeFrom: senderFor(key),
      replyTo: mail.replyTo,
      to: { ...mail.to, address: recipientKey },
      subject: mail.subject,
      date: await options.storeNow(),
      text: mail.text,
      html: mail.html ?? '',
      content: mail.content,
      headers: mail.headers ?? [],
    };
    const { bytes, sha256 } = encodeFrozenMail(frozen);
    const known = (await outbox.list({ changelistId, reviewVersion, limit: 1_000 })).find((row) => row.key === key);
    if (known !== undefined) return existing(known, frozen);
    const messageArtifactId = await vault.save(bytes, { changelistId, jobId: null }, { tx });
    const row = {
      changelistId,
      reviewVersion,
      recipient,
      recipientKey,
      key,
      required: false,
      via,
      jobId: null,
      messageArtifactId,
      messageSha256: sha256,
    };
    const [added] = await outbox.add([row], { tx });
    if (added === undefined) throw new TypeError('mail outbox: the store answered no row');
    if (added.outcome === 'added') return { outcome: 'added', row: added.row };
    // Somebody wrote it since the look: what was saved for this one is nobody's, unless a vault of
    // contents gave the same id.
    if (added.row.messageArtifactId !== messageArtifactId) await vault.discard?.(messageArtifactId, { tx });
    return existing(added.row, frozen);
  }

  return {
    send,
    deliverDue: async (delivering = {}) => deliverDue(due, delivering),
    runDue: async (running) => deliverAllDue(due, running),
  };
}
