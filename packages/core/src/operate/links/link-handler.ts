import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { type Disposition, dispositions } from '../../foundation/disposition.js';
import { observerShape, withMethods } from '../../foundation/option-checks.js';
import type { Clock } from '../../foundation/time/clock.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import type { FindingLink, FindingLinks, MailLink } from '../../links/finding-links.js';
import type { StoredReview } from '../../stages/llm/stored-review.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import { type Logger, silentLogger } from '../../telemetry/logger.js';
import type { Operator } from '../operator.js';
import { linkAnswers } from './link-answers.js';
import { type LinkPage, renderLinkPage } from './link-page.js';

/** What a link works on: a `Criticizer` made with the option `audit`. */
export interface LinkedReviews {
  status(jobId: string): Promise<{ job: { reviewVersion: number | null } } | null>;
  review(jobId: string): Promise<StoredReview | null>;
  readonly operate: Pick<Operator, 'suppressFinding' | 'stopMails'> | null;
}

/** The parts of a handler. */
export interface LinkHandlerOptions {
  criticizer: LinkedReviews;
  links: Pick<FindingLinks, 'read' | 'readForMail'>;
  clock?: Clock | undefined;
  /** Says so where a store does not answer. Default: nothing. */
  logger?: Logger | undefined;
}

const optionShape: OptionShape<LinkHandlerOptions> = {
  criticizer: withMethods('status', 'review'),
  links: withMethods('read', 'readForMail'),
  clock: observerShape.clock,
  logger: observerShape.logger,
};

/** What one request may take, in milliseconds. */
const requestTimeoutMs = 10_000;
/** A form of one field is far smaller. */
const maxBodyBytes = 1_024;

/** The form's fields, at most so many bytes of them; null for a longer body. */
async function readForm(request: Request): Promise<URLSearchParams | null> {
  let text = '';
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > maxBodyBytes) return null;
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return new URLSearchParams(text);
}

/** The finding of a link, in the review it is of. */
type Found = NonNullable<LinkPage['finding']> & { changelistId: string };

async function find(criticizer: LinkedReviews, { jobId, findingId }: FindingLink): Promise<Found | null> {
  const status = await criticizer.status(jobId);
  const review = status === null ? null : await criticizer.review(jobId);
  const finding = review?.findings.find(({ id }) => id === findingId);
  const reviewVersion = status?.job.reviewVersion ?? null;
  if (review === null || finding === undefined || reviewVersion === null) return null;
  return { finding, change: review.change.number, changelistId: review.change.changelistId, reviewVersion };
}

const isDisposition = (value: unknown): value is Disposition => dispositions.some((one) => one === value);

/**
 * Answers the links of mails (GRD-8), fetch-style: GET shows what the link would do and changes
 * nothing, since scanners open every link; POST hides the finding in later reviews of its change, or
 * stops the mails to the recipient of the mail that the link was in.
 * Whoever has the link may; the audit event names the mail that it came with, as `link:<key>`. A withheld
 * credential is refused. The promise never rejects: what cannot be answered is a page with 503, and
 * one line of the log. Throws `TypeError` for wrong options and a Criticizer without `audit`.
 */
// long: one request, from the method to the page
export function createLinkHandler(options: LinkHandlerOptions): (request: Request) => Promise<Response> {
  checkOptions('createLinkHandler', options, optionShape);
  const { criticizer, links, clock = systemClock, logger = silentLogger } = options;
  const { operate } = criticizer;
  if (operate === null)
    throw new TypeError('createLinkHandler: criticizer: expected one with the option audit: what links do is audited');
  const operator = operate;

  const hide = async (link: FindingLink, found: Found, disposition: Disposition): Promise<LinkPage> => {
    const { changelistId, reviewVersion, finding } = found;
    const { outcome, suppression } = await operator.suppressFinding({
      changelistId,
      reviewVersion,
      disposition,
      findingId: link.findingId,
      actor: { type: 'system', id: `link:${link.mailKey}` },
      reason: `By the link in a mail of version ${reviewVersion}.`,
    });
    const done = outcome === 'added' ? 'The finding is hidden' : 'The finding was hidden before';
    const text = `Reviews of later versions of this change leave it out and say that it is hidden. An operator takes it back with the number ${suppression.id}.`;
    return { status: 200, title: done, text, finding: { finding, change: found.change, reviewVersion } };
  };

  /** A POST comes from the page's button, or from a mail reader by RFC 8058. */
  async function stop(request: Request, { mailKey, expiresAtMs }: MailLink, signal: AbortSignal): Promise<LinkPage> {
    if (request.method !== 'POST') {
      const title = 'Stop these mails?';
      const text = 'Reviews of changes are then not mailed to you any more, by this service and for every change.';
      return { status: 200, title, text, stops: { until: new Date(expiresAtMs) } };
    }
    const form = await readForm(request);
    if (form?.get('stop') !== 'yes' && form?.get('List-Unsubscribe') !== 'One-Click') return linkAnswers.notStopped;
    signal.throwIfAborted(); // the reader has the answer 503 already
    const actor = { type: 'system', id: `link:${mailKey}` } as const;
    const { outcome } = await operator.stopMails({ mailKey, actor, reason: 'By the link in a mail.' });
    return outcome === 'not-found' ? linkAnswers.ended : linkAnswers.stopped;
  }

  async function answer(request: Request, signal: AbortSignal): Promise<LinkPage> {
    const token = new URL(request.url).searchParams.get('t') ?? '';
    const reading = { nowMs: clock.nowMs(), signal };
    const read = await links.read(token, reading);
    if (read.kind === 'invalid') {
      const ofMail = await links.readForMail(token, reading);
      if (ofMail.kind === 'valid') return stop(request, ofMail.link, signal);
      return ofMail.kind === 'invalid' ? linkAnswers.invalid : linkAnswers.ended;
    }
    const found = read.kind === 'expired' ? null : await find(criticizer, read.link);
    if (found === null) return linkAnswers.over;
    if (found.finding.origin === 'redaction') return linkAnswers.credential;
    if (request.method === 'POST') {
      const disposition = (await readForm(request))?.get('disposition');
      signal.throwIfAborted(); // the reader has the answer 503 already
      return isDisposition(disposition) ? hide(read.link, found, disposition) : linkAnswers.unknownChoice;
    }
    return {
      status: 200,
      title: 'Hide this finding?',
      text: 'Reviews of later versions of this change then leave it out, and say that it is hidden. The mails that were sent stay as they are.',
      finding: found,
      asks: { until: new Date(read.link.expiresAtMs) },
    };
  }

  return async (request) => {
    const isHead = request.method === 'HEAD';
    if (!isHead && request.method !== 'GET' && request.method !== 'POST') {
      const refused = renderLinkPage(linkAnswers.wrongMethod);
      refused.headers.set('allow', 'GET, HEAD, POST');
      return refused;
    }
    const late = new AbortController();
    try {
      const work = answer(request, late.signal);
      return renderLinkPage(await withDeadline({ clock, ms: requestTimeoutMs, call: 'link' }, work), isHead);
    } catch (error) {
      late.abort(error);
      if (errorFacts(error).code === 'SUPPRESSIONS_FULL') return renderLinkPage(linkAnswers.full, isHead);
      logger.warn({ event: 'link.failed', ...errorFacts(error) }, 'a link of a mail could not be answered');
      return renderLinkPage(linkAnswers.unavailable, isHead);
    }
  };
}
