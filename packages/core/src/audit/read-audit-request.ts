import { checkOptions } from '../foundation/check-options.js';
import { checkBoolean, optional } from '../foundation/option-checks.js';
import { readTraceparent } from '../telemetry/traceparent.js';
import type { AuditRequest } from './audit-context.js';

/** The part of a request that is read: `http.IncomingMessage`, and what frameworks build on it. */
export interface IncomingRequest {
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  socket?: { remoteAddress?: string | undefined } | undefined;
}

/** Which headers are believed. */
export interface ReadAuditRequestOptions {
  /**
   * Whether `X-Forwarded-For` names the sender. Only behind a proxy that overwrites it: else every
   * caller chooses the address that the trail keeps. Default false: the socket's address.
   */
  trustForwardedFor?: boolean | undefined;
}

/**
 * What a request's headers and socket say: address, user agent, `x-request-id`, and the trace of a
 * valid `traceparent`. Who the actor is only the host's authentication knows. Throws `TypeError` for
 * an unknown option.
 */
export function readAuditRequest(request: IncomingRequest, options: ReadAuditRequestOptions = {}): AuditRequest {
  checkOptions<ReadAuditRequestOptions>('readAuditRequest', options, {
    trustForwardedFor: optional(checkBoolean),
  });
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  };
  const forwarded = options.trustForwardedFor === true ? header('x-forwarded-for') : undefined;
  return {
    sourceIp: forwarded ?? request.socket?.remoteAddress,
    userAgent: header('user-agent'),
    requestId: header('x-request-id'),
    traceId: readTraceparent(header('traceparent'))?.traceId,
  };
}
