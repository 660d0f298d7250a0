import { createHash } from 'node:crypto';
import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { optional, withMethods } from '../foundation/option-checks.js';
import type { Destination, OutboundGate } from '../foundation/outbound.js';
import type { Random } from '../foundation/time/random.js';
import { systemRandom } from '../foundation/time/system-random.js';
import type { EgressLog } from '../stores/egress-log.js';
import { appendEgress } from './append-egress.js';
import type { KillSwitch } from './kill-switch.js';

/** The name by which the kill switch may be narrowed: a provider's own id, else `mail:smtp`. */
export function nameDestination({ kind, id }: Destination): string {
  return kind === 'llm' ? id : `${kind}:${id}`;
}

/** What the gate asks and where it writes. */
export interface OutboundGateOptions<Tx> {
  killSwitch: KillSwitch;
  /** `Stores.egress`. */
  log: EgressLog<Tx>;
  random?: Pick<Random, 'uuid'> | undefined;
}

const gateShape: OptionShape<OutboundGateOptions<unknown>> = {
  killSwitch: withMethods('check'),
  log: withMethods('append'),
  random: optional(withMethods('uuid')),
};

/**
 * The gate of everything that leaves besides requests to a model, which `guardedExchange` guards:
 * kill switch (EGR-4) and a committed record of exactly these bytes (EGR-1).
 */
export function createOutboundGate<Tx>(options: OutboundGateOptions<Tx>): OutboundGate {
  checkOptions('createOutboundGate', options, gateShape);
  const { killSwitch, log, random = systemRandom } = options;
  const check = (destination: Destination): Promise<void> => killSwitch.check(nameDestination(destination));
  return {
    check,
    async pass(message) {
      const { destination, bytes } = message;
      await check(destination);
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
