import type { HttpClient } from '@criticizer/core/http';
import { checkName, checkOptions, nested, type OptionShape, optional, withMethods } from '@criticizer/core/internal';
import { type Clock, CriticizerError, type SecretSource, systemClock } from '@criticizer/core/ports';
import { z } from 'zod';
import { checkPlainHttp } from '../loopback.js';
import {
  type CodeReviewAccess,
  type CodeReviewResult,
  type CodeReviewScope,
  callCodeReview,
} from './code-review-call.js';
import {
  type CodeReview,
  type CodeReviewListedComment,
  type CodeReviewTopic,
  commentsPageSchema,
  type NewCodeReviewComment,
  reviewsPageSchema,
  reviewsSchema,
  versionsSchema,
  writtenSchema,
} from './code-review-schemas.js';

/** Which server of P4 Code Review (Swarm) is called, and as whom. */
export interface CodeReviewClientOptions {
  /**
   * `https://swarm.example.com`, with the path that the server lives under where it has one. Plain http for this
   * machine, and for an origin in `allowPrivateOrigins` of `http`: the ticket then travels unencrypted.
   */
  url: string;
  /** The account that posts: comments are looked up as it too. */
  user: string;
  /** Its ticket: read before every call, so that a rotation needs no restart (SEC-5). */
  ticket: { source: SecretSource; name: string };
  /** `createHttpClient` of `@criticizer/core/http`; with `allowPrivateOrigins` where the address is private. */
  http: HttpClient;
  /** For one call, in milliseconds: 100 to 600,000. Default 30,000. */
  requestTimeoutMs?: number | undefined;
  clock?: Pick<Clock, 'nowMs'> | undefined;
}

/** A write: done, or whose fault it is that it was not. Only `ambiguous` may have taken effect. */
export type CodeReviewWrite =
  | { kind: 'done'; id: number }
  | { kind: 'failed'; scope: CodeReviewScope; error: CriticizerError };

/** What a look-up of comments found. */
export interface OwnComments {
  /** Oldest first. */
  comments: readonly CodeReviewListedComment[];
  /**
   * False: the server hides comments of the topic from the account, as those in files that it may not read, or does
   * not say how many there are.
   */
  areAllShown: boolean;
}

/** How a write goes out. */
export interface CodeReviewWriteOptions {
  /** True: nobody gets mail of it; it still shows in the activity. */
  isSilent: boolean;
  signal: AbortSignal;
  /** Awaited before the request leaves, with the bytes of its body; a rejection stops it. */
  onRequest?: ((bytes: Uint8Array) => Promise<void>) | undefined;
}

/**
 * Comments of P4 Code Review over API v11. A read rejects with the `CriticizerError` of what went wrong, of which
 * 401 parks; a write resolves to what became of it. The server knows no key: a repeated post is a second
 * comment, so look up before a post is repeated, and post one by one in a topic.
 */
export interface CodeReviewClient {
  /** Host and port of the server. */
  readonly host: string;
  /** The account that it calls as. */
  readonly user: string;
  /** Versions of the API that the server has. Needs no login. */
  readApiVersions(signal: AbortSignal): Promise<readonly number[]>;
  /**
   * Resolves where the server has API v11 and takes comments of the account: by one that it refuses for its
   * form, so that none is made. Rejects with `CODE_REVIEW_API_MISSING` and as reads do.
   */
  checkAccess(signal: AbortSignal): Promise<void>;
  /** The newest review that holds the change, by its original number; null where none is visible to the account. */
  findReview(change: number, signal: AbortSignal): Promise<CodeReview | null>;
  /** With its versions. */
  readReview(id: number, signal: AbortSignal): Promise<CodeReview>;
  /**
   * All comments of the account in a topic that match, archived ones too, oldest first. Reads every page to the
   * one that says it is the last: a short or empty page proves nothing. Resolves only then.
   */
  findOwnComments(
    topic: CodeReviewTopic,
    isWanted: (comment: CodeReviewListedComment) => boolean,
    signal: AbortSignal,
  ): Promise<OwnComments>;
  /** Posts a comment once; the account becomes a participant of the review. */
  postComment(
    topic: CodeReviewTopic,
    comment: NewCodeReviewComment,
    options: CodeReviewWriteOptions,
  ): Promise<CodeReviewWrite>;
  /** Changes the body of an own comment, and whether its task is addressed. Its lines cannot be changed. */
  editComment(
    id: number,
    change: { body: string; isAddressed?: boolean | undefined },
    options: CodeReviewWriteOptions,
  ): Promise<CodeReviewWrite>;
  /** Archives a comment with its answers; doing so twice is doing so once. */
  archiveComment(id: number, options: Omit<CodeReviewWriteOptions, 'isSilent'>): Promise<CodeReviewWrite>;
}

const pageBytes = 8_000_000;
const pageRows = 100;
const answerBytes = 1_000_000;
/** 100 comments each: a topic with more is not read to its end, and nothing is believed absent from it. */
const maxPages = 2_000;

const checkUrl: OptionShape<CodeReviewClientOptions>['url'] = (option, value) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const extra = url && url.username + url.password + url.search + url.hash;
  if (url === null || extra !== '' || !/^https?:$/.test(url.protocol))
    throw new TypeError(`${option}: expected an https address without user, password, query and fragment`);
};

const optionShape: OptionShape<CodeReviewClientOptions> = {
  url: checkUrl,
  user(option, value) {
    // A colon ends the user of basic auth.
    if (typeof value !== 'string' || !/^[^\s:\p{Cc}]{1,128}$/u.test(value))
      throw new TypeError(`${option}: expected the name of an account, without white space and colon`);
  },
  ticket: nested<CodeReviewClientOptions['ticket']>({ source: withMethods('read'), name: checkName }),
  http: withMethods('exchange'),
  requestTimeoutMs: optional((option, value) => {
    if (!Number.isSafeInteger(value) || Number(value) < 100 || Number(value) > 600_000)
      throw new TypeError(`${option}: expected 100 to 600,000 milliseconds`);
  }),
  clock: optional(withMethods('nowMs')),
};

function malformed(host: string, why: string): CriticizerError {
  const message = `P4 Code Review answered in a form that is not of its API: ${why}.`;
  return new CriticizerError('HTTP_MALFORMED', message, { category: 'upstream', details: { host } });
}

const toNotify = (isSilent: boolean): string => `?notify=${isSilent ? 'silent' : 'immediate'}`;

/** A comment that is gone is no fault of its topic. */
function aboutComment(result: CodeReviewWrite): CodeReviewWrite {
  const isGone = result.kind === 'failed' && result.scope === 'recipient' && result.error.details?.status === 404;
  return isGone ? { ...result, scope: 'message' } : result;
}

// long: the calls of one server, each short
/** Throws `TypeError` for wrong options. */
export function createCodeReviewClient(options: CodeReviewClientOptions): CodeReviewClient {
  checkOptions('createCodeReviewClient', options, optionShape);
  checkPlainHttp('createCodeReviewClient: url', options.url, options.http);
  const { requestTimeoutMs = 30_000, clock = systemClock } = options;
  const access: CodeReviewAccess = { ...options, url: options.url.replace(/\/+$/, ''), requestTimeoutMs, clock };
  const { host } = new URL(access.url);

  function unwrap<T>(result: CodeReviewResult, schema: z.ZodType<T>): T {
    if (result.kind === 'failed') throw result.error;
    const read = schema.safeParse(result.data);
    if (!read.success) throw malformed(host, z.prettifyError(read.error).slice(0, 200));
    return read.data;
  }

  async function get<T>(path: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const call = { method: 'GET', path, maxResponseBytes: pageBytes, signal } as const;
    return unwrap(await callCodeReview(access, call), schema);
  }

  /** Reads pages until one says that it is the last. */
  async function eachPage<T extends { lastSeen?: number | null | undefined }>(
    pathAfter: (after: string) => string,
    schema: z.ZodType<T>,
    signal: AbortSignal,
    take: (page: T) => void,
  ): Promise<void> {
    const seen = new Set<number>();
    let after = '';
    for (let count = 0; count < maxPages; count++) {
      const page = await get(pathAfter(after), schema, signal);
      take(page);
      if (page.lastSeen === null) return;
      // Without the member nobody knows whether this was the end; a repeated id would be read for ever.
      if (page.lastSeen === undefined || seen.has(page.lastSeen)) throw malformed(host, 'its pages do not end');
      seen.add(page.lastSeen);
      after = `&after=${page.lastSeen}`;
    }
    throw malformed(host, 'its pages do not end');
  }

  async function write(
    path: string,
    body: object,
    { signal, onRequest }: Omit<CodeReviewWriteOptions, 'isSilent'>,
  ): Promise<CodeReviewWrite> {
    const bytes = Buffer.from(JSON.stringify(body));
    const announce = onRequest && (() => onRequest(bytes));
    const call = { method: 'POST', path, body: bytes, maxResponseBytes: answerBytes, signal } as const;
    const result = await callCodeReview(access, { ...call, onRequest: announce });
    if (result.kind === 'failed') return result;
    const read = writtenSchema.safeParse(result.data);
    const [written] = read.success ? read.data.comments : [];
    // A success that shows no comment may have made one.
    if (written === undefined)
      return { kind: 'failed', scope: 'ambiguous', error: malformed(host, 'a success without a comment') };
    return { kind: 'done', id: written.id };
  }

  return {
    host,
    user: options.user,
    async readApiVersions(signal) {
      const { apiVersions } = await get('/api/version', versionsSchema, signal);
      return apiVersions.map(Number).filter(Number.isFinite);
    },
    async checkAccess(signal) {
      const { apiVersions } = await get('/api/version', versionsSchema, signal);
      if (!apiVersions.map(Number).includes(11)) {
        const message = 'P4 Code Review has no API v11: it is older than 2022.1.';
        throw new CriticizerError('CODE_REVIEW_API_MISSING', message, { category: 'policy', details: { host } });
      }
      const tried = await write('/api/v11/comments/reviews/1?notify=silent', {}, { signal });
      if (tried.kind === 'failed' && tried.error.details?.status !== 400) throw tried.error;
    },
    async findReview(change, signal) {
      const query = `keywords=${change}&keywordsFields%5B%5D=changes&fields=id,changes&max=50`;
      const found: CodeReview[] = [];
      await eachPage(
        (after) => `/api/v11/reviews?${query}${after}`,
        reviewsPageSchema,
        signal,
        // The server matches the beginning of a number: 12 finds 123 too.
        ({ reviews }) => void found.push(...reviews.filter(({ changes }) => changes.includes(change))),
      );
      return found.sort((a, b) => b.id - a.id)[0] ?? null;
    },
    async readReview(id, signal) {
      const { reviews } = await get(`/api/v11/reviews/${id}`, reviewsSchema, signal);
      const [review] = reviews;
      if (review === undefined || review.id !== id) throw malformed(host, 'another review than the one asked for');
      return review;
    },
    async findOwnComments(topic, isWanted, signal) {
      const found: CodeReviewListedComment[] = [];
      let shown = 0;
      let inAll: number | null = 0;
      await eachPage(
        (after) => `/api/v11/comments/${topic}?max=${pageRows}&fields=id,body,user,flags${after}`,
        commentsPageSchema,
        signal,
        ({ comments, totalCount }) => {
          shown += comments.length;
          // A list without a count is no list of this API: older ones answer a refusal with an empty list.
          inAll = typeof totalCount !== 'number' || inAll === null ? null : Math.max(inAll, totalCount);
          for (const one of comments) if (one.user === options.user && isWanted(one)) found.push(one);
        },
      );
      return { comments: found, areAllShown: inAll !== null && shown >= inAll };
    },
    postComment: (topic, { isTask = false, ...comment }, { isSilent, ...rest }) => {
      const path = `/api/v11/comments/${topic}${toNotify(isSilent)}`;
      return write(path, { ...comment, taskState: isTask ? 'open' : 'comment' }, rest);
    },
    async editComment(id, { body, isAddressed = false }, { isSilent, ...rest }) {
      const change = { body, ...(isAddressed ? { taskState: 'addressed' } : {}) };
      return aboutComment(await write(`/api/v11/comments/${id}/edit${toNotify(isSilent)}`, change, rest));
    },
    async archiveComment(id, { signal, onRequest }) {
      return aboutComment(await write(`/api/v11/comments/${id}/archive`, {}, { signal, onRequest }));
    },
  };
}
