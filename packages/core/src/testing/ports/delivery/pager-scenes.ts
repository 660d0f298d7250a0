import type { Alert } from '../../../pager/alert.js';
import type { Pager } from '../../../pager/pager.js';

/**
 * What the far end does from now on.
 *
 * - `takes`: takes the message and says so. The scene of a fresh far end.
 * - `loses-reply`: takes it; the connection ends without an answer.
 * - `rate-limits`: 429 with `Retry-After: 7`, nothing taken.
 * - `fails`: 503, nothing taken.
 * - `refuses`: its clear no to this message: 400, 422 or its own form of it.
 * - `denies`: its no to the credential: 401 or 403.
 * - `stalls`: reads the message and never answers.
 * - `answers-in-html`: 200 with a page of HTML, as a proxy's login page; nothing taken.
 */
export type PagerScene =
  | 'takes'
  | 'loses-reply'
  | 'rate-limits'
  | 'fails'
  | 'refuses'
  | 'denies'
  | 'stalls'
  | 'answers-in-html';

/** One message as the far end took it, a repeat once more. */
export interface ReceivedPage {
  action: 'trigger' | 'resolve';
  /** The deduplication key, from the field that carries it. */
  key: string;
  /** Exactly the bytes that arrived. */
  bytes: Uint8Array;
}

/** A pager and the far end that it talks to. */
export interface PagerUnderTest {
  pager: Pager;
  /** What the far end took, in order of arrival. */
  received(): Promise<readonly ReceivedPage[]>;
  /** From now on the far end plays this scene. */
  play(scene: PagerScene): void | Promise<void>;
  /** Resolves once the far end has read a message in the scene `stalls`. */
  stalled?(): Promise<void>;
  dispose(): Promise<void>;
}

/** Makes a pager and its far end for each case. */
export interface PagerHarness {
  /** A fresh far end for each case. */
  create(): Promise<PagerUnderTest>;
  /** Scenes that this kind of far end cannot play, each with the reason. `takes` is always played. */
  without?: Partial<Record<Exclude<PagerScene, 'takes'>, string>> | undefined;
  /** How long one call of the pager may take, in milliseconds. Default 4,000. */
  deadlineMs?: number | undefined;
}

/** The contract's n-th alert: the same for the same number. */
export function alertNumber(n: number): Alert {
  return {
    key: `criticizer:stage.parked:AUTH_DENIED:provider-gateway-${n}:stage-llm`,
    episode: n,
    kind: 'stage.parked',
    code: 'AUTH_DENIED',
    severity: 'critical',
    summary: `An outage parks work, and it goes on by itself once it is over: AUTH_DENIED at gateway-${n} llm, 3 of them`,
    place: { provider: `gateway-${n}`, stage: 'llm' },
    count: 3,
    startedAt: new Date(Date.UTC(2026, 0, 2, 3, 4, 5, n)),
  };
}
