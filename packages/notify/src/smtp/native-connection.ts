import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpFault } from './smtp-outcome.js';
import { classifyReplyText } from './smtp-reply-text.js';

export interface SmtpEndpoint {
  host: string;
  port: number;
  tls: 'implicit' | 'starttls' | 'none';
  /** Further trusted roots, PEM. */
  ca?: string | undefined;
  /** The name in EHLO. */
  helloName: string;
  timeouts: SmtpTimeouts;
}

/** How long each step of an SMTP session may take, in milliseconds. */
export interface SmtpTimeouts {
  /** DNS, TCP and TLS together. */
  connectMs: number;
  greetingMs: number;
  /** Silence after any command before the message. */
  commandMs: number;
  /** Silence while the message is sent and until its answer. RFC 5321 asks for 10 minutes: less makes duplicates. */
  dataMs: number;
  /** The whole of one attempt, however lively the server is: replies that drip in are no silence. */
  attemptMs: number;
}

/** An error as nodemailer gives it. */
export interface NativeFault {
  code?: string | undefined;
  /** Node's code under nodemailer's: a certificate that does not verify comes as `ESOCKET`. */
  originalCode?: string | undefined;
  command?: string | undefined;
  responseCode?: number | undefined;
  response?: string | undefined;
}

/** Its codes, and whom its reply is about; never its words. */
export function faultOf(error: NativeFault, isLoggedIn = false): SmtpFault {
  const enhancedCode = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(error.response ?? '')?.[1];
  const code = /CERT|ISSUER|SIGNATURE|_TLS_|_SSL_/.test(error.originalCode ?? '') ? 'ETLS' : error.code;
  const about = error.response === undefined ? undefined : classifyReplyText(error.response);
  return { code, command: error.command, responseCode: error.responseCode, enhancedCode, about, isLoggedIn };
}

/** A connection that is not open yet. Certificates are always verified. */
export function nativeConnection(endpoint: SmtpEndpoint): SMTPConnection {
  const { timeouts } = endpoint;
  return new SMTPConnection({
    host: endpoint.host,
    port: endpoint.port,
    secure: endpoint.tls === 'implicit',
    requireTLS: endpoint.tls === 'starttls',
    ignoreTLS: endpoint.tls === 'none',
    tls: { minVersion: 'TLSv1.2', ...(endpoint.ca === undefined ? {} : { ca: endpoint.ca }) },
    name: endpoint.helloName,
    connectionTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.commandMs,
    socketCloseTimeout: 1_000,
    logger: false,
  });
}
