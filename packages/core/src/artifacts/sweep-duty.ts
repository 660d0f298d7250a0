import type { Logger } from '../telemetry/logger.js';
import { type ArtifactSweepOptions, sweepArtifacts } from './sweep-artifacts.js';

/** The duty of a worker that deletes expired artifacts; one log line for those that it could not delete. */
export function createSweepDuty(
  options: Omit<ArtifactSweepOptions, 'signal'> & { logger: Logger },
): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const swept = await sweepArtifacts({ ...options, signal });
    if (swept.failed + swept.stillPresent + swept.unverified > 0)
      options.logger.error({ event: 'artifact.sweep_failed', ...swept }, 'expired artifacts could not be deleted');
  };
}
