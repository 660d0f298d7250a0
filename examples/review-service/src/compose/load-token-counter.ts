import { createRequire } from 'node:module';
import type { Logger } from '@criticizer/core';
import { createTokenCounter, type TokenCounter, type TokenEncoding } from '@criticizer/core/llm';
import type { ModelConfiguration } from '../config/model-variables.js';
import { UsageError } from '../config/usage-error.js';

/** Loads a module of `gpt-tokenizer`, which a host installs or not. Throws Node's errors. */
export type LoadModule = (name: string) => TokenEncoding;

/** By Node alone, at run time: no bundler must look for an optional package. */
const loadModule: LoadModule = createRequire(import.meta.url);

const notThere: ReadonlySet<unknown> = new Set(['MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED']);

function findModule(name: string, load: LoadModule): TokenEncoding | null {
  try {
    return load(name);
  } catch (error) {
    if (notThere.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

/** The model as OpenAI names it; null for a name that is none. Servers of open models put the vendor before it. */
function readModelName(model: string): string | null {
  const name = model.replace(/^openai\//, '');
  return /^[a-z0-9][a-z0-9.-]*$/.test(name) ? name : null;
}

/**
 * What counts the tokens of a model's prompts, by `LLM_TOKENIZER`; null: two bytes count as one until
 * replies tell more. Throws `UsageError` where an encoding is named and `gpt-tokenizer` has none of
 * that name or is not installed.
 */
export function loadTokenCounter(
  { model, tokenizer, prefix }: Pick<ModelConfiguration, 'model' | 'tokenizer' | 'prefix'>,
  logger: Pick<Logger, 'info'>,
  load: LoadModule = loadModule,
): TokenCounter | null {
  if (tokenizer === 'none') return null;
  const name = tokenizer === 'auto' ? readModelName(model) : tokenizer;
  if (name === null) return null;
  const encoding = findModule(`gpt-tokenizer/${tokenizer === 'auto' ? 'model' : 'encoding'}/${name}`, load);
  if (encoding === null) {
    if (tokenizer === 'auto') return null;
    throw new UsageError([`${prefix}TOKENIZER: needs gpt-tokenizer with ${name}: npm install gpt-tokenizer`]);
  }
  logger.info(
    { event: 'service.token_counter.loaded', model, tokenizer: name },
    'tokens of prompts are counted by gpt-tokenizer',
  );
  return createTokenCounter({ name, encoding });
}
