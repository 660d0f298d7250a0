/** What the name of a shadow begins with. */
const prefix = 'shadow:';

/** True for the name of a shadow. */
export function isShadowDestination(destination: string): boolean {
  return destination.startsWith(prefix);
}

/**
 * The name of a destination's shadow (AUD-19): `shadow:siem` for `siem`. A shadow has rows of its own in
 * the outbox, so that what it delivers says nothing about the rows of the destination itself. Throws
 * `TypeError` for the name of a shadow.
 */
export function toShadowDestination(destination: string): string {
  if (isShadowDestination(destination)) throw new TypeError(`"${destination}" is the name of a shadow already`);
  return `${prefix}${destination}`;
}

/** The key that a delivery of the destination itself has, from the key of its shadow's delivery. */
export function toProductionKey(idempotencyKey: string): string {
  return isShadowDestination(idempotencyKey) ? idempotencyKey.slice(prefix.length) : idempotencyKey;
}
