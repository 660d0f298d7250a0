import { classifyFailure } from '../../../foundation/failures/failure.js';
import type { Clock } from '../../../foundation/time/clock.js';
import type { LlmProvider } from '../../../llm/llm-provider.js';
import { wrapProvider } from '../../../llm/wrap-provider.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { SharedPace } from './shared-pace.js';

/**
 * The provider, whose pauses (`Retry-After`, `RetryInfo`) are shared with every process. Its errors
 * stay as they are; a pause that cannot be written is logged.
 */
export function learnPauses(
  provider: LlmProvider,
  { pace, logger, clock }: { pace: Pick<SharedPace, 'pause'>; logger: Logger; clock: Pick<Clock, 'nowMs'> },
): LlmProvider {
  return wrapProvider(provider, {
    async send(prepared, options) {
      try {
        return await provider.send(prepared, options);
      } catch (error) {
        const { category, parks, retryAfterMs } = classifyFailure(error, { nowMs: clock.nowMs() });
        const isAboutRate = category === 'rate_limit' || category === 'upstream';
        if (isAboutRate && !parks && retryAfterMs !== undefined && retryAfterMs > 0)
          await pace
            .pause(provider, retryAfterMs)
            .catch((cause: unknown) =>
              logger.warn(
                { event: 'llm.pause_not_shared', provider: provider.id, errorCode: classifyFailure(cause).code },
                'a Retry-After was not shared',
              ),
            );
        throw error;
      }
    },
  });
}
