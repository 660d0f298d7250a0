import type { Logger } from './logger.js';
import type { SecurityEvents } from './security-events.js';

/** Security events as warnings of the host's logger: the default. */
export function createLogSecurityEvents(logger: Logger): SecurityEvents {
  return {
    emit: ({ type, reason, ...facts }) =>
      logger.warn({ event: `security.${type}`, securityEvent: type, ...facts }, reason),
  };
}
