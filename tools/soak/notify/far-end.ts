import type { OutboxRow } from '@criticizer/core/ports';

/** What takes the messages of one channel. */
export interface FarEnd {
  /** How a worker reaches it. */
  reach: Readonly<Record<string, string>>;
  /** Called before changes are submitted. */
  prepare?: ((change: number) => void) | undefined;
  /** How many copies a reader has of a row's message. */
  copies(row: Pick<OutboxRow, 'changelistId' | 'key'>): number;
  /** Called when a message is taken and not answered yet. */
  onTaken: () => void;
  close(): Promise<void>;
}
