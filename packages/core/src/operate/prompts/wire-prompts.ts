import type { AlertSource } from '../../alerts/alert-source.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { listPromptVariants } from '../../prompt/built-in-variant.js';
import type { PromptVariant, PromptVariants } from '../../prompt/prompt-variant.js';
import type { Settings } from '../../settings/settings.js';
import { createProcessAnnouncer } from '../../stages/llm/rollout/announce-process.js';
import { createRolledOutVariants } from '../../stages/llm/rollout/rolled-out-variants.js';
import type { Stores } from '../../stores/stores.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import { createRolloutAlerts, createRolloutWatch, type RolloutWatchOptions } from './watch-rollout.js';

/** The parts of a Criticizer that its prompts are made of. */
export interface PromptWiring<Tx> extends Pick<RolloutWatchOptions<Tx>, 'audit' | 'logger' | 'telemetry'> {
  stores: Pick<Stores<Tx>, 'storeId' | 'transaction' | 'documents' | 'samples' | 'now'>;
  settings: Pick<Settings, 'prompts'>;
  /** The host's own, in addition to the built-in ones. */
  more: readonly PromptVariant[] | undefined;
  clock: Clock;
  random: Random;
}

/** What a Criticizer uses of its prompts. */
export interface WiredPrompts {
  /** What jobs are frozen on. */
  variants: PromptVariants;
  /** Says that this process is there, before its first sweep. Never throws. */
  begin(): void;
  /** For each sweep: says that this process is there, and evaluates the gates. */
  duties: readonly (() => Promise<void>)[];
  alerts: AlertSource;
}

/**
 * Puts the prompts of a Criticizer together with their rollout (PR-4 to PR-6). Throws
 * `PROMPT_SCHEMA_UNREADABLE` and `TypeError` for variants that cannot be used.
 */
export function wirePrompts<Tx>(options: PromptWiring<Tx>): WiredPrompts {
  const { stores, settings, audit, clock, random, logger, telemetry } = options;
  const { documents } = stores;
  const known = listPromptVariants(options.more);
  const shared = { documents, storeNow: () => stores.now(), clock };
  const announce = createProcessAnnouncer({ ...shared, names: known.names, random });
  return {
    begin() {
      const failed = (error: unknown): void =>
        logger.warn(
          { event: 'prompt.not_announced', ...errorFacts(error) },
          'this process could not say which prompts it knows; its next sweep does',
        );
      void announce().catch(failed);
    },
    variants: createRolledOutVariants({ ...shared, known }),
    duties: [announce, createRolloutWatch({ stores, prompts: settings.prompts, audit, logger, telemetry })],
    alerts: createRolloutAlerts(documents),
  };
}
