/** The one source of chance. Inject a seeded one to replay a run. */
export interface Random {
  /** Uniform in [0, 1). Not for secrets. */
  next(): number;
  /** Cryptographic in the system implementation: tokens, nonces, keys. */
  bytes(length: number): Uint8Array;
  /** A version 4 UUID. */
  uuid(): string;
}
