import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { checkedElsewhere } from '../foundation/option-checks.js';
import type { LlmProvider, TokenCounter } from './llm-provider.js';
import { wrapProvider } from './wrap-provider.js';

/** What an encoding of `gpt-tokenizer` has of this: no package is named, so none is needed. */
export interface TokenEncoding {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
}

/** Which encoding counts. */
export interface TokenCounterOptions {
  /** Names the encoding: `o200k_base`. */
  name: string;
  encoding: TokenEncoding;
}

const optionShape: OptionShape<TokenCounterOptions> = { name: checkedElsewhere, encoding: checkedElsewhere };

/** UTF-16 units that are counted at a time: tokenizers are quadratic on one long run of letters. */
const sliceLength = 1_000;

function* sliceText(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + sliceLength - 1);
    // Not between the halves of a character.
    const end = start + sliceLength - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}

/**
 * A counter from an encoding of `gpt-tokenizer`, or of its shape. Long texts are counted in slices
 * of 1,000 characters, which counts up to 1 % too many and stays linear; special tokens such as
 * `<|endoftext|>` count as plain text. Throws `TypeError` for wrong options.
 */
export function createTokenCounter(options: TokenCounterOptions): TokenCounter {
  checkOptions('createTokenCounter', options, optionShape);
  const { name, encoding } = options;
  if (typeof name !== 'string' || name === '') throw new TypeError('createTokenCounter: name: expected a text');
  if (typeof encoding?.countTokens !== 'function')
    throw new TypeError('createTokenCounter: encoding: expected countTokens, as encodings of gpt-tokenizer have it');
  const disallowedSpecial = new Set<string>();
  return {
    name,
    count(text) {
      let tokens = 0;
      for (const slice of sliceText(text)) tokens += encoding.countTokens(slice, { disallowedSpecial });
      return tokens;
    },
  };
}

/** The provider, whose requests are planned by this counter in place of two bytes a token. */
export function withTokenCounter(provider: LlmProvider, tokens: TokenCounter): LlmProvider {
  if (typeof tokens?.count !== 'function')
    throw new TypeError('withTokenCounter: tokens: expected a TokenCounter such as createTokenCounter makes');
  return { ...wrapProvider(provider, {}), tokens };
}
