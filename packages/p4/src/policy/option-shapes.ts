import {
  checkedElsewhere,
  checkName,
  nested,
  type OptionShape,
  observerShape,
  optional,
  partWith,
  withMethods,
} from '@criticizer/core/internal';
import type { P4ClientOptions } from '../client/p4-client.js';
import type { P4Timeouts } from '../client/p4-timeouts.js';
import type { ServerScope } from './server-scope.js';

const timeoutsShape: OptionShape<P4Timeouts> = {
  commandMs: checkedElsewhere,
  contentsMs: checkedElsewhere,
  killGraceMs: checkedElsewhere,
};

/** A secret by its name in a source. */
export const namedSecret = nested<{ source: unknown; name: string }>({ source: partWith('read'), name: checkName });

/** How a server is reached. What `createP4Client` checks itself stands here as `checkedElsewhere`. */
export const connectionShape: OptionShape<Omit<P4ClientOptions, 'securityEvents' | 'logger'>> = {
  executable: checkedElsewhere,
  runner: checkedElsewhere,
  containment: checkedElsewhere,
  port: checkedElsewhere,
  user: checkedElsewhere,
  ticket: optional(namedSecret),
  trustFingerprint: checkedElsewhere,
  charset: checkedElsewhere,
  timeouts: optional(nested(timeoutsShape)),
  maxConcurrent: checkedElsewhere,
  maxOutputBytes: checkedElsewhere,
  clock: observerShape.clock,
};

/** All that the `p4` client takes. */
export const clientShape: OptionShape<P4ClientOptions> = {
  ...connectionShape,
  securityEvents: withMethods('emit'),
  logger: observerShape.logger,
};

/** Checked by `checkServerScope`. */
export const scopeShape: OptionShape<ServerScope> = {
  serverId: checkedElsewhere,
  allowList: checkedElsewhere,
  fingerprintKey: checkedElsewhere,
};
