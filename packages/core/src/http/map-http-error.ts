import { CriticizerError, isCriticizerError } from '../foundation/errors.js';
import { networkFailureRow } from '../foundation/failures/failure-rows.js';

const timeoutPhases: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  ETIMEDOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'body',
};

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

function headOf(error: unknown): unknown {
  // Happy eyeballs reports one error per address tried.
  return error instanceof AggregateError && codeOf(error) === '' ? error.errors[0] : error;
}

/** `NETWORK_TIMEOUT` with the phase that ran out: connect, headers, body or total. */
export function timedOut(phase: string, host: string, cause?: unknown): CriticizerError {
  return new CriticizerError('NETWORK_TIMEOUT', `HTTP exchange timed out: ${phase}`, {
    category: 'network',
    details: { phase, host },
    cause,
  });
}

/** `HTTP_TOO_LARGE`: the answer was cut off at the cap and dropped. */
export function tooLarge(host: string, maxResponseBytes: number): CriticizerError {
  return new CriticizerError('HTTP_TOO_LARGE', 'HTTP response is larger than allowed', {
    category: 'upstream',
    details: { host, maxResponseBytes },
  });
}

/** What an aborted signal means: its own typed reason, a deadline, or `ABORTED`. */
export function abortedBy(signal: AbortSignal, host: string): CriticizerError {
  const reason: unknown = signal.reason;
  if (isCriticizerError(reason)) return reason;
  if (reason instanceof DOMException && reason.name === 'TimeoutError') return timedOut('caller', host);
  return new CriticizerError('ABORTED', 'HTTP exchange was aborted by its caller', {
    category: 'conflict',
    details: { host },
  });
}

/**
 * The codes are those that `classifyFailure` gives to a raw error. Turns what undici, the socket or
 * TLS threw into a `CriticizerError`. The parser's error is not kept as a cause: it holds bytes of
 * the answer.
 */
export function mapHttpError(error: unknown, host: string): CriticizerError {
  const head = headOf(error);
  if (isCriticizerError(head)) return head;
  const code = codeOf(head);
  const details = { host, nativeCode: code };
  const network = networkFailureRow(code)?.code;
  if (network === 'NETWORK_TIMEOUT') return timedOut(timeoutPhases[code] ?? 'connect', host, head);
  if (network !== undefined && network !== 'NETWORK_TLS')
    return new CriticizerError(network, 'HTTP exchange failed on the network', {
      category: 'network',
      details,
      cause: head,
    });
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED')
    return new CriticizerError('ABORTED', 'the HTTP client is closed', { category: 'conflict', details });
  if (network === 'NETWORK_TLS')
    return new CriticizerError('NETWORK_TLS', 'the TLS identity of the peer was not accepted', {
      category: 'network',
      details,
      cause: head,
    });
  // The parser's error is known by its name: it may come without a code.
  if (head instanceof Error && head.name === 'HTTPParserError')
    return new CriticizerError('HTTP_MALFORMED', 'the peer does not speak HTTP', { category: 'upstream', details });
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new CriticizerError('HTTP_TOO_LARGE', 'HTTP response headers are larger than allowed', {
      category: 'upstream',
      details,
    });
  return new CriticizerError('HTTP_CLIENT_FAILED', 'HTTP exchange failed before it was sent', {
    category: 'bug',
    details,
    cause: head,
  });
}
