import type { Channel } from '@criticizer/core/ports';

/** A channel to a chat, which a doctor can ask. */
export interface ChatChannel extends Channel {
  /**
   * Resolves where the channel would post as it is set up; posts nothing. Rejects with what is wrong: the
   * secret, its form, the login, a scope or a place.
   */
  check(options: { signal: AbortSignal }): Promise<void>;
}
