import type { P4Command } from './p4-command.js';
import type { P4ProcessResult } from './p4-process.js';

/** One command for a runner: what is to be read, never which program, argv, environment or user. */
export interface P4RunRequest {
  command: P4Command;
  charset: 'none' | 'utf8';
  /**
   * Which ticket: `previous` after the server has refused the current one (SEC-5). A runner that has
   * none rejects with `P4_RUNNER_REFUSED`, `details.part` `ticket`.
   */
  ticketVersion: 'current' | 'previous';
  /** From start to the first signal. Milliseconds. */
  wallMs: number;
  maxOutputBytes: number;
  signal: AbortSignal;
  /** Called with every chunk of standard output. A throw ends the command and becomes the failure. */
  onOutput(chunk: Buffer): void;
}

/**
 * Runs commands of the list in `p4-command.ts` somewhere else, such as in a container of its own
 * that holds the ticket. Server, user, ticket and trust are the runner's own configuration.
 */
export interface P4Runner {
  /**
   * Ends well only if the process ended by itself and all of its output was handed over. Throws
   * `P4_RUNNER_UNAVAILABLE`, `P4_RUNNER_REFUSED`, what the process failed with (`P4_TIMEOUT`, …), what
   * `onOutput` threw, or the abort reason.
   */
  run(request: P4RunRequest): Promise<P4ProcessResult>;
}
