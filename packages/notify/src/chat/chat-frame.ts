import { createUrlTemplate } from '@criticizer/core/internal';
import { CriticizerError } from '@criticizer/core/ports';
import type { LinkedChange } from '../rendering/review-mail-composer.js';
import type { ReviewMailLabels } from '../rendering/review-mail-input.js';
import type { CharCost } from './fit.js';

/** What a message says in addition to the review. */
export interface ChatFrame {
  /** The place that it goes to, for the links that hide findings. */
  target: string;
  /** Other words or another language; what is left out stays English. */
  labels?: Partial<ReviewMailLabels> | undefined;
  /** Where a reader opens the change: http or https; undefined: no link. */
  changeUrl?: ((change: LinkedChange) => string | undefined) | undefined;
}

/** What a chat counts its limits in. Default: one for each UTF-16 unit. */
export interface CountedFrame extends ChatFrame {
  costOf?: CharCost | undefined;
}

/** True for an http or https URL; a chat opens other schemes too, such as those of scripts and programs. */
export const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** The channel that a link belongs to. */
export interface LinkOwner {
  /** The function that has the option: `createSlackChannel`. */
  maker: string;
  channelId: string;
}

/** One call of the host's function. Throws `CHANNEL_LINK_INVALID` for all that it may not do. */
function callHost(
  linkTo: (change: LinkedChange) => unknown,
  change: LinkedChange,
  { maker, channelId }: LinkOwner,
): string | undefined {
  const refuse = (what: string, cause?: unknown): CriticizerError =>
    new CriticizerError(
      'CHANNEL_LINK_INVALID',
      `The option changeUrl of ${maker}, of the channel "${channelId}", ${what}.`,
      { category: 'bug', details: { channel: channelId, option: 'changeUrl' }, cause },
    );
  let link: unknown;
  try {
    link = linkTo(change);
  } catch (error) {
    throw refuse('threw an error', error);
  }
  if (link === undefined || isWebUrl(link)) return link;
  // Its rejection would end the process: nobody else waits for it.
  if (link instanceof Promise) link.catch(() => undefined);
  throw refuse('gave something else than an http or https URL or undefined');
}

/**
 * The link to a change by a template, a function of the host, or none. Throws `TypeError` for a wrong option; the
 * link throws `CHANNEL_LINK_INVALID` where a function throws or gives anything but an http or https URL.
 */
export function readChangeUrl(
  changeUrl: string | ((change: LinkedChange) => string | undefined) | undefined,
  owner: LinkOwner,
): ChatFrame['changeUrl'] {
  if (changeUrl === undefined) return undefined;
  if (typeof changeUrl === 'function') return (change) => callHost(changeUrl, change, owner);
  const names = { names: ['change', 'server'], required: 'change' } as const;
  const link = createUrlTemplate(`${owner.maker}: changeUrl`, changeUrl, names);
  return ({ number, serverId }) => link({ change: number, server: serverId });
}
