import { type HttpClient, type HttpResponse, parseRetryAfter } from '@criticizer/core/http';
import {
  type Clock,
  type CriticizerError,
  isCriticizerError,
  revealSecret,
  type SendOutcome,
} from '@criticizer/core/ports';
import {
  answerFault,
  answerStatus,
  answers,
  type ChatSecret,
  loginRefused,
  postBytes,
  readJsonObject,
} from '../chat/post-answer.js';

/** The Web API of Slack, and as whom it is called. */
export interface SlackAccess {
  channelId: string;
  /** Address of the API without `/` at its end. */
  url: string;
  token: ChatSecret;
  http: HttpClient;
  requestTimeoutMs: number;
  clock: Pick<Clock, 'nowMs'> & Partial<Pick<Clock, 'sleep'>>;
}

/** `ok: true`, or what its error means for a post. */
export type SlackAnswer = { kind: 'done'; data: Readonly<Record<string, unknown>> } | SlackRefusal;
export interface SlackRefusal {
  kind: 'refused';
  /** Slack's own word, or the status: never a text of the request. */
  word: string;
  outcome: SendOutcome;
  /** The credential is out: what it parks with. */
  login?: CriticizerError | undefined;
  retryAfterMs?: number | undefined;
}

/** Of the token and its rights: the same for every post. */
const loginErrors =
  /^(?:invalid_auth|not_authed|not_allowed_token_type|token_.*|account_inactive|missing_scope|no_permission|org_login_required|ekm_access_denied|two_factor_setup_required|enterprise_is_restricted|access_denied|team_access_not_granted)$/;
const limitErrors = new Set(['ratelimited', 'rate_limited']);
const outageErrors = new Set(['request_timeout', 'accesslimited']);
const targetErrors = /^(?:channel_not_found|not_in_channel|is_archived|restricted_action.*|user_not_in_channel)$/;
const messageErrors =
  /^(?:invalid_blocks.*|msg_.*too_long|no_text|metadata_.*|invalid_metadata_.*|message_limit_exceeded)$/;
const ambiguousErrors = new Set(['fatal_error', 'internal_error', 'service_unavailable']);

/** An error of Slack is one word of a list; anything else is not repeated. */
function nameError(error: unknown): string {
  return typeof error === 'string' && /^[a-z0-9_]{1,80}$/.test(error) ? error : 'an unknown error';
}

function readError(access: SlackAccess, error: string, response: HttpResponse): SlackRefusal {
  const refused = (outcome: SendOutcome): SlackRefusal => ({ kind: 'refused', word: error, outcome });
  const retryAfterMs = parseRetryAfter(response.headers, access.clock.nowMs());
  if (limitErrors.has(error)) return { ...refused(answers.limited(retryAfterMs, error)), retryAfterMs };
  if (loginErrors.test(error))
    return { ...refused(answers.unavailable(error)), login: loginRefused(access.channelId, error) };
  if (outageErrors.has(error)) return refused(answers.unavailable(error));
  if (targetErrors.test(error)) return refused(answers.targetRefused(error));
  if (messageErrors.test(error)) return refused(answers.messageRefused(error));
  if (ambiguousErrors.has(error)) return refused(answers.ambiguous(error));
  // A clear no in a word that this version does not know: tried again, then an operator's.
  return refused(answers.messageRefused(error, false));
}

function readAnswer(access: SlackAccess, response: HttpResponse): SlackAnswer {
  const { status, headers } = response;
  const nowMs = access.clock.nowMs();
  const word = `HTTP status ${status}`;
  if (status === 401 || status === 403 || status === 407)
    return { kind: 'refused', word, outcome: answers.unavailable(word), login: loginRefused(access.channelId, word) };
  const known = answerStatus(response, nowMs);
  if (known !== undefined)
    return { kind: 'refused', word, outcome: known, retryAfterMs: parseRetryAfter(headers, nowMs) };
  if (status >= 400) return { kind: 'refused', word, outcome: answers.messageRefused(word, false) };
  const data = readJsonObject(response);
  if (data?.['ok'] === true) return { kind: 'done', data };
  if (data?.['ok'] === false) return readError(access, nameError(data['error']), response);
  const strange = 'a success that is not of the API: is there a proxy between?';
  return { kind: 'refused', word: strange, outcome: answers.ambiguous(strange) };
}

/** Arguments of a call. Only methods that write take JSON; one that reads would not see them in it. */
export interface SlackArguments {
  bytes: Uint8Array;
  contentType?: string | undefined;
  /** Default 1,000,000. */
  maxAnswerBytes?: number | undefined;
}

/** Arguments of a method that reads. */
export function toForm(fields: Readonly<Record<string, string | number | boolean>>): SlackArguments {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  return { bytes: Buffer.from(form.toString()), contentType: 'application/x-www-form-urlencoded' };
}

/**
 * Calls a method once, with the current token and, where that is refused during a rotation, with the one
 * before it. Rejects with what the secret source throws and with an abort before the call.
 */
export async function callSlack(
  access: SlackAccess,
  method: string,
  { bytes, contentType, maxAnswerBytes }: SlackArguments,
  signal: AbortSignal,
): Promise<SlackAnswer> {
  const { current, previous } = await access.token.source.read(access.token.name, { signal });
  signal.throwIfAborted();
  const url = new URL(`${access.url}/${method}`);

  async function callWith(token: string): Promise<SlackAnswer> {
    const headers = { authorization: `Bearer ${token.trim()}` };
    try {
      const { http, requestTimeoutMs: timeoutMs } = access;
      return readAnswer(
        access,
        await postBytes({ http, url, bytes, contentType, maxAnswerBytes, headers, timeoutMs, signal }),
      );
    } catch (error) {
      if (!isCriticizerError(error)) throw error;
      return { kind: 'refused', word: error.code, outcome: answerFault(error) };
    }
  }

  const answer = await callWith(revealSecret(current.secret));
  const isOut = answer.kind === 'refused' && answer.login !== undefined;
  return isOut && previous !== undefined ? callWith(revealSecret(previous.secret)) : answer;
}
