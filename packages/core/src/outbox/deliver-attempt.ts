import { CriticizerError, isCriticizerError } from '../foundation/errors.js';
import { isRetryable } from '../foundation/failures/failure.js';
import type { OutboundGate } from '../foundation/outbound.js';
import type { DeliveryFailure, NotifyOutbox, OutboxLease, OutboxRow } from '../stores/notify-outbox.js';
import type { SendOutcome, WireMessage } from './senders/mailer.js';
import type { OpenMessage, Sender } from './senders/sender.js';

/**
 * What one attempt came to. Beyond the provider's answers: nothing was sent and waiting helps, or
 * the lease was gone before any byte left.
 */
export type AttemptResult =
  | SendOutcome
  | { kind: 'not-sent'; code: string; retryAfterMs?: number | undefined }
  | { kind: 'lease-lost' };

export interface AttemptOptions<Tx> {
  message: Pick<OpenMessage, 'address' | 'content' | 'send'>;
  key: string;
  lease: OutboxLease;
  outbox: Pick<NotifyOutbox<Tx>, 'recordPhase'>;
  sender: Pick<Sender, 'destination' | 'id'>;
  /** The row, for the egress record. */
  row: Pick<OutboxRow, 'jobId' | 'changelistId' | 'reviewVersion' | 'key'>;
  /** Kill switch and egress record; null: the host's own mails, which the host accounts for. */
  outbound: OutboundGate | null;
  signal: AbortSignal;
  /** What to record as the end of the provider's promise for this key, from now. */
  providerKeyTtlMs?: number | undefined;
  /** This may make a second copy; recorded before a byte leaves. */
  possibleDuplicate?: boolean | undefined;
}

/** Code of a mail that the policy of content levels refuses. */
export const CONTENT_DENIED = 'EGRESS_CONTENT_DENIED';

function ambiguous(code: string): AttemptResult {
  const message = 'The message was handed over and no answer came.';
  return { kind: 'ambiguous', failure: { scope: 'transport', code, category: 'network', message } };
}

/** A mailer that threw before the data phase sent nothing. */
function beforeData(error: unknown): AttemptResult {
  if (isCriticizerError(error)) {
    if (error.parks) return { kind: 'not-sent', code: error.code, retryAfterMs: error.retryAfterMs };
    const scope = isRetryable(error.category) || error.category === 'auth' ? 'transport' : 'message';
    const failure: DeliveryFailure = {
      scope,
      code: error.code,
      category: error.category,
      message: error.message.slice(0, 512),
    };
    return { kind: 'rejected', failure, permanent: false, retryAfterMs: error.retryAfterMs };
  }
  const composing = error instanceof TypeError;
  const failure: DeliveryFailure = {
    scope: 'message',
    code: composing ? 'MAIL_NOT_COMPOSABLE' : 'MAILER_THREW',
    category: composing ? 'validation' : 'bug',
    message: composing
      ? 'The mailer could not compose this message.'
      : 'The mailer failed in a way it does not declare.',
  };
  return { kind: 'rejected', failure, permanent: composing };
}

/** The egress record of this mail, committed before the data phase is (EGR-1, EGR-4). */
async function passGate<Tx>(options: AttemptOptions<Tx>, wire: WireMessage | undefined): Promise<void> {
  const { message, sender, row, outbound } = options;
  if (outbound === null) return;
  if (wire === undefined) throw new TypeError('onPhase: the data phase expects the message that is about to leave');
  await outbound.pass({
    destination: sender.destination,
    recipient: message.address,
    host: wire.host,
    content: message.content,
    bytes: wire.bytes,
    jobId: row.jobId ?? null,
    changelistId: row.changelistId,
    reviewVersion: row.reviewVersion,
    messageKey: row.key,
  });
}

/**
 * The gate speaks before a byte leaves. A mail with more of a review than the policy allows there
 * fails at once: no later attempt would hold less. For any other reason it waits, and spends no
 * attempt.
 */
function refusedByGate(error: unknown): AttemptResult {
  if (isCriticizerError(error) && error.code === CONTENT_DENIED) {
    const { code, category, message } = error;
    return { kind: 'rejected', failure: { scope: 'message', code, category, message }, permanent: true };
  }
  if (isCriticizerError(error)) return { kind: 'not-sent', code: error.code, retryAfterMs: error.retryAfterMs };
  return beforeData(error);
}

/**
 * One send. The data phase is committed to the row before the mailer may let a byte of the message
 * leave; a lost lease or a store that cannot commit stops it there. Never throws for the mailer;
 * rejects with the store's own error when the phase could not be recorded.
 */
export async function attemptDelivery<Tx>(options: AttemptOptions<Tx>): Promise<AttemptResult> {
  const { message, key, lease, outbox, sender, signal } = options;
  let dataReached = false;
  let leaseLost = false;
  let gateRefusal: { error: unknown } | undefined;
  let storeFailure: { error: unknown } | undefined;

  async function onPhase(phase: 'envelope' | 'data', wire?: WireMessage): Promise<void> {
    signal.throwIfAborted();
    if (phase === 'envelope') return; // decides nothing: only `data` is worth a write
    try {
      await passGate(options, wire);
    } catch (error) {
      gateRefusal = { error };
      throw error;
    }
    signal.throwIfAborted();
    let recorded: 'recorded' | 'lease-lost';
    try {
      recorded = await outbox.recordPhase(lease, 'data', {
        provider: sender.id,
        providerKeyTtlMs: options.providerKeyTtlMs,
        possibleDuplicate: options.possibleDuplicate,
      });
    } catch (error) {
      storeFailure = { error };
      throw error;
    }
    if (recorded === 'lease-lost') {
      leaseLost = true;
      throw new CriticizerError('LEASE_LOST', 'The lease of this mail was lost before it was sent.', {
        category: 'conflict',
      });
    }
    signal.throwIfAborted();
    dataReached = true;
  }

  try {
    const outcome = await message.send({ key, signal, onPhase });
    if (storeFailure !== undefined) throw storeFailure.error;
    if (gateRefusal !== undefined) return refusedByGate(gateRefusal.error);
    return leaseLost ? { kind: 'lease-lost' } : outcome;
  } catch (error) {
    if (storeFailure !== undefined) throw storeFailure.error;
    if (leaseLost) return { kind: 'lease-lost' };
    if (gateRefusal !== undefined) return refusedByGate(gateRefusal.error);
    // A parked credential is a mailer's word that nothing was sent, whatever phase it had announced.
    if (isCriticizerError(error) && error.parks) return beforeData(error);
    if (dataReached) return ambiguous(signal.aborted ? 'MAIL_SEND_ABORTED' : 'MAILER_THREW');
    return signal.aborted ? { kind: 'not-sent', code: 'MAIL_SEND_ABORTED' } : beforeData(error);
  }
}
