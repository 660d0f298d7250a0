import { createHash } from 'node:crypto';
import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { optional, withMethods } from '../foundation/option-checks.js';
import {
  type ContentLevel,
  type Destination,
  denyContent,
  isWithinLevel,
  nameDestination,
  type OutboundGate,
  type OutboundMessage,
  type OutboundTarget,
} from '../foundation/outbound.js';
import type { Random } from '../foundation/time/random.js';
import { systemRandom } from '../foundation/time/system-random.js';
import type { EgressLog } from '../stores/egress-log.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import { appendEgress } from './append-egress.js';
import { type ContentPolicy, createContentPolicy } from './content-policy.js';
import type { KillSwitch } from './kill-switch.js';

/** What decides, and where records and refusals go. */
export interface OutboundGateOptions<Tx> {
  killSwitch: KillSwitch;
  /** `Stores.egress`. */
  log: EgressLog<Tx>;
  /** Of `createContentPolicy`. Default: the strictest, in which no mail has findings. */
  policy?: ContentPolicy | undefined;
  /** Receives one `egress.blocked` for each destination and level that the policy refuses. */
  securityEvents?: SecurityEvents | undefined;
  random?: Pick<Random, 'uuid'> | undefined;
}

const gateShape: OptionShape<OutboundGateOptions<unknown>> = {
  killSwitch: withMethods('check'),
  log: withMethods('append'),
  policy: optional(withMethods('highest')),
  securityEvents: optional(withMethods('emit')),
  random: optional(withMethods('uuid')),
};

/**
 * The gate of everything that leaves besides requests to a model, which `guardedExchange` guards:
 * kill switch (EGR-4), content level (ruling R21) and a committed record of exactly these bytes
 * (EGR-1). A refused message leaves no record: nothing of it was about to leave.
 */
export function createOutboundGate<Tx>(options: OutboundGateOptions<Tx>): OutboundGate {
  checkOptions('createOutboundGate', options, gateShape);
  const { killSwitch, log, policy = createContentPolicy(), random = systemRandom } = options;
  const check = (destination: Destination): Promise<void> => killSwitch.check(nameDestination(destination));
  const reported = new Set<string>();
  const highestContent = (target: OutboundTarget): ContentLevel => policy.highest(target);

  function checkContent(message: OutboundMessage): void {
    const highest = highestContent(message);
    if (isWithinLevel(message.content, highest)) return;
    const refusal = denyContent(message.destination, message.content, highest);
    const sort = `${message.destination.kind}:${message.destination.id} ${message.content} ${highest}`;
    if (!reported.has(sort)) {
      reported.add(sort);
      const { message: reason, details } = refusal;
      raiseSecurityEvent(options.securityEvents, { type: 'egress.blocked', reason, details: details ?? {} });
    }
    throw refusal;
  }

  return {
    check,
    highestContent,
    async pass(message) {
      const { destination, bytes } = message;
      await check(destination);
      checkContent(message);
      await appendEgress(log, {
        id: random.uuid(),
        destination: destination.kind,
        content: message.content,
        jobId: message.jobId,
        changelistId: message.changelistId,
        reviewVersion: message.reviewVersion,
        provider: destination.id,
        host: message.host,
        messageKey: message.messageKey,
        model: null,
        promptVersion: null,
        schemaVersion: null,
        paths: [],
        bytes: bytes.byteLength,
        bodySha256: createHash('sha256').update(bytes).digest('hex'),
        redactions: {},
        rulesVersion: null,
        policyHash: null,
      });
      await check(destination);
    },
  };
}
