import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkOptions, type OptionShape } from '@criticizer/core/internal';
import { renderReviewPage } from './code-review-page.js';
import {
  type CodeReviewRecord,
  CodeReviewRefusal,
  type CodeReviewState,
  type CodeReviewVersion,
} from './code-review-records.js';
import { answerV9, answerV11, type CodeReviewRequest } from './code-review-routes.js';

/**
 * What goes wrong with a call:
 * - `drop`: the connection breaks before anything is done;
 * - `save-then-drop`: the call takes effect and its answer is lost;
 * - `save-late`: the connection breaks, and the call takes effect at `CodeReviewServer.saveLate`;
 * - `unauthorized`: 401 with a bare error; `error-in-success`: 200 with a bare error;
 * - `empty-list`: 200 with a list of nothing, as API v9 answers whatever it refuses;
 * - `rate-limited`: 429 with `Retry-After: 7`; `unavailable`: 503; `broken`: 500; `not-json`: 200 with a page;
 *   `not-found`: 404 with a page, as a proxy or a wrong address answers; `forbidden-page`: 403 so.
 */
export type CodeReviewFault =
  | 'broken'
  | 'drop'
  | 'empty-list'
  | 'error-in-success'
  | 'forbidden-page'
  | 'not-found'
  | 'not-json'
  | 'rate-limited'
  | 'save-late'
  | 'save-then-drop'
  | 'unauthorized'
  | 'unavailable';

/** A stand-in of P4 Code Review (Swarm) on this machine. */
export interface CodeReviewServer {
  /** `http://127.0.0.1:<port>`; `/reviews/<id>` shows a review with its comments. */
  readonly origin: string;
  /** All that the server knows; a test may read and change it. */
  readonly state: CodeReviewState;
  /** Method and path of every call, oldest first. */
  readonly calls: readonly string[];
  /** The body of every call that wrote, oldest first; also where its answer was lost. */
  readonly written: readonly Uint8Array[];
  /** Adds a review of a change, with its first version. The review's id is new, and not the change's. */
  addReview(review: {
    change: number;
    author: string;
    description?: string | undefined;
    isPrivate?: boolean | undefined;
    files?: Readonly<Record<string, string>> | undefined;
  }): CodeReviewRecord;
  /** Shelves the change again: the head gets an archive, older versions keep theirs. */
  addVersion(review: CodeReviewRecord, files?: Readonly<Record<string, string>>): CodeReviewVersion;
  /** Adds a change without a review. */
  addChange(change: {
    number: number;
    user: string;
    isRestricted?: boolean | undefined;
    submittedAs?: number | undefined;
  }): void;
  /** The next `times` calls (default 1) that write, or that read, meet the fault. */
  fail(fault: CodeReviewFault, on: 'read' | 'write', times?: number): void;
  /** Called once before the next call that writes takes effect: what happens between a read and a post. */
  beforeNextWrite(happen: () => void): void;
  /** Lets the calls of `save-late` take effect now; gives how many. */
  saveLate(): number;
  /** Ends connections and stops listening. */
  close(): Promise<void>;
}

/** What a stand-in is started with. */
export interface CodeReviewServerOptions {
  /** Ticket of each user by name. */
  users: Readonly<Record<string, string>>;
}

const optionShape: OptionShape<CodeReviewServerOptions> = {
  users(option, value) {
    if (typeof value !== 'object' || value === null || !Object.values(value).every((one) => typeof one === 'string'))
      throw new TypeError(`${option}: expected the ticket of each user by name`);
  },
};

const maxBodyBytes = 4_000_000;

function readUser(state: CodeReviewState, request: IncomingMessage): string | null {
  const [scheme, encoded = ''] = (request.headers.authorization ?? '').split(' ');
  const [user = '', ...ticket] = Buffer.from(encoded, 'base64').toString().split(':');
  return scheme === 'Basic' && state.users.get(user) === ticket.join(':') ? user : null;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > maxBodyBytes) throw new CodeReviewRefusal(413, 'Too large.');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function readInput(body: Buffer, request: IncomingMessage): unknown {
  const text = body.toString();
  if (text === '') return undefined;
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    throw new CodeReviewRefusal(400, 'The body is no JSON.');
  }
}

const envelopeOf = ({ status, messages }: CodeReviewRefusal): object => ({ error: status, messages, data: null });

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const answers: Partial<Record<CodeReviewFault, (response: ServerResponse) => void>> = {
  drop: (response) => void response.destroy(),
  unauthorized: (response) => send(response, 401, { error: 'Unauthorized' }),
  'error-in-success': (response) => send(response, 200, { error: 'Unauthorized' }),
  'empty-list': (response) => send(response, 200, { topic: '', comments: [], lastSeen: null }),
  'rate-limited': (response) => send(response, 429, { error: 429, messages: [], data: null }, { 'retry-after': '7' }),
  unavailable: (response) => send(response, 503, { error: 503, messages: [], data: null }),
  broken: (response) => send(response, 500, { error: 500, messages: [], data: null }),
  'forbidden-page': (response) =>
    void response.writeHead(403, { 'content-type': 'text/html' }).end('<html>blocked</html>'),
  'not-found': (response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<html>none</html>'),
  'not-json': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>busy</html>'),
};

function createState(users: Readonly<Record<string, string>>): CodeReviewState {
  return {
    users: new Map(Object.entries(users)),
    groups: new Map(),
    reviews: new Map(),
    changes: new Map(),
    jobs: new Set(),
    comments: [],
    mails: [],
    delayed: new Map(),
    unreadable: new Map(),
    nextComment: 881,
  };
}

// long: one server from its start to its end, each step short
/**
 * Starts a stand-in of P4 Code Review on a free port of this machine, for tests: comments of API v10 and v11, and
 * what of v9 decides something, after the published reference and source. It keeps the server's traits: lists give
 * the oldest first and filter after they counted, posting makes participants, mentions add reviewers though
 * the comment is silent, a file or line is not checked. Rejects with `TypeError` for wrong options.
 */
export async function startCodeReviewServer(options: CodeReviewServerOptions): Promise<CodeReviewServer> {
  checkOptions('startCodeReviewServer', options, optionShape);
  const state = createState(options.users);
  const calls: string[] = [];
  const written: Uint8Array[] = [];
  const faults: Record<'read' | 'write', CodeReviewFault[]> = { read: [], write: [] };
  const late: (() => void)[] = [];
  const happenings: (() => void)[] = [];
  let nextChange = 10_001;

  function act(version: string, request: CodeReviewRequest): unknown {
    return version === 'v9' ? answerV9(state, request) : answerV11(state, request);
  }

  function answerCall(version: string, call: { request: CodeReviewRequest; sent: Buffer }, response: ServerResponse) {
    const { request, sent } = call;
    const take = (): unknown => {
      const answer = act(version, request);
      if (isWrite) written.push(sent);
      return answer;
    };
    const isWrite = request.method !== 'GET';
    const fault = faults[isWrite ? 'write' : 'read'].shift();
    const answerFault = fault && answers[fault];
    if (answerFault) {
      answerFault(response);
      return;
    }
    if (isWrite) happenings.shift()?.();
    if (fault === 'save-late') {
      late.push(() => void take());
      return void response.destroy();
    }
    const body = take();
    if (fault === 'save-then-drop') return void response.destroy();
    send(response, 200, body);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const page = method === 'GET' ? state.reviews.get(Number(/^\/reviews\/(\d+)$/.exec(url.pathname)?.[1])) : undefined;
    if (page !== undefined)
      return void response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(renderReviewPage(state, page));
    calls.push(`${method} ${url.pathname}${url.search}`);
    if (url.pathname === '/api/version')
      return send(response, 200, { year: '2022', version: 'SWARM/2022.1', apiVersions: [1, 1.1, 1.2, 9, 10, 11] });
    const found = /^\/api\/(v9|v10|v11)(\/.*)$/.exec(url.pathname);
    const sent = await readBody(request);
    const input = readInput(sent, request);
    const user = readUser(state, request);
    if (user === null) return send(response, 401, { error: 'Unauthorized' });
    if (found === null) throw new CodeReviewRefusal(404, 'Page not found.');
    const [, version = '', path = ''] = found;
    answerCall(version, { request: { method, path, query: url.searchParams, input, user }, sent }, response);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      const refusal = error instanceof CodeReviewRefusal ? error : new CodeReviewRefusal(500, 'Failed.');
      send(response, refusal.status, envelopeOf(refusal));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function addVersion(review: CodeReviewRecord, files: Readonly<Record<string, string>> = {}): CodeReviewVersion {
    const head = review.versions.at(-1);
    if (head?.archiveChange !== undefined) {
      head.change = head.archiveChange;
      delete head.archiveChange;
    }
    const version: CodeReviewVersion = {
      ...{ change: review.id, archiveChange: nextChange++, user: review.author, pending: true, files },
      time: Math.floor(Date.now() / 1_000),
    };
    review.versions.push(version);
    review.changes.push(version.archiveChange ?? review.id);
    return version;
  }

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    calls,
    written,
    addReview({ change, author, description = 'A change', isPrivate = false, files }) {
      const id = nextChange++;
      const review: CodeReviewRecord = {
        ...{ id, author, description, isPrivate, changes: [change], commits: [], versions: [] },
        participants: new Set([author]),
        requiredReviewers: new Set(),
      };
      state.reviews.set(id, review);
      state.changes.set(change, { user: author, isRestricted: false, submittedAs: null });
      addVersion(review, files);
      return review;
    },
    addVersion,
    addChange({ number, user, isRestricted = false, submittedAs = null }) {
      state.changes.set(number, { user, isRestricted, submittedAs: submittedAs ?? null });
    },
    fail(fault, on, times = 1) {
      for (let count = 0; count < times; count++) faults[on].push(fault);
    },
    beforeNextWrite: (happen) => void happenings.push(happen),
    saveLate() {
      const waiting = late.splice(0);
      for (const save of waiting) save();
      return waiting.length;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
