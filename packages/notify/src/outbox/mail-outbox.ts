import {
  checkArray,
  checkedElsewhere,
  checkFields,
  checkFunction,
  checkMs,
  checkOptions,
  checkWhole,
  createMailDelivery,
  createOutages,
  type DeliverySettings,
  defaultDeliverySettings,
  denyContent,
  isWithinLevel,
  listMailers,
  type Mailers,
  type MailOutcome,
  messageIdFor,
  nested,
  type OptionShape,
  observerShape,
  optional,
  refuseAbsentFacet,
  withMethods,
} from '@criticizer/core/internal';
import {
  type Clock,
  type Logger,
  type Mailer,
  type MessageVault,
  noTelemetry,
  type OutboundGate,
  parseRecipient,
  silentLogger,
  systemClock,
  systemRandom,
} from '@criticizer/core/ports';
import { createEnvelopeSender, type EnvelopeFrom } from '../envelope-sender.js';
import { mailbox } from '../option-shapes.js';
import { type DeliverDueOptions, deliverAllDue, deliverDue, type RunMailsOptions } from './deliver-due.js';
import { type FreezingParts, freezeOutgoing } from './freeze-outgoing.js';
import { createMailWorker, type StartMailsOptions, type StopMailsOptions } from './mail-worker.js';
import { createMailWriter, type MailStores } from './mail-writer.js';
import type { Mailbox, MailIntent, OutgoingMail } from './outgoing-mail.js';

/** Where mails lie, who sends them, and from whom they come. */
export interface MailOutboxOptions<Tx> {
  /** Rows and, unless `vault` is given, the bytes of the mails: both commit in one transaction. */
  stores: MailStores<Tx>;
  /** One or more with different ids; the first delivers mails that name none (`OutgoingMail.via`). */
  mailer: Mailer | readonly Mailer[];
  from: Mailbox;
  /** Where bounces go: an address, or one for each mail. Default: the address of `from`. */
  envelopeFrom?: EnvelopeFrom | undefined;
  /** Domain of the Message-IDs. Keep it for good. Default: that of `from`. */
  host?: string | undefined;
  /**
   * Where the messages rest instead: `createArtifactVault` keeps them encrypted and follows the
   * transaction, too. Default: a table beside the rows, in the clear as all the database is.
   */
  vault?: MessageVault<Tx> | undefined;
  /** How long `start` keeps messages in that table once they were sent, in milliseconds. Default 30 days. */
  keepMessagesMs?: number | undefined;
  /**
   * `createOutboundGate` of `@criticizer/core/ports`: kill switch, content level and egress record of
   * every mail.
   * Default: none, since these are your own mails and the stores may lack the review tables.
   */
  outbound?: OutboundGate | undefined;
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
   * transaction commits, the bytes included. A mail that is there already is never replaced: a
   * difference is given as `differs` and logged. Throws `RECIPIENT_INVALID`, `MAILER_UNKNOWN`,
   * `EGRESS_CONTENT_DENIED` where `outbound` allows less than its `content` to an address,
   * `TypeError` for what cannot be a mail.
   */
  send(mail: OutgoingMail, options?: { tx?: Tx | undefined }): Promise<MailIntent>;
  /** As `send`, of 1 to 1,000 mails in one transaction: all are stored, or none. In their order. */
  sendMany(mails: readonly OutgoingMail[], options?: { tx?: Tx | undefined }): Promise<readonly MailIntent[]>;
  /**
   * Delivers what is due until `stop`, in this process; any number of processes may. Removes old
   * messages each hour. Resolves once it runs; a second call changes nothing. It may be started again
   * after a stop.
   */
  start(options?: StartMailsOptions): Promise<void>;
  /** Claims nothing more and waits for what is being sent. The mailer is yours: close it afterwards. */
  stop(options?: StopMailsOptions): Promise<void>;
  /**
   * Instead of `start`: claims what is due, at most `limit` rows, and delivers it, each row under its
   * own lease; resolves when all of it ended, in the order in which it ended. Run it from a timer or
   * a job. An outage of the mail server, a relay rule or a quota is logged once; the results name it
   * each time (`outage`). Rejects with what `claim` rejects with.
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
  stores: (option, value) => {
    withMethods('transaction', 'now')(option, value);
    const { outbox, messages } = value as Record<string, unknown>;
    withMethods('add', 'claim', 'settle')(`${option}.outbox`, outbox);
    withMethods('save', 'load')(`${option}.messages`, messages);
  },
  vault: optional(withMethods('save', 'load')),
  mailer: checkedElsewhere,
  from: mailbox,
  envelopeFrom: checkedElsewhere,
  host: checkedElsewhere,
  keepMessagesMs: optional(checkMs),
  outbound: optional(withMethods('check', 'highestContent', 'pass')),
  settings: optional(nested(settingsShape)),
  maxPerMinute: checkedElsewhere,
  clock: observerShape.clock,
  logger: observerShape.logger,
};

const monthMs = 30 * 86_400_000;
const mostMails = 1_000;

/** What freezes the mails of one outbox; checks its options. */
function createFreezing<Tx>(options: MailOutboxOptions<Tx>, mailers: Mailers): FreezingParts {
  const { recipientKey: address } = parseRecipient(options.from.address);
  const host = options.host ?? address.slice(address.indexOf('@') + 1);
  messageIdFor('0'.repeat(32), host); // a wrong host is a caller's mistake now, not at the first mail
  return {
    mailers,
    host,
    from: { ...options.from, address },
    senderFor: createEnvelopeSender(
      'createMailOutbox: envelopeFrom',
      options.envelopeFrom === undefined ? options.from.address : options.envelopeFrom,
    ),
    /** The gate refuses it again before it leaves; here its caller hears of it. */
    refuseDenied(via, recipient, content) {
      const { destination } = mailers.get(via);
      const highest = options.outbound?.highestContent({ destination, recipient });
      if (highest !== undefined && !isWithinLevel(content, highest)) throw denyContent(destination, content, highest);
    },
  };
}

// long: the verbs of the outbox, each short, over the same parts
/**
 * An outbox for mails of the host's own, on the same table and the same guarantees as review mails
 * (NOT-3..11): written before it is sent, unique by `dedupeKey` and recipient, sent at least once,
 * once in effect where the mailer can look up or the provider knows the key. Needs stores with the
 * module `notify`.
 */
export function createMailOutbox<Tx>(options: MailOutboxOptions<Tx>): MailOutbox<Tx> {
  checkOptions('createMailOutbox', options, optionShape);
  const { stores, maxPerMinute, clock = systemClock, logger = silentLogger } = options;
  const { outbox, messages } = stores;
  refuseAbsentFacet('createMailOutbox: stores.outbox', outbox);
  const mailers = listMailers('createMailOutbox: mailer', options.mailer);
  const freezing = createFreezing(options, mailers);
  const vault: MessageVault<Tx> = options.vault ?? messages;
  const observers = { clock, logger, telemetry: noTelemetry };
  const storeNow = (): Promise<Date> => stores.now();
  const deliver = createMailDelivery({
    ...{ outbox, vault, senders: mailers, storeNow },
    outbound: options.outbound ?? null,
    settings: { ...defaultDeliverySettings, ...options.settings },
    maxPerMinute: maxPerMinute ?? null,
    outages: createOutages(observers),
    ...observers,
  });
  const due = { outbox, via: mailers.ids, deliver, random: systemRandom, ...observers };
  const keep = { messages, olderThanMs: options.keepMessagesMs ?? monthMs };
  const worker = createMailWorker(due, options.vault === undefined ? keep : null);
  const store = createMailWriter({ stores, vault, logger });

  async function sendMany(mails: readonly OutgoingMail[], sending?: { tx?: Tx | undefined }) {
    checkFields<{ tx?: Tx | undefined }>('send: options', sending, { tx: checkedElsewhere });
    checkArray('sendMany: mails', mails);
    checkWhole('sendMany: mails.length', mails.length, 1, mostMails);
    const now = await storeNow();
    const copies = mails.map((mail) => freezeOutgoing(freezing, mail, now));
    const intents = await store(copies.flat(), sending?.tx);
    if (sending?.tx === undefined) worker.wake();
    let at = 0;
    return copies.map(({ length }) => {
      const [own, ...others] = intents.slice(at, at + length);
      at += length;
      if (own === undefined) throw new TypeError('mail outbox: the store answered too few rows');
      return others.length === 0 ? own : { ...own, copies: others };
    });
  }

  return {
    sendMany,
    async send(mail, sending) {
      const [intent] = await sendMany([mail], sending);
      return intent as MailIntent;
    },
    start: (starting) => worker.start(starting),
    stop: (stopping) => worker.stop(stopping),
    deliverDue: async (delivering = {}) => deliverDue(due, delivering),
    runDue: async (running) => deliverAllDue(due, running),
  };
}
