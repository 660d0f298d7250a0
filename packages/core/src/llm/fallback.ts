import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { oneOf, optional } from '../foundation/option-checks.js';
import type { LlmProvider } from './llm-provider.js';

/** Providers that stand in for each other. Made by `createFallback`. */
export interface LlmFallback {
  readonly kind: 'fallback';
  readonly providers: readonly [LlmProvider, ...LlmProvider[]];
  readonly onRefusal: 'stop' | 'next';
}

/** What a fallback does besides standing in for failures. */
export interface FallbackOptions {
  /**
   * After a model, or a filter before it, refused: `stop` takes the refusal for the answer; `next`
   * gives the refused files to the next provider that may see them. Default `stop`.
   */
  onRefusal?: 'stop' | 'next' | undefined;
}

const optionShape: OptionShape<FallbackOptions> = { onRefusal: optional(oneOf('stop', 'next')) };

function isProvider(value: unknown): boolean {
  const { prepare, send } = (value ?? {}) as { prepare?: unknown; send?: unknown };
  return typeof prepare === 'function' && typeof send === 'function' && !isFallback(value);
}

function checkProviders(providers: readonly LlmProvider[]): void {
  if (!Array.isArray(providers)) throw new TypeError('createFallback: providers: expected an array of LlmProviders');
  const places = new Map<string, number>();
  for (const [at, provider] of providers.entries()) {
    const option = `createFallback: providers[${at}]`;
    if (!isProvider(provider))
      throw new TypeError(`${option}: expected an LlmProvider with prepare and send; a list or a fallback is none`);
    if (typeof provider.id !== 'string') throw new TypeError(`${option}.id: expected a string`);
    const taken = places.get(provider.id);
    if (taken !== undefined)
      throw new TypeError(`${option}.id: expected one of its own, "${provider.id}" is that of providers[${taken}]`);
    places.set(provider.id, at);
  }
}

/**
 * Providers in order, each with a breaker of its own: where one is out of reach, overloaded, out of
 * quota or refuses its key, the next one that may see the paths answers, and no attempt is spent.
 * The chunks that are left are planned again for that model. The review never goes from a provider
 * inside the house to one outside unless `egress.policy` names that one for every path: else it
 * waits. A provider says where it is by `host`; one that does not counts as outside. Throws
 * `TypeError` for fewer than two providers, for two of one id, for what is no provider (a fallback
 * is none) and for wrong options.
 */
export function createFallback(providers: readonly LlmProvider[], options: FallbackOptions = {}): LlmFallback {
  checkOptions('createFallback', options, optionShape);
  checkProviders(providers);
  const [first, second, ...more] = providers;
  if (first === undefined || second === undefined)
    throw new TypeError('createFallback: providers expects at least two providers');
  return { kind: 'fallback', providers: [first, second, ...more], onRefusal: options.onRefusal ?? 'stop' };
}

/** True for what `createFallback` gives. */
export function isFallback(value: unknown): value is LlmFallback {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'fallback';
}
