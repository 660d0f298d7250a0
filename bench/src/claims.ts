import type { Configured } from './measurement.ts';

/** A queue's claim and completion as such, without its worker: what claim cost and fencing are measured on. */
export interface ClaimContender extends Configured {
  /** Most jobs of one claim; undefined: any number. */
  mostPerClaim?: number | undefined;
  /** Kept rows of finished jobs have no place where a library deletes them at once. */
  keepsFinished: boolean;
  open(url: string): Promise<Claims>;
}

/**
 * - `ready`: due, of mixed priorities. - `finished`: done and kept. - `future`: due tomorrow, of
 * the highest priority.
 */
export type Filling = 'ready' | 'finished' | 'future';

export interface Claims {
  /** Adds rows by SQL, as if they had been there. */
  fill(state: Filling, rows: number): Promise<void>;
  /** The library's own claim; gives what completes the jobs it took. Throws where it took none. */
  claim(limit: number): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export function mustClaim(taken: number): void {
  if (taken === 0) throw new Error('the claim found no job');
}
