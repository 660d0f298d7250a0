import type { CriticizerError } from '@criticizer/core/ports';
import { createMarshalReader } from './marshal-reader.js';
import { findGravest } from './messages/gravest-failure.js';
import { isLicenceWarning, type P4Message, p4ClientError, p4MessageError } from './messages/p4-messages.js';
import { type P4Output, p4Output } from './p4-output.js';
import type { P4ProcessResult } from './p4-process.js';

/** Who takes what a command prints. */
export interface OutputHandlers {
  /** Called for every record in order, messages excepted. A throw ends the command and is what `run` throws. */
  onOutput(output: Exclude<P4Output, { kind: 'message' }>): void;
  /**
   * Returns true for a warning the caller has dealt with; any other warning fails the command.
   * Never called for errors.
   */
  onWarning?: ((message: P4Message, error: CriticizerError) => boolean) | undefined;
  /**
   * Receives `P4_ARCHIVE_UNREADABLE`, an error about one file after which the others go on. Returns
   * true where the caller has dealt with it; absent, the command fails.
   */
  onUnreadableFile?: (() => boolean) | undefined;
}

/** Reads the records of one process and judges, at its end, whether all went well. */
export function readOutput(run: OutputHandlers): {
  push(chunk: Uint8Array): void;
  delivered(): boolean;
  outcome(result: P4ProcessResult): unknown;
} {
  const failures: { severity: number; error: CriticizerError }[] = [];
  let delivered = false;
  let survivedErrors = 0;
  const reader = createMarshalReader((record) => {
    const output = p4Output(record);
    if (output.kind !== 'message') {
      const text = output.kind === 'info' ? output.data.toString('latin1') : '';
      if (/^Navigate to URL/.test(text)) throw p4MessageError({ severity: null, generic: null, text });
      delivered = true;
      try {
        return run.onOutput(output);
      } catch (error) {
        // What a message said before is why the records are not as expected.
        throw findGravest(failures) ?? error;
      }
    }
    if (isLicenceWarning(output.message)) return;
    const error = p4MessageError(output.message);
    const severity = output.message.severity ?? 3;
    const isForCaller = severity === 2 || error.code === 'P4_ARCHIVE_UNREADABLE';
    const isDealtWith = isForCaller && isDealtWithByCaller(output.message, error, run);
    if (isDealtWith && severity > 2) survivedErrors += 1;
    if (!isDealtWith) failures.push({ severity, error });
  });
  return {
    push: (chunk) => reader.push(chunk),
    delivered: () => delivered,
    outcome(result) {
      // The status is 1 for any error, also for one that the caller has dealt with.
      const isStatusExplained = result.exitCode === 1 && survivedErrors > 0;
      const failed = (result.exitCode !== 0 && !isStatusExplained) || result.stderr.trim() !== '';
      const worst = findGravest(
        failed ? [...failures, { severity: 1, error: p4ClientError(result.stderr) }] : failures,
      );
      if (worst !== undefined) return worst;
      reader.end();
      return null;
    },
  };
}

function isDealtWithByCaller(message: P4Message, error: CriticizerError, run: OutputHandlers): boolean {
  return error.code === 'P4_ARCHIVE_UNREADABLE'
    ? run.onUnreadableFile?.() === true
    : run.onWarning?.(message, error) === true;
}
