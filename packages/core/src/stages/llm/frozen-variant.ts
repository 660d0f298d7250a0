import { CriticizerError } from '../../foundation/errors.js';
import {
  nameVariant,
  type PromptVariant,
  type PromptVariants,
  type VariantSubject,
} from '../../prompt/prompt-variant.js';
import type { StageContext } from '../../worker/run/stage.js';
import type { ReviewJob } from '../job/review-job.js';

/** An output of a review job: not an artifact's id, but the name of the prompt variant that the job is frozen on. */
export const frozenVariant = 'llm.variant';

/**
 * The variant of the job. The first llm run chooses it and commits its name, together with what
 * `more` gives, before anything is asked; every later run, in whichever process, goes on with it.
 * Throws `LLM_VARIANT_UNKNOWN` (policy), which parks, where this process does not have the job's
 * variant, what `choose` rejects with, and what a checkpoint throws.
 */
export async function freezeVariant(
  variants: PromptVariants,
  subject: VariantSubject,
  context: Pick<StageContext<ReviewJob>, 'outputs' | 'checkpoint'>,
  more: (chosen: PromptVariant) => Readonly<Record<string, string>> = () => ({}),
): Promise<PromptVariant> {
  const name = context.outputs()[frozenVariant];
  if (name === undefined) {
    const chosen = await variants.choose(subject);
    await context.checkpoint({ outputs: { [frozenVariant]: nameVariant(chosen), ...more(chosen) } });
    return chosen;
  }
  const found = variants.find(name);
  if (found !== null) return found;
  throw new CriticizerError('LLM_VARIANT_UNKNOWN', 'This process does not have the prompt variant of the job.', {
    category: 'policy',
    parks: true,
    details: { variant: name },
  });
}
