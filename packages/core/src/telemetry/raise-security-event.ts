import { type Logger, silentLogger } from './logger.js';
import type { SecurityEvent, SecurityEvents } from './security-events.js';

/** Emits and never throws or waits: a broken receiver must not stop the fail-closed path that raised the event. */
export function raiseSecurityEvent(
  events: SecurityEvents | undefined,
  event: SecurityEvent,
  logger: Logger = silentLogger,
): void {
  const lost = (): void =>
    logger.error({ event: 'security.not_received', securityEvent: event.type }, 'security event was not received');
  try {
    Promise.resolve(events?.emit(event)).catch(lost);
  } catch {
    lost();
  }
}
