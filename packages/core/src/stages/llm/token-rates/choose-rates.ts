import { z } from 'zod';
import type { RedactedChange } from '../../../changes/redacted-change.js';
import { classifyFailure } from '../../../foundation/failures/failure.js';
import type { LlmProvider } from '../../../llm/llm-provider.js';
import { DEFAULT_BYTES_PER_TOKEN } from '../../../prompt/plan-chunks.js';
import type { PromptTemplate } from '../../../prompt/prompt-variant.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { RateCalibration } from './calibrate-rate.js';
import { measureRate } from './measure-rate.js';

/** An output of a review job: not an artifact's id, but the bytes a token that its plans are made with. */
export const frozenRates = 'llm.token-rates';

/** Bytes a token, for plans. */
export type TokenRates = (provider: Pick<LlmProvider, 'id' | 'model'>) => number;

/** What rates are chosen by. */
export interface RateOptions {
  providers: readonly LlmProvider[];
  change: RedactedChange;
  template: PromptTemplate;
  calibration: RateCalibration;
  /** Warned where a counter fails. Left out: nobody is. */
  logger?: Pick<Logger, 'warn'> | undefined;
}

const ratesSchema = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'expected JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), z.number().positive()));
const keyOf = ({ id, model }: Pick<LlmProvider, 'id' | 'model'>): string => JSON.stringify([id, model]);

function chooseRate(provider: LlmProvider, { change, template, calibration, logger }: RateOptions): number {
  if (provider.tokens === undefined) return calibration.read(provider);
  try {
    const rate = measureRate(change, template, provider.tokens);
    if (rate > 0) return rate;
  } catch (error) {
    const { code } = classifyFailure(error);
    logger?.warn(
      { event: 'llm.token_counter_failed', provider: provider.id, errorCode: code },
      'a token counter failed; two bytes count as a token',
    );
  }
  return DEFAULT_BYTES_PER_TOKEN;
}

/**
 * The rates of a new job as text, to be frozen with it: by the counter of a provider, else by what
 * the usage of earlier replies taught. A plan must not change between the runs of a job, or replies
 * that it has would not be found again.
 */
export function chooseRates(options: RateOptions): string {
  const rates = options.providers.map((provider) => [
    keyOf(provider),
    // Rounded down, so that the text is short and the same everywhere.
    Math.max(0.01, Math.floor(chooseRate(provider, options) * 100) / 100),
  ]);
  return JSON.stringify(Object.fromEntries(rates));
}

/** Reads frozen rates; two bytes a token for a provider that they do not name, and where there are none. */
export function readRates(text: string | undefined): TokenRates {
  const read = ratesSchema.safeParse(text);
  const rates = new Map(read.success ? Object.entries(read.data) : []);
  return (provider) => rates.get(keyOf(provider)) ?? DEFAULT_BYTES_PER_TOKEN;
}
