import type { LlmProvider } from './llm-provider.js';

/** The provider under the same name and limits, with other calls in place of its own. */
export function wrapProvider(
  provider: LlmProvider,
  calls: Partial<Pick<LlmProvider, 'prepare' | 'send'>>,
): LlmProvider {
  return {
    contract: 1,
    id: provider.id,
    model: provider.model,
    host: provider.host,
    limits: provider.limits,
    modes: provider.modes,
    extraBody: provider.extraBody,
    tokens: provider.tokens,
    prepare: (request, options) => provider.prepare(request, options),
    send: (prepared, options) => provider.send(prepared, options),
    ...calls,
  };
}
