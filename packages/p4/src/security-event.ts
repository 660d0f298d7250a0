import { isCriticizerError, type Logger, type SecurityEvent, type SecurityEvents } from '@criticizer/core';

/** Raises an event. A receiver that fails is logged and never stops the fail-closed path that raised it (P4-5). */
export async function emitSecurityEvent(to: { securityEvents: SecurityEvents; logger: Logger }, event: SecurityEvent): Promise<void> {
  try {
    await to.securityEvents.emit(event);
  } catch (error) {
    to.logger.error(
      { eventType: event.type, code: isCriticizerError(error) ? error.code : 'UNKNOWN' },
      'a security event could not be delivered',
    );
  }
}
