import type { SecurityEvent, SecurityEvents } from './security-events.js';

/** Keeps what it is told, in order: for tests and trials. */
export function createMemorySecurityEvents(): SecurityEvents & { readonly events: readonly SecurityEvent[] } {
  const events: SecurityEvent[] = [];
  return { events, emit: (event) => void events.push(structuredClone(event)) };
}
