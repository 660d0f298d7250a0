import { createUrlTemplate } from '@criticizer/core/internal';
import { errorFacts, type Logger, type ReviewMailCounts, silentLogger } from '@criticizer/core/ports';

/** What a link may be made from: nothing of the change's text, since mails of counts have it too. */
export type LinkedChange = ReviewMailCounts['change'];

/** The link to a change: a template, or a function of the host; undefined: no link. */
export type ChangeUrl = string | ((change: LinkedChange) => string | undefined) | undefined;

/** Whose link it is, and where a failure of the function is logged. */
export interface ChangeLinkOwner {
  /** The function that has the option `changeUrl`: `createSlackChannel`. */
  maker: string;
  /** The channel's id; undefined for mails. */
  channel?: string | undefined;
  logger?: Logger | undefined;
}

/** True for an http or https URL; mails and chats open other schemes too, such as those of scripts and programs. */
export const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** As encoded: one character outside ASCII takes up to twelve there. */
const maxUrlChars = 2_000;

/** Throws what the function throws, and `TypeError` for an answer that is no link. */
function callHost(linkTo: (change: LinkedChange) => unknown, change: LinkedChange): string | undefined {
  const link = linkTo(change);
  if (link === undefined) return undefined;
  const href = isWebUrl(link) ? new URL(link).href : null;
  if (href !== null && href.length <= maxUrlChars) return href;
  // Its rejection would end the process: nobody else waits for it.
  if (link instanceof Promise) link.catch(() => undefined);
  throw new TypeError(`changeUrl: expected an http or https URL of at most ${maxUrlChars} characters, or undefined`);
}

/**
 * The link to a change, for mails and posts; undefined where there is none. A link is not worth a review: where the
 * function throws, or gives anything but an http or https URL of at most 2,000 characters as encoded, there is no link,
 * and the first such failure is logged. Throws `TypeError` for what is neither a template nor a function.
 */
export function createChangeLink(
  changeUrl: ChangeUrl,
  { maker, channel, logger = silentLogger }: ChangeLinkOwner,
): ((change: LinkedChange) => string | undefined) | undefined {
  if (changeUrl === undefined) return undefined;
  if (typeof changeUrl !== 'function') {
    const names = { names: ['change', 'server'], required: 'change' } as const;
    const link = createUrlTemplate(`${maker}: changeUrl`, changeUrl, names);
    return ({ number, serverId }) => link({ change: number, server: serverId });
  }
  let hasLogged = false;
  return ({ serverId, number, changelistId, kind }) => {
    try {
      return callHost(changeUrl, { serverId, number, changelistId, kind });
    } catch (error) {
      if (!hasLogged)
        logger.warn(
          { event: 'link.change_url_failed', maker, channel, ...errorFacts(error) },
          'changeUrl failed; mails and posts go out without the link, and its next failures are not logged',
        );
      hasLogged = true;
      return undefined;
    }
  };
}
