import { domainToASCII } from 'node:url';
import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { checkedElsewhere } from '../foundation/option-checks.js';
import { type ContentLevel, contentLevels, nameDestination, type OutboundTarget } from '../foundation/outbound.js';

/** How much of a review may go where; the settings `egress.mailDomains` and `egress.content`. */
export interface ContentPolicyOptions {
  /**
   * Domains whose addresses may get findings: `studio.example` names one, `.studio.example` every
   * one below. Default none.
   */
  mailDomains?: readonly string[] | undefined;
  /**
   * What may go to a mailer or channel, by the kill switch's name for it: `chat:team`, `mail:partner`,
   * `webhook:reviews`, `code-review:swarm`. Addresses in `mailDomains` have `findings` without it. Of mail
   * only they get `code`: every other address gets at most `findings`. Default none.
   */
  content?: readonly { destination: string; highest: ContentLevel }[] | undefined;
}

/** Decides the highest content level of a destination (ruling R21). Pure. */
export interface ContentPolicy {
  highest(target: OutboundTarget): ContentLevel;
}

const policyShape: OptionShape<ContentPolicyOptions> = { mailDomains: checkedElsewhere, content: checkedElsewhere };

/** As an address that passed `parseRecipient` has it: lower case, A-labels; empty for what is no domain. */
const ascii = (domain: string): string => domainToASCII(domain).toLowerCase();
const isDomain = (value: unknown): value is string =>
  typeof value === 'string' && !/[%/?#@]/.test(value) && ascii(value.replace(/^\./, '')) !== '';

/** Destinations whose level is the operator's to choose. */
const GRANTABLE = /^(?:mail|chat|webhook|code-review):.+$/;

const isGrant = (value: { destination: string; highest: ContentLevel }): boolean =>
  GRANTABLE.test(value?.destination) && contentLevels.includes(value.highest);

/**
 * Models get `code`, by `egress.policy`, which names them for paths. P4 Code Review holds the code and
 * gets it, or what `content` says. Sinks, pagers and telemetry get `none`, whatever is
 * configured. Mail to `mailDomains` gets `findings`. Everything else gets `counts`, or what
 * `content` says; `code` goes by mail to `mailDomains` alone. Throws `TypeError` for a domain, name
 * or level that is none.
 */
export function createContentPolicy(options: ContentPolicyOptions = {}): ContentPolicy {
  checkOptions('createContentPolicy', options, policyShape);
  const { mailDomains = [], content = [] } = options;
  if (!Array.isArray(mailDomains) || !mailDomains.every(isDomain))
    throw new TypeError('createContentPolicy: mailDomains: expected domains such as studio.example');
  if (!Array.isArray(content) || !content.every(isGrant))
    throw new TypeError(
      `createContentPolicy: content: expected destinations such as mail:partner or chat:team, highest one of ${contentLevels.join(', ')}`,
    );
  const granted = new Map(content.map(({ destination, highest }) => [destination, highest]));
  const listed = mailDomains.map((domain) => (domain.startsWith('.') ? `.${ascii(domain.slice(1))}` : ascii(domain)));

  const isListed = (recipient: string | null): boolean => {
    const domain = ascii(recipient?.split('@').at(-1) ?? '');
    return listed.some((one) => (one.startsWith('.') ? domain.endsWith(one) : domain === one));
  };

  return {
    highest({ destination, recipient }) {
      switch (destination.kind) {
        case 'llm':
          return 'code';
        case 'code-review':
          return granted.get(nameDestination(destination)) ?? 'code';
        case 'sink':
        case 'pager':
        case 'telemetry':
          return 'none';
        case 'mail': {
          const level = granted.get(nameDestination(destination)) ?? 'counts';
          const isInside = isListed(recipient);
          if (level === 'code') return isInside ? 'code' : 'findings';
          return isInside ? 'findings' : level;
        }
        case 'chat':
        case 'webhook':
          return granted.get(nameDestination(destination)) ?? 'counts';
      }
    },
  };
}
