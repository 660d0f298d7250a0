import { CriticizerError, type FailureCategory, isCriticizerError } from '../foundation/errors.js';
import type { DeliveryFailure, NotifyOutbox, OutboxLease } from '../stores/notify-outbox.js';
import type { FrozenMail, Mailer, SendOutcome } from './mailer.js';

/**
 * What one attempt came to. Beyond the provider's answers: nothing was sent and waiting helps, or
 * the lease was gone before any byte left.
 */
export type AttemptResult =
  | SendOutcome
  | { kind: 'not-sent'; code: string; retryAfterMs?: number | undefined }
  | { kind: 'lease-lost' };

export interface AttemptOptions<Tx> {
  mail: FrozenMail;
  key: string;
  lease: OutboxLease;
  outbox: Pick<NotifyOutbox<Tx>, 'recordPhase'>;
  mailer: Mailer;
  signal: AbortSignal;
  /** What to record as the end of the provider's promise for this key, from now. */
  providerKeyTtlMs?: number | undefined;
}

const retryable: readonly FailureCategory[] = ['network', 'rate_limit', 'upstream', 'conflict', 'auth'];

function ambiguous(code: string): AttemptResult {
  const message = 'The message was handed over and no answer came.';
  return { kind: 'ambiguous', failure: { scope: 'transport', code, category: 'network', message } };
}

/** A mailer that threw before the data phase sent nothing. */
function beforeData(error: unknown): AttemptResult {
  if (isCriticizerError(error)) {
    if (error.parks) return { kind: 'not-sent', code: error.code, retryAfterMs: error.retryAfterMs };
    const scope = retryable.includes(error.category) ? 'transport' : 'message';
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

/**
 * One send. The data phase is committed to the row before the mailer may let a byte of the message
 * leave; a lost lease or a store that cannot commit stops it there. Never throws for the mailer;
 * rejects with the store's own error when the phase could not be recorded.
 */
export async function attemptDelivery<Tx>(options: AttemptOptions<Tx>): Promise<AttemptResult> {
  const { mail, key, lease, outbox, mailer, signal } = options;
  let dataReached = false;
  let leaseLost = false;
  let storeFailure: { error: unknown } | undefined;

  async function onPhase(phase: 'envelope' | 'data'): Promise<void> {
    signal.throwIfAborted();
    if (phase === 'envelope') return; // decides nothing: only `data` is worth a write
    let recorded: 'recorded' | 'lease-lost';
    try {
      recorded = await outbox.recordPhase(lease, 'data', {
        provider: mailer.id,
        providerKeyTtlMs: options.providerKeyTtlMs,
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
    const outcome = await mailer.send(mail, { key, signal, onPhase });
    if (storeFailure !== undefined) throw storeFailure.error;
    return leaseLost ? { kind: 'lease-lost' } : outcome;
  } catch (error) {
    if (storeFailure !== undefined) throw storeFailure.error;
    if (leaseLost) return { kind: 'lease-lost' };
    // A parked credential is a mailer's word that nothing was sent, whatever phase it had announced.
    if (isCriticizerError(error) && error.parks) return beforeData(error);
    if (dataReached) return ambiguous(signal.aborted ? 'MAIL_SEND_ABORTED' : 'MAILER_THREW');
    return signal.aborted ? { kind: 'not-sent', code: 'MAIL_SEND_ABORTED' } : beforeData(error);
  }
}
