/** How urgent an alert is. `critical`: somebody must act now; `error`: today; `warning`: soon. */
export const alertSeverities = ['critical', 'error', 'warning'] as const;
/** One of `alertSeverities`. */
export type AlertSeverity = (typeof alertSeverities)[number];

/**
 * What an operator is paged for: one cause, however many jobs it hits (OPS-3). Holds codes, counts
 * and names from the configuration alone: no path, no finding, no person (ruling R21, level `none`).
 */
export interface Alert {
  /**
   * The same for the same cause at every trigger and resolve, in every process: the deduplication
   * key at the pager. 1 to 255 characters of `A-Z a-z 0-9 . _ : -`.
   */
  key: string;
  /**
   * Which firing of all alerts this is, from 1: it grows with each cause that begins to fire, so a
   * receiver can drop a trigger that arrives after the resolve of the same or a later episode.
   */
  episode: number;
  /** What sort of cause: `stage.parked`, `dead_letter.page`. */
  kind: string;
  /** Stable code of the failure behind it. */
  code: string;
  severity: AlertSeverity;
  /** One sentence of at most 256 characters, made from the other fields. */
  summary: string;
  /** Where: `{ stage: 'llm', provider: 'gateway' }`. Names from code and configuration. */
  place: Readonly<Record<string, string>>;
  /** How many things the cause has hit, as of this message; at least 1. */
  count: number;
  /** When it began to fire, by the store's clock. */
  startedAt: Date;
}
