import {
  checkAbortSignal,
  checkArray,
  checkedElsewhere,
  nested,
  type OptionShape,
  optional,
  withMethods,
} from '@criticizer/core/internal';
import type { CursorStore } from '@criticizer/core/ports';
import type { P4ClientOptions } from '../client/p4-client.js';
import type { AllowListOptions } from '../policy/allow-list.js';
import { connectionShape, namedSecret } from '../policy/option-shapes.js';

/** Which server the doctor looks at, with which ticket and allow-list, and from when it warns. */
export interface P4DoctorOptions extends Omit<P4ClientOptions, 'securityEvents' | 'logger'> {
  serverId: string;
  /** As configured, also where it is empty or wrong. */
  allowList: Pick<AllowListOptions, 'allow' | 'deny'>;
  /**
   * How many of the newest submitted changes are held against the allow-list and searched for
   * robots. Default 50, at most 1 000.
   */
  changes?: number | undefined;
  /** `intake.skipUsers` of the settings: who need not be proposed again. Default nobody. */
  skipUsers?: readonly string[] | undefined;
  /** Below this a ticket expires soon. Default 12 hours. */
  warnTicketBelowMs?: number | undefined;
  /** Default a minute. */
  clockSkewBudgetMs?: number | undefined;
  /**
   * Of the stores, where a ticket watch remembers what the server said of the ticket: looked at
   * where the ticket may not be shown to a server whose key is not the pinned one.
   */
  cursors?: Pick<CursorStore<never>, 'get'> | undefined;
  /**
   * How the commit server is reached where `port` names a replica or an edge server: then the doctor
   * compares what both show. User and executable are the same.
   */
  commitServer?: Pick<P4ClientOptions, 'port' | 'ticket' | 'trustFingerprint'> | undefined;
  /** Warns where no change was submitted for so long. Default: never, as installations differ. */
  warnQuietAboveMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The checks of `runP4Doctor`. */
export const doctorShape: OptionShape<P4DoctorOptions> = {
  ...connectionShape,
  serverId: checkedElsewhere,
  allowList: checkedElsewhere,
  changes: checkedElsewhere,
  skipUsers: optional(checkArray),
  warnTicketBelowMs: checkedElsewhere,
  clockSkewBudgetMs: checkedElsewhere,
  cursors: optional(withMethods('get')),
  commitServer: optional(
    nested<NonNullable<P4DoctorOptions['commitServer']>>({
      port: checkedElsewhere,
      ticket: optional(namedSecret),
      trustFingerprint: checkedElsewhere,
    }),
  ),
  warnQuietAboveMs: checkedElsewhere,
  signal: optional(checkAbortSignal),
};
