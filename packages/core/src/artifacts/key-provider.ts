/** Binds a wrapped key to what it may open; a key unwrapped for another artifact fails. */
export interface KeyContext {
  artifactId: string;
  namespace: string;
}

/** Wraps data keys under a platform's or a customer's key (ART-2). Implementations: local key ring, KMS. */
export interface KeyProvider {
  /** The key that new artifacts are wrapped under. */
  wrap(dataKey: Uint8Array, context: KeyContext): Promise<{ kekId: string; wrapped: Uint8Array }>;
  /** Throws `KEY_UNKNOWN` for a key id that is gone, `KEY_REJECTED` when the wrapped key or its context was changed. */
  unwrap(wrapped: Uint8Array, kekId: string, context: KeyContext): Promise<Uint8Array>;
}
