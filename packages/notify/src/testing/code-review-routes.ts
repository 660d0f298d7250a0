import {
  archiveComment,
  createComment,
  editComment,
  findTopic,
  flushMails,
  listComments,
} from './code-review-comments.js';
import {
  type CodeReviewComment,
  type CodeReviewRecord,
  CodeReviewRefusal,
  type CodeReviewState,
} from './code-review-records.js';

/** A request of a known user. */
export interface CodeReviewRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  /** JSON, or the fields of a form; undefined where there is no body. */
  input: unknown;
  user: string;
}

type Handler = (state: CodeReviewState, request: CodeReviewRequest, parts: readonly string[]) => unknown;

interface Route {
  method: string;
  path: RegExp;
  /** Makes what the answer holds as `data`. */
  handle: Handler;
}

function whole(text: string | null, fallback: number): number {
  return text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : fallback;
}

function readAfter(query: URLSearchParams): number | null {
  return query.has('after') ? whole(query.get('after'), -1) : null;
}

/** Only the named fields, where the query names any. */
function pick<T extends object>(row: T, query: URLSearchParams): object {
  const fields = query.get('fields')?.split(',');
  return fields === undefined ? row : Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)));
}

const list: Handler = (state, { query, user }, [kind = '', id = '']) => {
  const max = whole(query.get('max'), 100) || 100;
  const ignoreArchived = query.get('ignoreArchived') === 'true';
  const page = listComments(state, { topic: `${kind}/${id}`, user, max, after: readAfter(query), ignoreArchived });
  return { ...page, comments: page.comments.map((comment) => pick(comment, query)) };
};

const create: Handler = (state, { query, user, input }, [kind = '', id = '']) => {
  const notify = query.get('notify') ?? 'delayed';
  return { comments: [createComment(state, { topic: `${kind}/${id}`, user, notify, input })] };
};

function describeReview(review: CodeReviewRecord, hasVersions: boolean): object {
  const { id, author, description, changes, commits, versions, participants } = review;
  return {
    ...{ id, author, description, changes, commits, state: 'needsReview' },
    participants: Object.fromEntries([...participants].map((name) => [name, []])),
    ...(hasVersions && { versions: versions.map(({ files: _files, ...version }) => version) }),
  };
}

/** Newest first; `keywords` is a prefix of a change's number, so that 12 finds 123 too. */
const findReviews: Handler = (state, { query, user }) => {
  const keywords = query.get('keywords') ?? '';
  const after = readAfter(query);
  const rows = [...state.reviews.values()]
    .filter(({ isPrivate, participants }) => !isPrivate || participants.has(user))
    .filter(({ changes }) => changes.some((change) => String(change).startsWith(keywords)))
    .sort((a, b) => b.id - a.id);
  const start = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  const page = after !== null && start === 0 ? [] : rows.slice(start, start + (whole(query.get('max'), 50) || 50));
  const reviews = page.map((review) => pick(describeReview(review, false), query));
  return { reviews, totalCount: rows.length, lastSeen: page.at(-1)?.id ?? null };
};

const readReview: Handler = (state, { query, user }, [id = '']) => {
  const review = findTopic(state, `reviews/${id}`, user);
  return { reviews: review === null ? [] : [pick(describeReview(review, true), query)] };
};

const changeComment =
  (change: (state: CodeReviewState, id: number, request: CodeReviewRequest) => CodeReviewComment): Handler =>
  (state, request, [id = '']) => ({ comments: [change(state, Number(id), request)] });

const routes: readonly Route[] = [
  { method: 'GET', path: /^\/comments\/(reviews|changes|jobs)\/([^/]+)$/, handle: list },
  { method: 'POST', path: /^\/comments\/(reviews|changes|jobs)\/([^/]+)$/, handle: create },
  { method: 'POST', path: /^\/(reviews)\/(\d+)\/comments$/, handle: create },
  {
    method: 'GET',
    path: /^\/(reviews)\/(\d+)\/comments$/,
    handle: (state, { user }, [, id]) =>
      listComments(state, { topic: `reviews/${id}`, user, max: Infinity, after: null, ignoreArchived: false }),
  },
  {
    method: 'POST',
    path: /^\/comments\/(\d+)\/edit$/,
    handle: changeComment((state, id, { user, query, input }) =>
      editComment(state, { id, user, notify: query.get('notify') ?? 'delayed', input }),
    ),
  },
  {
    method: 'POST',
    path: /^\/comments\/(\d+)\/archive$/,
    handle: changeComment((state, id, { user }) => archiveComment(state, id, user, true)),
  },
  {
    method: 'POST',
    path: /^\/comments\/(\d+)\/unarchive$/,
    handle: changeComment((state, id, { user }) => archiveComment(state, id, user, false)),
  },
  {
    method: 'POST',
    path: /^\/comments\/(\d+)$/,
    handle: changeComment((state, id, { user, query, input }) => {
      const parent = state.comments.find((comment) => comment.id === id);
      if (parent === undefined) throw new CodeReviewRefusal(404, 'Comment not found.');
      const { context, ...rest } = (input ?? {}) as Record<string, unknown>;
      const answer = { ...rest, context: { ...(context as object | undefined), comment: id } };
      const notify = query.get('notify') ?? 'delayed';
      return createComment(state, { topic: parent.topic, user, notify, input: answer });
    }),
  },
  {
    method: 'POST',
    path: /^\/reviews\/(\d+)\/notify$/,
    handle(state, { user }, [id]) {
      findTopic(state, `reviews/${id}`, user);
      flushMails(state, user, `reviews/${id}`);
      return { isValid: true };
    },
  },
  { method: 'GET', path: /^\/reviews$/, handle: findReviews },
  { method: 'GET', path: /^\/reviews\/(\d+)$/, handle: readReview },
];

/** The body of a successful answer of v10 or v11; what it does not know is a refusal with 404. */
export function answerV11(state: CodeReviewState, request: CodeReviewRequest): unknown {
  for (const { method, path, handle } of routes) {
    const found = request.method === method ? path.exec(request.path) : null;
    if (found) return { error: null, messages: [], data: handle(state, request, found.slice(1)) };
  }
  throw new CodeReviewRefusal(404, 'Page not found.');
}

/** `context[file]=…` as `{context: {file: …}}`; numbers as numbers. */
function unfoldForm(input: unknown): { body?: unknown; topic: string; silence: unknown; context?: object } {
  const { body, topic, silenceNotification: silence, ...rest } = (input ?? {}) as Record<string, unknown>;
  const fields = Object.entries(rest).flatMap(([name, value]) => {
    const found = /^context\[(\w+)\]$/.exec(name);
    return found ? [[found[1], /^\d+$/.test(String(value)) ? Number(value) : value] as const] : [];
  });
  const named = Object.fromEntries(fields);
  if (named.file === undefined) return { body, topic: String(topic), silence };
  const context = { leftLine: null, rightLine: null, content: null, ...named };
  return { body, topic: String(topic), silence, context };
}

/** What of v9 decides how a client is written: search by exact change, failed lists that look empty, silence a text */
export function answerV9(state: CodeReviewState, request: CodeReviewRequest): unknown {
  const { method, path, query, user } = request;
  if (method === 'GET' && path === '/reviews') {
    const wanted = query.getAll('change[]').map(Number);
    const found = [...state.reviews.values()].filter(({ changes }) => changes.some((one) => wanted.includes(one)));
    const reviews = found.map((review) => pick(describeReview(review, false), query));
    return { lastSeen: reviews.length > 0 ? (found.at(-1)?.id ?? null) : null, reviews, totalCount: reviews.length };
  }
  if (method === 'GET' && path === '/comments') {
    try {
      const max = whole(query.get('max'), 100);
      const topic = query.get('topic') ?? '';
      const page = listComments(state, { topic, user, max, after: readAfter(query), ignoreArchived: false });
      return { topic, comments: page.comments, lastSeen: page.lastSeen };
    } catch {
      return { topic: '', comments: [], lastSeen: null };
    }
  }
  if (method === 'POST' && path === '/comments') {
    const { topic, silence, ...input } = unfoldForm(request.input);
    const notify = silence === 'true' ? 'silent' : 'immediate';
    return { comment: createComment(state, { topic, user, notify, input }) };
  }
  throw new CodeReviewRefusal(404, 'Page not found.');
}
