import type { StructuredMode } from './llm-provider.js';

/** Strongest first: what a rejected schema or an unparsable reply falls back to (ruling R8). */
export const modeLadder: readonly StructuredMode[] = ['json_schema', 'tool', 'json_object', 'prompt'];

/** The strongest mode of a provider. Throws `TypeError` for a provider without one. */
export function strongestMode(modes: readonly StructuredMode[]): StructuredMode {
  const found = modeLadder.find((mode) => modes.includes(mode));
  if (found === undefined) throw new TypeError('strongestMode: expected at least one structured mode');
  return found;
}

/** The next weaker mode that the provider has, or null at the bottom. */
export function nextMode(current: StructuredMode, modes: readonly StructuredMode[]): StructuredMode | null {
  return modeLadder.slice(modeLadder.indexOf(current) + 1).find((mode) => modes.includes(mode)) ?? null;
}
