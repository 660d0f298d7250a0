import type { ServerResponse } from 'node:http';
import { checkArray, checkName, checkOptions, type OptionShape, optional } from '@criticizer/core/internal';
import { type ChatRequest, listen, sendJson, sendText } from './chat-server.js';
import {
  type Fields,
  listHistory,
  parse,
  refuseMessage,
  refusePlace,
  type SlackConversation,
  type SlackServerMessage,
  type SlackState,
  save,
} from './slack-conversations.js';

/**
 * What goes wrong with a call:
 * - `drop`: the connection breaks before anything is done;
 * - `save-then-drop`: the message is saved and the answer is lost;
 * - `save-late`: the connection breaks, and the message is saved at `SlackServer.saveLate`;
 * - `rate-limited`: 429 with `Retry-After: 30`; `unavailable`: 503; `broken`: `internal_error`; `not-json`: 200 with
 *   a page; any other word: `{"ok": false, "error": <word>}`.
 */
export type SlackFault =
  | 'broken'
  | 'drop'
  | 'not-json'
  | 'rate-limited'
  | 'save-late'
  | 'save-then-drop'
  | 'unavailable'
  | (string & Record<never, never>);

/** A stand-in of Slack on this machine. */
export interface SlackServer {
  readonly origin: string;
  /** `<origin>/api`: what `url` of a channel is. */
  readonly apiUrl: string;
  /** Address of the incoming webhook into the first conversation: a secret, as a real one is. */
  readonly webhookUrl: string;
  /** All messages, oldest first; a test may read and change it. */
  readonly messages: SlackServerMessage[];
  /** Conversations by id. */
  readonly conversations: Map<string, SlackConversation>;
  /** Rights of the token. A test may change them. */
  readonly scopes: Set<string>;
  /** The body of each message that was saved, as it came, oldest first. */
  readonly received: Uint8Array[];
  /** Names of the methods that were called, oldest first. */
  readonly calls: string[];
  /** Most messages of one page of history. Default 999; 15 for apps that Slack limits. */
  pageSize: number;
  /** The next `times` calls (default 1) that write, or that read, meet the fault. */
  fail(fault: SlackFault, on: 'read' | 'write', times?: number): void;
  /** The next message is shown only after so many pages of history. */
  hideNext(pages: number): void;
  /** Saves the messages of `save-late` now; gives how many. */
  saveLate(): number;
  /** Ends connections and stops listening. */
  close(): Promise<void>;
}

/** What a stand-in is started with. */
export interface SlackServerOptions {
  /** The bot token that it takes. */
  token: string;
  /** Ids of conversations that the app is a member of. Default `C0123456789`. */
  conversations?: readonly string[] | undefined;
}

const optionShape: OptionShape<SlackServerOptions> = { token: checkName, conversations: optional(checkArray) };

const usualScopes = ['chat:write', 'channels:history', 'groups:history', 'im:history'];
const webhookPath = '/services/T000/B000/hook-of-the-stand-in';

/** What is answered; null: the connection breaks. */
type Answer = { status: number; body: string | object; headers?: Record<string, string> } | null;

const answersTo: Readonly<Record<string, Answer>> = {
  drop: null,
  'rate-limited': { status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '30' } },
  unavailable: { status: 503, body: 'unavailable' },
  broken: { status: 200, body: { ok: false, error: 'internal_error' } },
  'not-json': { status: 200, body: '<html>busy</html>' },
};

const ok = (body: object): Answer => ({ status: 200, body });
const no = (error: string): Answer => ok({ ok: false, error });

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === null) response.destroy();
  else if (typeof answer.body === 'string') sendText(response, answer.status, answer.body, answer.headers);
  else sendJson(response, answer.status, answer.body, answer.headers);
}

// long: one server from its start to its end, each step short
/**
 * Starts a stand-in of Slack on a free port of this machine, for tests: `chat.postMessage`,
 * `conversations.history`, `auth.test` and an incoming webhook, after the published reference. It refuses what
 * Slack refuses of blocks, strips metadata that the request does not want, gives history newest first by
 * cursors, and may show a message late. Rejects with `TypeError` for wrong options.
 */
export async function startSlackServer(options: SlackServerOptions): Promise<SlackServer> {
  checkOptions('startSlackServer', options, optionShape);
  const ids = options.conversations ?? ['C0123456789'];
  const state: SlackState = {
    token: options.token,
    messages: [],
    conversations: new Map(ids.map((id) => [id, { isMember: true, isArchived: false }])),
    scopes: new Set(usualScopes),
    received: [],
    ...{ nextHiddenFor: 0, clock: 0, pageSize: 999 },
  };
  const calls: string[] = [];
  const faults: Record<'read' | 'write', SlackFault[]> = { read: [], write: [] };
  const late: (() => void)[] = [];

  /** The answer of the fault that is next; undefined: none is. `act` saves what is saved all the same. */
  function meetFault(on: 'read' | 'write', act: () => unknown): Answer | undefined {
    const fault = faults[on].shift();
    if (fault === undefined) return undefined;
    if (fault === 'save-late') late.push(() => void act());
    if (fault === 'save-then-drop') act();
    if (fault === 'save-late' || fault === 'save-then-drop') return null;
    return fault in answersTo ? (answersTo[fault] ?? null) : no(fault);
  }

  function answerWebhook({ body }: ChatRequest): Answer {
    const input = parse(body);
    const act = () => save(state, ids[0] ?? '', input ?? {}, body);
    const fault = meetFault('write', act);
    if (fault !== undefined) {
      const { error } = (fault?.body ?? {}) as Fields;
      // A webhook says its errors as plain text, by a status of their own.
      if (fault?.status !== 200 || typeof error !== 'string') return fault;
      return { status: error === 'internal_error' ? 500 : error === 'channel_is_archived' ? 410 : 404, body: error };
    }
    const refusal = input === null ? 'invalid_payload' : refuseMessage(input);
    if (refusal !== null) return { status: 400, body: refusal };
    act();
    return { status: 200, body: 'ok' };
  }

  function post(input: Fields, body: Buffer): Answer {
    const act = () => save(state, String(input['channel']), input, body);
    const fault = meetFault('write', act);
    if (fault !== undefined) return fault;
    if (!state.scopes.has('chat:write')) return no('missing_scope');
    const refusal = refusePlace(state, input['channel']) ?? refuseMessage(input);
    if (refusal !== null) return no(refusal);
    const { channel, ts, text, blocks } = act();
    return ok({ ok: true, channel, ts, message: { type: 'message', ts, text, blocks } });
  }

  function read(input: Fields): Answer {
    const fault = meetFault('read', () => undefined);
    if (fault !== undefined) return fault;
    const kind = { C: 'channels', G: 'groups', D: 'im' }[String(input['channel']).charAt(0)] ?? 'channels';
    if (!state.scopes.has(`${kind}:history`)) return no('missing_scope');
    return state.conversations.has(String(input['channel'])) ? ok(listHistory(state, input)) : no('channel_not_found');
  }

  function answerApi(method: string, { headers, body }: ChatRequest): Answer {
    calls.push(method);
    if (headers.authorization !== `Bearer ${state.token}`)
      return no(headers.authorization === undefined ? 'not_authed' : 'invalid_auth');
    if (method === 'chat.postMessage') return post(parse(body) ?? {}, body);
    // Methods that read take no JSON: Slack does not look into it.
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
    const input = isForm ? Object.fromEntries(new URLSearchParams(body.toString('utf8'))) : {};
    if (method === 'conversations.history') return read(input);
    return method === 'auth.test' ? ok({ ok: true, team: 'Stand-in', user: 'criticizer' }) : no('unknown_method');
  }

  function answer(request: ChatRequest): Answer {
    const { pathname } = request.url;
    if (pathname === webhookPath) return answerWebhook(request);
    if (pathname.startsWith('/services/')) return { status: 404, body: 'no_service' };
    const method = /^\/api\/([\w.]+)$/.exec(pathname)?.[1];
    return method === undefined ? { status: 404, body: 'not found' } : answerApi(method, request);
  }

  const { origin, close } = await listen((request, response) => reply(response, answer(request)));

  return {
    origin,
    apiUrl: `${origin}/api`,
    webhookUrl: `${origin}${webhookPath}`,
    messages: state.messages,
    conversations: state.conversations,
    scopes: state.scopes,
    received: state.received,
    calls,
    get pageSize() {
      return state.pageSize;
    },
    set pageSize(size) {
      state.pageSize = size;
    },
    fail(fault, on, times = 1) {
      for (let count = 0; count < times; count++) faults[on].push(fault);
    },
    hideNext(pages) {
      state.nextHiddenFor = pages;
    },
    saveLate() {
      const waiting = late.splice(0);
      for (const saveNow of waiting) saveNow();
      return waiting.length;
    },
    close,
  };
}
