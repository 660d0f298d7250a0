import type { HttpResponse } from '@criticizer/core/http';
import { checkOptions, type OptionShape, optional } from '@criticizer/core/internal';
import { type SendOutcome, systemClock } from '@criticizer/core/ports';
import type { ChatChannel } from '../chat/chat-channel.js';
import { type ChatFrameOptions, chatFrameShape, checkSecret, checkTarget } from '../chat/chat-options.js';
import { answerFault, answerStatus, answers, type ChatSecret, postBytes } from '../chat/post-answer.js';
import { checkHosts, readSecretAddress } from '../chat/secret-address.js';
import { planSlackPosts } from './slack-channel.js';

/** Which incoming webhook gets the reviews. */
export interface SlackWebhookChannelOptions extends ChatFrameOptions {
  /** Its address, which is a secret: whoever has it may post. Read before every post. */
  url: ChatSecret;
  /** Names the webhook in rows and logs: 1 to 64 letters, digits, dots, dashes, underscores. Default `webhook`. */
  target?: string | undefined;
  /** Hosts that the address may have. Default `hooks.slack.com` and `hooks.slack-gov.com`. */
  allowedHosts?: readonly string[] | undefined;
}

const optionShape: OptionShape<SlackWebhookChannelOptions> = {
  ...chatFrameShape,
  url: checkSecret,
  target: optional(checkTarget),
  allowedHosts: optional(checkHosts),
};

function readAnswer(response: HttpResponse, nowMs: number): SendOutcome {
  const { status, body } = response;
  const word = `HTTP status ${status}`;
  const known = answerStatus(response, nowMs);
  if (known !== undefined) return known;
  if (status === 403 || status === 404 || status === 410) return answers.targetRefused(word);
  if (status >= 400) return answers.messageRefused(word, status === 400);
  const isTaken = Buffer.from(body.subarray(0, 100)).toString('utf8').trim() === 'ok';
  return isTaken ? { kind: 'accepted', id: 'ok' } : answers.ambiguous('a success that is not of Slack');
}

/**
 * A channel that posts reviews to one incoming webhook of Slack. A webhook has no look-up: where an answer
 * is lost, the policy decides whether the review is posted again, flagged as a possible duplicate, or held
 * for an operator. Prefer `createSlackChannel`. The address is never logged and is in no error. Throws
 * `TypeError` for wrong options; `send` throws `CHANNEL_ADDRESS_INVALID` (parks) for an address that is none.
 */
export function createSlackWebhookChannel(options: SlackWebhookChannelOptions): ChatChannel {
  checkOptions('createSlackWebhookChannel', options, optionShape);
  const { id = 'slack', url, http, target = 'webhook', requestTimeoutMs = 30_000, clock = systemClock } = options;
  const allowed = options.allowedHosts ?? ['hooks.slack.com', 'hooks.slack-gov.com'];
  return {
    contract: 1,
    id,
    destination: { kind: 'chat', id },
    capabilities: { idempotency: 'none', lookup: 'none', settleMs: 0, retentionMs: 0 },
    plan: planSlackPosts([target], options, { maker: 'createSlackWebhookChannel', channel: id }),
    async check({ signal }) {
      await readSecretAddress(id, url, allowed, signal);
    },
    async send({ body }, { key, signal, onPhase }) {
      const address = await readSecretAddress(id, url, allowed, signal);
      const bytes = Buffer.from(JSON.stringify(body));
      await onPhase('envelope');
      signal.throwIfAborted();
      await onPhase('data', { host: address.host, bytes });
      signal.throwIfAborted();
      try {
        const response = await postBytes({ http, url: address, bytes, timeoutMs: requestTimeoutMs, signal });
        const outcome = readAnswer(response, clock.nowMs());
        return outcome.kind === 'accepted' ? { kind: 'accepted', id: key } : outcome;
      } catch (error) {
        return answerFault(error);
      }
    },
  };
}
