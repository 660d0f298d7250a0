/** How much of a review a message may hold, from nothing to the code itself. Each level includes those before it. */
export const contentLevels = ['none', 'counts', 'findings', 'code'] as const;
/** One of `contentLevels`. */
export type ContentLevel = (typeof contentLevels)[number];

/** What kind of place bytes go to. */
export const destinationKinds = ['llm', 'mail', 'chat', 'pager', 'sink', 'telemetry', 'code-review'] as const;
/** One of `destinationKinds`. */
export type DestinationKind = (typeof destinationKinds)[number];

/** Where bytes go: a kind and the id of the part that sends them. */
export interface Destination {
  kind: DestinationKind;
  /** Id of the provider, mailer or channel. */
  id: string;
}

/** One message that is about to leave. */
export interface OutboundMessage {
  destination: Destination;
  /** Host and port that the bytes go to. */
  host: string;
  /** What the message holds of a review. */
  content: ContentLevel;
  /** Exactly the bytes that the part hands to the connection. */
  bytes: Uint8Array;
  jobId: string | null;
  changelistId: string;
  reviewVersion: number;
  /** Key of the outbox row; null for a message that has none. */
  messageKey: string | null;
}

/** What every part that sends bytes passes before it does (EGR-1, EGR-4). */
export interface OutboundGate {
  /**
   * Resolves where bytes may go to the destination now. Rejects with `EGRESS_KILLED` or
   * `EGRESS_KILL_SWITCH_UNREADABLE`; both park.
   */
  check(destination: Destination): Promise<void>;
  /**
   * Checks the kill switch, commits the egress record of the message, and checks again, as the commit
   * may have waited. Where it rejects, nothing may be sent: also `EGRESS_UNRECORDED`.
   */
  pass(message: OutboundMessage): Promise<void>;
}
