import { createReadStream } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import type { FailureCategory } from '../errors.js';
import { classifyFailure } from './failure.js';

/** An error with the fields that its library documents. */
const made = (fields: object, message = 'x'): Error => Object.assign(new Error(message), fields);
const coded = (code: string, message?: string): Error => made({ code }, message);
const axios = (status: number, headers: object = {}): Error =>
  made({
    name: 'AxiosError',
    isAxiosError: true,
    code: status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE',
    response: { status, headers },
  });
const aws = (name: string, httpStatusCode?: number, headers: object = {}): Error =>
  made({ name, $fault: 'client', $metadata: { httpStatusCode, attempts: 3 }, $response: { headers } });
const openai = (status: number | undefined, fields: object = {}, headers: Record<string, string> = {}): Error =>
  made({ status, headers: new Headers(headers), ...fields });
class APIConnectionError extends Error {}
class APIConnectionTimeoutError extends APIConnectionError {}
class APIUserAbortError extends Error {}
const undiciTimeout = made({ name: 'ConnectTimeoutError', code: 'UND_ERR_CONNECT_TIMEOUT' });

const nowMs = Date.UTC(2026, 0, 1);
const inTwoMinutes = new Date(nowMs + 120_000).toUTCString();

/** Cause, then the code, the category and the wish that it stands for. */
const causes: readonly [string, unknown, string, FailureCategory, number?][] = [
  ['ECONNRESET', coded('ECONNRESET', 'socket hang up'), 'NETWORK_RESET', 'network'],
  ['EPIPE', coded('EPIPE'), 'NETWORK_RESET', 'network'],
  ['ECONNABORTED', coded('ECONNABORTED'), 'NETWORK_RESET', 'network'],
  ['ENETRESET', coded('ENETRESET'), 'NETWORK_RESET', 'network'],
  ['ECONNREFUSED', coded('ECONNREFUSED'), 'NETWORK_REFUSED', 'network'],
  ['ENETUNREACH', coded('ENETUNREACH'), 'NETWORK_UNREACHABLE', 'network'],
  ['ENETDOWN', coded('ENETDOWN'), 'NETWORK_UNREACHABLE', 'network'],
  ['EHOSTUNREACH', coded('EHOSTUNREACH'), 'NETWORK_UNREACHABLE', 'network'],
  ['EHOSTDOWN', coded('EHOSTDOWN'), 'NETWORK_UNREACHABLE', 'network'],
  ['EADDRNOTAVAIL', coded('EADDRNOTAVAIL'), 'NETWORK_UNREACHABLE', 'network'],
  ['ENOTFOUND', coded('ENOTFOUND'), 'NETWORK_DNS', 'network'],
  ['EAI_AGAIN', coded('EAI_AGAIN'), 'NETWORK_DNS', 'network'],
  ['ESERVFAIL', coded('ESERVFAIL'), 'NETWORK_DNS', 'network'],
  ['EREFUSED of c-ares', coded('EREFUSED'), 'NETWORK_DNS', 'network'],
  ['ETIMEOUT of c-ares', coded('ETIMEOUT'), 'NETWORK_DNS', 'network'],
  ['ETIMEDOUT', coded('ETIMEDOUT'), 'NETWORK_TIMEOUT', 'network'],
  ['ESOCKETTIMEDOUT of request', coded('ESOCKETTIMEDOUT'), 'NETWORK_TIMEOUT', 'network'],
  ['ERR_STREAM_PREMATURE_CLOSE', coded('ERR_STREAM_PREMATURE_CLOSE'), 'NETWORK_RESET', 'network'],
  ['ERR_HTTP2_STREAM_ERROR', coded('ERR_HTTP2_STREAM_ERROR'), 'NETWORK_RESET', 'network'],
  ['an expired certificate', coded('CERT_HAS_EXPIRED'), 'NETWORK_TLS', 'network'],
  ['EPROTO of TLS', coded('EPROTO'), 'NETWORK_TLS', 'network'],
  ['ENOSPC', coded('ENOSPC'), 'HOST_RESOURCES', 'upstream'],
  ['EMFILE', coded('EMFILE'), 'HOST_RESOURCES', 'upstream'],
  ['ENOMEM', coded('ENOMEM'), 'HOST_RESOURCES', 'upstream'],
  ['EIO', coded('EIO'), 'HOST_RESOURCES', 'upstream'],
  ['AbortSignal.timeout', new DOMException('x', 'TimeoutError'), 'NETWORK_TIMEOUT', 'network'],
  ['an aborted signal', new DOMException('x', 'AbortError'), 'ABORTED', 'conflict'],
  ['ABORT_ERR of Node', made({ name: 'AbortError', code: 'ABORT_ERR' }), 'ABORTED', 'conflict'],

  ['undici connect timeout', undiciTimeout, 'NETWORK_TIMEOUT', 'network'],
  ['undici headers timeout', coded('UND_ERR_HEADERS_TIMEOUT'), 'NETWORK_TIMEOUT', 'network'],
  ['undici body timeout', coded('UND_ERR_BODY_TIMEOUT'), 'NETWORK_TIMEOUT', 'network'],
  ['undici socket', coded('UND_ERR_SOCKET', 'other side closed'), 'NETWORK_RESET', 'network'],
  ['undici length mismatch', coded('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), 'NETWORK_RESET', 'network'],
  ['undici closed client', coded('UND_ERR_CLOSED'), 'ABORTED', 'conflict'],
  ['undici parser', made({ name: 'HTTPParserError', code: 'HPE_INVALID_CONSTANT' }), 'HTTP_MALFORMED', 'upstream'],
  [
    'undici 429',
    made({ name: 'ResponseError', code: 'UND_ERR_RESPONSE', statusCode: 429, headers: { 'retry-after': '7' } }),
    'RATE_LIMITED',
    'rate_limit',
    7_000,
  ],
  [
    'undici 503',
    made({ name: 'ResponseStatusCodeError', statusCode: 503, headers: {} }),
    'UPSTREAM_UNAVAILABLE',
    'network',
  ],
  ['fetch, refused', new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }), 'NETWORK_REFUSED', 'network'],
  ['fetch, timed out', new TypeError('fetch failed', { cause: undiciTimeout }), 'NETWORK_TIMEOUT', 'network'],
  ['fetch without a cause', new TypeError('fetch failed'), 'NETWORK_RESET', 'network'],
  ['fetch cut in the body', new TypeError('terminated'), 'NETWORK_RESET', 'network'],

  ['axios 429', axios(429, { 'retry-after': '120' }), 'RATE_LIMITED', 'rate_limit', 120_000],
  ['axios 429 with a date', axios(429, { 'Retry-After': inTwoMinutes }), 'RATE_LIMITED', 'rate_limit', 120_000],
  ['axios 503', axios(503), 'UPSTREAM_UNAVAILABLE', 'network'],
  ['axios 500', axios(500), 'UPSTREAM_ERROR', 'upstream'],
  ['axios 401', axios(401), 'AUTH_DENIED', 'auth'],
  ['axios 404', axios(404), 'HTTP_NOT_FOUND', 'not_found'],
  ['axios 400', axios(400), 'HTTP_REJECTED', 'validation'],
  [
    'axios timeout',
    made({ isAxiosError: true, code: 'ECONNABORTED' }, 'timeout of 1000ms exceeded'),
    'NETWORK_RESET',
    'network',
  ],
  ['axios network error', made({ isAxiosError: true, code: 'ERR_NETWORK' }), 'NETWORK_RESET', 'network'],
  ['axios cancelled', made({ name: 'CanceledError', code: 'ERR_CANCELED' }), 'ABORTED', 'conflict'],
  [
    'got 429',
    made({
      name: 'HTTPError',
      code: 'ERR_NON_2XX_3XX_RESPONSE',
      response: { statusCode: 429, headers: { 'retry-after': '3' } },
    }),
    'RATE_LIMITED',
    'rate_limit',
    3_000,
  ],
  [
    'ky 503',
    made({ name: 'HTTPError', response: { status: 503, headers: new Headers({ 'Retry-After': '9' }) } }),
    'UPSTREAM_UNAVAILABLE',
    'network',
    9_000,
  ],

  ['AWS throttling, 400', aws('ThrottlingException', 400), 'RATE_LIMITED', 'rate_limit'],
  ['AWS 429', aws('TooManyRequestsException', 429, { 'retry-after': '5' }), 'RATE_LIMITED', 'rate_limit', 5_000],
  ['AWS SlowDown, 503', aws('SlowDown', 503), 'RATE_LIMITED', 'rate_limit'],
  ['AWS throughput', aws('ProvisionedThroughputExceededException', 400), 'RATE_LIMITED', 'rate_limit'],
  ['AWS 503', aws('ServiceUnavailable', 503), 'UPSTREAM_UNAVAILABLE', 'network'],
  ['AWS 500', aws('InternalServerError', 500), 'UPSTREAM_ERROR', 'upstream'],
  ['AWS timeout', made({ name: 'TimeoutError' }), 'NETWORK_TIMEOUT', 'network'],
  ['AWS access denied', aws('AccessDeniedException', 403), 'AUTH_DENIED', 'auth'],
  ['AWS expired token', aws('ExpiredTokenException', 400), 'AUTH_DENIED', 'auth'],

  [
    'OpenAI 429',
    openai(429, { code: 'rate_limit_exceeded' }, { 'retry-after': '20' }),
    'RATE_LIMITED',
    'rate_limit',
    20_000,
  ],
  ['OpenAI 429 in ms', openai(429, {}, { 'retry-after-ms': '1500' }), 'RATE_LIMITED', 'rate_limit', 1_500],
  ['OpenAI quota', openai(429, { code: 'insufficient_quota' }), 'LLM_QUOTA_EXHAUSTED', 'policy'],
  ['OpenAI 503', openai(503), 'UPSTREAM_UNAVAILABLE', 'network'],
  ['OpenAI 500', openai(500), 'UPSTREAM_ERROR', 'upstream'],
  ['OpenAI 401', openai(401), 'AUTH_DENIED', 'auth'],
  ['OpenAI connection', new APIConnectionError('Connection error.'), 'NETWORK_RESET', 'network'],
  [
    'OpenAI connection, refused',
    new APIConnectionError('Connection error.', { cause: coded('ECONNREFUSED') }),
    'NETWORK_REFUSED',
    'network',
  ],
  ['OpenAI timeout', new APIConnectionTimeoutError('Request timed out.'), 'NETWORK_TIMEOUT', 'network'],
  ['OpenAI aborted', new APIUserAbortError('Request was aborted.'), 'ABORTED', 'conflict'],
  ['Anthropic 529', openai(529), 'UPSTREAM_OVERLOADED', 'upstream'],

  ['pg 40001', made({ name: 'error', code: '40001' }), 'PG_SERIALIZATION_FAILURE', 'conflict'],
  ['pg 40P01', made({ name: 'error', code: '40P01' }), 'PG_DEADLOCK', 'conflict'],
  ['pg 55P03', made({ name: 'error', code: '55P03' }), 'PG_LOCK_TIMEOUT', 'conflict'],
  ['pg 57P01', made({ name: 'error', code: '57P01' }), 'PG_CONNECTION', 'network'],
  ['pg 57014', made({ name: 'error', code: '57014' }), 'PG_CANCELED', 'upstream'],
  ['pg 53300', made({ name: 'error', code: '53300' }), 'PG_RESOURCES', 'upstream'],
  ['pg 08006', made({ name: 'error', code: '08006' }), 'PG_CONNECTION', 'network'],
  ['pg 23505', made({ name: 'error', code: '23505' }), 'PG_CONSTRAINT', 'conflict'],
  ['pg, connection lost', new Error('Connection terminated unexpectedly'), 'PG_CONNECTION', 'network'],
  ['pg-pool, none free', new Error('timeout exceeded when trying to connect'), 'PG_CONNECTION', 'network'],
  ['wrapped by an ORM', new Error('Failed query', { cause: made({ code: '40P01' }) }), 'PG_DEADLOCK', 'conflict'],
  ['better-sqlite3 busy', made({ name: 'SqliteError', code: 'SQLITE_BUSY' }), 'SQLITE_BUSY', 'conflict'],
  ['better-sqlite3 snapshot', made({ name: 'SqliteError', code: 'SQLITE_BUSY_SNAPSHOT' }), 'SQLITE_BUSY', 'conflict'],
  ['node:sqlite locked', made({ code: 'ERR_SQLITE_ERROR', errcode: 262 }), 'SQLITE_LOCKED', 'conflict'],
  ['mysql2, connection lost', coded('PROTOCOL_CONNECTION_LOST'), 'NETWORK_RESET', 'network'],

  ['nodemailer ECONNECTION', coded('ECONNECTION'), 'NETWORK_RESET', 'network'],
  ['nodemailer ESOCKET', coded('ESOCKET'), 'NETWORK_RESET', 'network'],
  ['nodemailer EDNS', coded('EDNS'), 'NETWORK_DNS', 'network'],
  ['nodemailer 451', made({ code: 'EMESSAGE', responseCode: 451 }), 'SMTP_UNAVAILABLE', 'upstream'],
  ['nodemailer EAUTH', made({ code: 'EAUTH', responseCode: 535 }), 'AUTH_DENIED', 'auth'],
  ['nodemailer EAUTH for now', made({ code: 'EAUTH', responseCode: 454 }), 'SMTP_UNAVAILABLE', 'upstream'],
  ['nodemailer 550', made({ code: 'EENVELOPE', responseCode: 550 }), 'SMTP_RECIPIENT_REFUSED', 'policy'],

  [
    'happy eyeballs',
    Object.assign(new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]), { code: 'ECONNREFUSED' }),
    'NETWORK_REFUSED',
    'network',
  ],
  [
    'AggregateError',
    new AggregateError([coded('ETIMEDOUT'), axios(429, { 'retry-after': '4' })]),
    'RATE_LIMITED',
    'rate_limit',
    4_000,
  ],
  ['AggregateError with a refusal', new AggregateError([coded('ETIMEDOUT'), axios(401)]), 'AUTH_DENIED', 'auth'],
  [
    'AggregateError with a bug',
    new AggregateError([coded('ETIMEDOUT'), axios(401), new TypeError('x')]),
    'UNEXPECTED',
    'bug',
  ],
];

const retried: ReadonlySet<FailureCategory> = new Set(['network', 'rate_limit', 'upstream', 'conflict']);

describe('everyday causes', () => {
  it.each(causes)('ERR-1: %s', (_, cause, code, category, retryAfterMs) => {
    const expected = { code, category, retryable: retried.has(category), parks: false, retryAfterMs };
    expect(classifyFailure(cause, { nowMs })).toEqual(expected);
  });

  it.each([
    ['a bug of the host', new TypeError('x is not a function')],
    ['an exit status', made({ status: 127 }, 'Command failed')],
    ['a statement that is wrong', made({ code: '42601' })],
    ['a code that looks like a SQLSTATE', coded('E2BIG')],
    ['a code that an object lends', coded('constructor')],
    ['a name that an object lends', made({ name: 'toString' })],
    ['an empty AggregateError', new AggregateError([])],
  ])('ERR-1: %s stays a bug', (_, cause) => {
    expect(classifyFailure(cause)).toMatchObject({ code: 'UNEXPECTED', category: 'bug', retryable: false });
  });
});

/** What a promise rejects with. */
async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('causes as the libraries throw them', () => {
  it('ERR-1: a port where nobody listens, asked by fetch, undici and a socket', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const refused = new Promise((resolve) => connect(port, '127.0.0.1').once('error', resolve));
    const failures = [
      await rejection(fetch(`http://127.0.0.1:${port}/`)),
      await rejection(request(`http://127.0.0.1:${port}/`)),
      await refused,
    ];
    expect(failures.map((failure) => classifyFailure(failure).code)).toEqual(Array(3).fill('NETWORK_REFUSED'));
  });

  it('ERR-1: an answer that breaks off, in its head and in its body', async () => {
    const server = createServer((incoming, response) => {
      if (incoming.url === '/head') return void incoming.socket.destroy();
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => incoming.socket.destroy());
    });
    const base = `http://127.0.0.1:${await listening(server)}`;
    const body = await fetch(`${base}/body`);
    const failures = [await rejection(fetch(`${base}/head`)), await rejection(body.text())];
    server.close();
    expect(failures.map((failure) => classifyFailure(failure).code)).toEqual(['NETWORK_RESET', 'NETWORK_RESET']);
  });

  it('ERR-1: a stream that ends early, a file system that says no', async () => {
    const cut = new Readable({ read: () => undefined });
    const premature = rejection(pipeline(cut, new Writable({ write: (_chunk, _encoding, done) => done() })));
    cut.destroy();
    expect(classifyFailure(await premature)).toMatchObject({ code: 'NETWORK_RESET', category: 'network' });
    const missing = await new Promise((resolve) => createReadStream('/nowhere/at/all').once('error', resolve));
    expect(classifyFailure(missing)).toMatchObject({ code: 'UNEXPECTED', category: 'bug' });
  });
});
