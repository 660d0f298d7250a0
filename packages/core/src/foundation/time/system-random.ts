import { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from './random.js';

/** The operating system's randomness. */
export const systemRandom: Random = {
  next: () => Math.random(),
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
};
