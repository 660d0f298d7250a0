import type { Actor, ActorName } from '../foundation/actor.js';
import type { Disposition } from '../foundation/disposition.js';
import type { Page, TimeSpan } from '../foundation/page.js';

/** One finding of one change, over all its versions. */
export interface FindingScope {
  kind: 'finding';
  /** `<serverId>/<number>`. */
  changelistId: string;
  /** The finding's id; a matched finding of a later version has the same one. */
  findingId: string;
  /** True also hides a withheld credential; false never does. */
  coversSecret: boolean;
}

/** Every finding of every change that fits all that is not null; at least one is not. */
export interface RuleScope {
  kind: 'rule';
  /** `rule_id` of the finding, exactly. */
  ruleId: string | null;
  /** A Perforce pattern of true depot paths, in the syntax of `intake.skipPaths`: `//depot/gen/...`. */
  paths: string | null;
  category: string | null;
  /** Findings of this severity and less severe ones. */
  severity: string | null;
  /** Findings of this confidence and less sure ones. */
  confidence: string | null;
}

/** What to hide, why, by whom and for how long. */
export interface NewSuppression {
  scope: FindingScope | RuleScope;
  disposition: Disposition;
  /** The actor's own words, 1 to 1,000 characters; never a finding's. Reviews and events hold it redacted. */
  reason: string;
  actor: Actor;
  /** In milliseconds from now by the store's clock, at least 1; null, of one finding alone: never. */
  expiresInMs: number | null;
}

/** A stored suppression. It hides until it expires or is withdrawn. */
export interface Suppression {
  id: string;
  scope: FindingScope | RuleScope;
  disposition: Disposition;
  reason: string;
  actor: ActorName;
  createdAt: Date;
  expiresAt: Date | null;
  withdrawnAt: Date | null;
  withdrawnBy: ActorName | null;
}

/** Which suppressions a list gives; filters combine. */
export interface SuppressionFilter extends Page, TimeSpan {
  /** Those of findings of this change alone. */
  changelistId?: string | undefined;
  kind?: 'finding' | 'rule' | undefined;
  /** True: only those in force. Default: expired and withdrawn ones too. */
  inForce?: boolean | undefined;
}

/**
 * What came of an addition. `exists`: one in force hides that finding already, and is given.
 * `full`: 1,000 of the kind are in force (of one change, or of rules), and nothing was added.
 */
export type SuppressionAdded =
  | { outcome: 'added' | 'exists'; suppression: Suppression }
  | { outcome: 'full'; suppression: null };

/** Suppressions of findings (GRD-8). A row holds ids, patterns and the actor's reason, no word of a finding. */
export interface SuppressionStore<Tx> {
  readonly storeId: string;
  /**
   * Adds a suppression. Of concurrent additions for one finding one is `added`. Throws `TypeError`
   * for a rule without any condition or without an expiry, and for texts that are none.
   */
  add(suppression: NewSuppression, options?: { tx?: Tx | undefined }): Promise<SuppressionAdded>;
  /** Null where there is none. */
  get(id: string): Promise<Suppression | null>;
  /** A page, newest first. */
  list(filter: SuppressionFilter): Promise<readonly Suppression[]>;
  /** Those that may hide findings of this change now, by the store's clock: its own and all rules, oldest first. */
  listInForce(changelistId: string): Promise<readonly Suppression[]>;
  /** Ends one that is in force. `ended`: it had expired or was withdrawn already. */
  withdraw(id: string, actor: Actor, options?: { tx?: Tx | undefined }): Promise<'withdrawn' | 'ended' | 'not-found'>;
}

/** How many may be in force: of the findings of one change, and of rules. */
export const mostSuppressions = 1_000;
