import type { HttpClient, HttpResponse } from '@criticizer/core/http';
import { checkOptions, type OptionShape, optional } from '@criticizer/core/internal';
import { handedOverId, type SendOutcome, systemClock } from '@criticizer/core/ports';
import type { ChatChannel } from '../chat/chat-channel.js';
import { type ChatFrameOptions, chatFrameShape, checkSecret, checkTarget } from '../chat/chat-options.js';
import { answerFault, answerStatus, answers, type ChatSecret, postBytes } from '../chat/post-answer.js';
import { checkHosts, readSecretAddress } from '../chat/secret-address.js';
import { createChangeLink } from '../rendering/change-link.js';
import { composeTeamsCard } from './compose-teams-card.js';

/** Which Workflows webhook gets the reviews. */
export interface TeamsChannelOptions extends ChatFrameOptions {
  /** Its address, which is a secret: whoever has it may post. Read before every post. */
  url: ChatSecret;
  /** Names the webhook in rows and logs: 1 to 64 letters, digits, dots, dashes, underscores. Default `workflow`. */
  target?: string | undefined;
  /** Hosts that the address may have. Default `*.logic.azure.com` and `*.environment.api.powerplatform.com`. */
  allowedHosts?: readonly string[] | undefined;
}

const optionShape: OptionShape<TeamsChannelOptions> = {
  ...chatFrameShape,
  url: checkSecret,
  target: optional(checkTarget),
  allowedHosts: optional(checkHosts),
};

/** Where Power Automate takes requests of flows. */
export const teamsHosts: readonly string[] = ['*.logic.azure.com', '*.environment.api.powerplatform.com'];

/** The run of the flow, by which its owner finds what became of the card. */
function readRunId({ headers }: HttpResponse): string | undefined {
  const id = headers['x-ms-workflow-run-id'];
  return id !== undefined && /^[\w.-]{1,100}$/.test(id) ? id : undefined;
}

function readAnswer(response: HttpResponse, key: string, nowMs: number): SendOutcome {
  const { status } = response;
  const word = `HTTP status ${status}`;
  const known = answerStatus(response, nowMs);
  if (known !== undefined) return known;
  if (status === 401 || status === 403 || status === 404 || status === 410) return answers.targetRefused(word);
  if (status >= 400) return answers.messageRefused(word, status === 400 || status === 413);
  // Only a flow answers 202; a proxy's page is a success too, and the connectors of old hid errors in a 200.
  if (status !== 202) return answers.ambiguous(`${word}, where a flow answers 202: is there a proxy between?`);
  return { kind: 'accepted', id: handedOverId(readRunId(response) ?? key) };
}

/**
 * A channel that hands reviews to a Workflows webhook of Microsoft Teams as Adaptive Cards. 202 means that the
 * flow took the card, not that anybody sees it: a bad right, an orphaned owner or a size over the limit
 * fails later and unseen, so the id begins with `handed-over:`, and rows say so. There is no look-up: where an
 * answer is lost, the policy decides whether the card is handed over again, flagged as a possible
 * duplicate, or held. The address is never logged and is in no error. Throws `TypeError` for wrong
 * options; `send` throws `CHANNEL_ADDRESS_INVALID` (parks) for an address that is none.
 */
export function createTeamsChannel(options: TeamsChannelOptions): ChatChannel {
  checkOptions('createTeamsChannel', options, optionShape);
  const { id = 'teams', url, labels, target = 'workflow', required = true, requestTimeoutMs = 30_000 } = options;
  const { allowedHosts = teamsHosts, clock = systemClock } = options;
  const http: HttpClient = options.http;
  const owner = { maker: 'createTeamsChannel', channel: id, logger: options.logger };
  const changeUrl = createChangeLink(options.changeUrl, owner);
  return {
    contract: 1,
    id,
    destination: { kind: 'chat', id },
    capabilities: { idempotency: 'none', lookup: 'none', settleMs: 0, retentionMs: 0 },
    async plan(review) {
      const { content, message } = composeTeamsCard(review, { target, labels, changeUrl });
      return [{ target, content, required, body: message }];
    },
    async check({ signal }) {
      await readSecretAddress(id, url, allowedHosts, signal);
    },
    async send({ body }, { key, signal, onPhase }) {
      const address = await readSecretAddress(id, url, allowedHosts, signal);
      const bytes = Buffer.from(JSON.stringify(body));
      await onPhase('envelope');
      signal.throwIfAborted();
      await onPhase('data', { host: address.host, bytes });
      signal.throwIfAborted();
      try {
        const response = await postBytes({ http, url: address, bytes, timeoutMs: requestTimeoutMs, signal });
        return readAnswer(response, key, clock.nowMs());
      } catch (error) {
        return answerFault(error);
      }
    },
  };
}
