import {
  checkedElsewhere,
  checkOptions,
  type OptionShape,
  observerShape,
  withMethods,
} from '@criticizer/core/internal';
import { silentLogger, systemClock } from '@criticizer/core/ports';
import type { ContainmentStatus } from '../containment/containment.js';
import type { P4ClientOptions } from './p4-client.js';
import { createLocalRunner } from './p4-local-runner.js';

/** Which client, and how it is to be contained. */
export type P4ContainmentOptions = Pick<
  P4ClientOptions,
  'executable' | 'port' | 'trustFingerprint' | 'containment' | 'securityEvents' | 'logger'
>;

const optionShape: OptionShape<P4ContainmentOptions> = {
  executable: checkedElsewhere,
  port: checkedElsewhere,
  trustFingerprint: checkedElsewhere,
  containment: checkedElsewhere,
  securityEvents: withMethods('emit'),
  logger: observerShape.logger,
};

/**
 * Finds and proves what contains the client, for a service that wants to know when it starts and not
 * at its first command. Asks no server. With the same `securityEvents` as the other parts of the
 * service the event `p4.uncontained` comes once. Rejects with `P4_CONTAINMENT_UNAVAILABLE` where
 * `containment` is `required` and the host has no full rung, and with `P4_EXECUTABLE_UNUSABLE`;
 * throws TypeErrors that name the option.
 */
export async function checkP4Containment(options: P4ContainmentOptions): Promise<ContainmentStatus> {
  checkOptions('checkP4Containment', options, optionShape);
  const logger = options.logger ?? silentLogger;
  // The runner requires a name. No command runs, so no server receives it.
  return createLocalRunner({ ...options, user: 'criticizer', logger, clock: systemClock }).checkContainment();
}
