import { CriticizerError } from './errors.js';

/** How much of a review a message may hold, from nothing to the code itself. Each level includes those before it. */
export const contentLevels = ['none', 'counts', 'findings', 'code'] as const;
/** One of `contentLevels`. */
export type ContentLevel = (typeof contentLevels)[number];

/** True where `content` holds no more of a review than `highest` allows. */
export function isWithinLevel(content: ContentLevel, highest: ContentLevel): boolean {
  return contentLevels.indexOf(content) <= contentLevels.indexOf(highest);
}

/** What kind of place bytes go to. */
export const destinationKinds = [
  'llm',
  'mail',
  'chat',
  'pager',
  'sink',
  'telemetry',
  'code-review',
  'webhook',
] as const;
/** One of `destinationKinds`. */
export type DestinationKind = (typeof destinationKinds)[number];

/** Where bytes go: a kind and the id of the part that sends them. */
export interface Destination {
  kind: DestinationKind;
  /** Id of the provider, mailer or channel. */
  id: string;
}

/** How settings and the kill switch name a destination: a provider's own id, else `mail:smtp`. */
export function nameDestination({ kind, id }: Destination): string {
  return kind === 'llm' ? id : `${kind}:${id}`;
}

/** Where a message goes, and to whom. */
export interface OutboundTarget {
  destination: Destination;
  /** The address that a mail goes to: for the policy alone, recorded nowhere; null for what has none. */
  recipient: string | null;
}

/** One message that is about to leave. */
export interface OutboundMessage extends OutboundTarget {
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

/** What every part that sends bytes passes before it does (EGR-1, EGR-4, ruling R21). */
export interface OutboundGate {
  /**
   * Resolves where bytes may go to the destination now. Rejects with `EGRESS_KILLED` or
   * `EGRESS_KILL_SWITCH_UNREADABLE`; both park.
   */
  check(destination: Destination): Promise<void>;
  /** The highest content level that the policy allows there: what a message is composed for. */
  highestContent(target: OutboundTarget): ContentLevel;
  /**
   * Checks kill switch and content level, commits the egress record of the message, and checks the
   * switch again, as the commit may have waited. Where it rejects, nothing may be sent: also
   * `EGRESS_CONTENT_DENIED`, which does not park, and `EGRESS_UNRECORDED`.
   */
  pass(message: OutboundMessage): Promise<void>;
}

/** `EGRESS_CONTENT_DENIED`, policy; it does not park: waiting makes no message smaller. */
export function denyContent(destination: Destination, content: ContentLevel, highest: ContentLevel): CriticizerError {
  const name = nameDestination(destination);
  return new CriticizerError(
    'EGRESS_CONTENT_DENIED',
    `A message with content "${content}" may not go to ${name}: at most "${highest}" may. ` +
      'See egress.mailDomains and egress.content in the settings.',
    { category: 'policy', details: { destination: name, content, highest } },
  );
}
