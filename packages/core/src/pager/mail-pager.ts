import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { partWith } from '../foundation/contract.js';
import { checkName, optional } from '../foundation/option-checks.js';
import type { Clock } from '../foundation/time/clock.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { messageIdFor, outboxKey } from '../outbox/outbox-key.js';
import { parseRecipient } from '../outbox/recipient-key.js';
import type { FrozenMail, Mailer, SendOutcome } from '../outbox/senders/mailer.js';
import type { Alert } from './alert.js';
import type { Pager, PagerAnswer, PagerContext } from './pager.js';
import { checkPagerId } from './pager-options.js';

/** Who is mailed, from whom, by which mailer. */
export interface MailPagerOptions {
  /** 1 to 64 letters, digits, `_` and `-`. */
  id: string;
  /** Any mailer. Its `close` is left to whoever made it. */
  mailer: Mailer;
  /** One address: a list, or the mail gateway of a pager. */
  to: string;
  from: string;
  /** Names this installation in subjects: `criticizer-prod`. Default `criticizer`. */
  source?: string | undefined;
  clock?: Pick<Clock, 'nowMs'> | undefined;
}

const optionShape: OptionShape<MailPagerOptions> = {
  id: checkPagerId,
  mailer: partWith('send'),
  to: checkName,
  from: checkName,
  source: optional(checkName),
  clock: optional((option, value) => {
    if (typeof (value as Clock | null)?.nowMs !== 'function')
      throw new TypeError(`${option}: expected an object with the method nowMs`);
  }),
};

type Status = 'firing' | 'resolved';

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function describe({ kind, code, severity, summary, place, count, startedAt, key }: Alert, status: Status): string {
  const where = Object.entries(place).map(([name, value]) => `${name}: ${value}`);
  const lines = [summary, '', `status: ${status}`, `severity: ${severity}`, `kind: ${kind}`, `code: ${code}`];
  return [...lines, ...where, `count: ${count}`, `since: ${startedAt.toISOString()}`, `key: ${key}`, ''].join('\n');
}

function toAnswer(outcome: SendOutcome): PagerAnswer {
  if (outcome.kind === 'accepted') return { kind: 'taken' };
  const { code, message } = outcome.failure;
  const failure = { code, message };
  if (outcome.kind === 'rejected' && outcome.permanent) return { kind: 'refused', failure };
  return { kind: 'retry', failure, retryAfterMs: outcome.retryAfterMs };
}

/**
 * Mails each alert and its end to one address, the second as a reply to the first. A mail cannot be
 * deduplicated at the far end: after a lost answer the mail is looked up where the mailer can, else it
 * is sent again under the same Message-ID. Throws `TypeError` for wrong options, `RECIPIENT_INVALID`
 * for an address that is none.
 */
export function createMailPager(options: MailPagerOptions): Pager {
  checkOptions('createMailPager', options, optionShape);
  const { id, mailer, source = 'criticizer', clock = systemClock } = options;
  const { address: to, recipientKey } = parseRecipient(options.to);
  const { address: from, recipientKey: sender } = parseRecipient(options.from);
  const host = sender.slice(sender.lastIndexOf('@') + 1);

  function keyFor({ key, episode }: Alert, status: Status): string {
    return outboxKey({ changelistId: `alert:${key}:${status}`, recipientKey, reviewVersion: episode });
  }

  function compose(alert: Alert, status: Status): FrozenMail {
    const text = describe(alert, status);
    const first = messageIdFor(keyFor(alert, 'firing'), host);
    const replies = [
      { name: 'In-Reply-To', value: first },
      { name: 'References', value: first },
    ];
    return {
      messageId: messageIdFor(keyFor(alert, status), host),
      from: { address: from, name: source },
      envelopeFrom: from,
      to: { address: to },
      subject: `[${source}] ${status === 'firing' ? alert.severity : 'resolved'}: ${alert.summary}`,
      date: new Date(clock.nowMs()),
      text,
      html: `<pre>${escapeHtml(text)}</pre>`,
      content: 'none',
      headers: [{ name: 'Auto-Submitted', value: 'auto-generated' }, ...(status === 'resolved' ? replies : [])],
    };
  }

  async function wasSent(mail: FrozenMail, key: string, { startedAt }: Alert, signal: AbortSignal): Promise<boolean> {
    if (mailer.lookup === undefined) return false;
    const sinceDataMs = Math.max(0, clock.nowMs() - startedAt.getTime());
    const query = { key, messageId: mail.messageId, id: null, recipient: to, since: startedAt, sinceDataMs, signal };
    return (await mailer.lookup(query)).kind === 'found';
  }

  async function send(alert: Alert, status: Status, context: PagerContext): Promise<PagerAnswer> {
    const { signal, isRepeat, beforeSend } = context;
    signal.throwIfAborted();
    const mail = compose(alert, status);
    const key = keyFor(alert, status);
    if (isRepeat && (await wasSent(mail, key, alert, signal))) return { kind: 'taken' };
    const outcome = await mailer.send(mail, {
      ...{ key, signal },
      async onPhase(phase, wire) {
        if (phase !== 'data') return;
        if (wire === undefined) throw new TypeError(`mailer ${mailer.id}: onPhase('data') needs the message`);
        await beforeSend(wire);
      },
    });
    return toAnswer(outcome);
  }

  return {
    contract: 1,
    id,
    trigger: (alert, context) => send(alert, 'firing', context),
    resolve: (alert, context) => send(alert, 'resolved', context),
  };
}
