import type { JsonValue } from '../../foundation/json.js';
import { defineKey } from './strict-json.js';

export interface JsonBounds {
  maxDepth: number;
  /** Values of any kind, containers included. */
  maxNodes: number;
  /** Characters of text and keys in all. */
  maxCharacters: number;
}

/**
 * A copy of what a model sent, if it keeps within bounds; null where it does not. Numbers JSON
 * cannot carry become null; a key `__proto__` is left out.
 */
export function boundJson(value: unknown, bounds: JsonBounds): { copy: JsonValue } | null {
  const left = { nodes: bounds.maxNodes, characters: bounds.maxCharacters };
  const fits = (text: string): boolean => {
    left.characters -= text.length;
    return left.characters >= 0;
  };
  const walk = (node: unknown, depth: number): JsonValue | undefined => {
    left.nodes -= 1;
    if (left.nodes < 0 || depth > bounds.maxDepth) return undefined;
    if (typeof node === 'string') return fits(node) ? node : undefined;
    if (typeof node === 'number') return Number.isFinite(node) ? node : null;
    if (typeof node === 'boolean') return node;
    if (typeof node !== 'object' || node === null) return null;
    return Array.isArray(node) ? walkArray(node, depth) : walkObject(node, depth);
  };
  const walkArray = (node: readonly unknown[], depth: number): JsonValue | undefined => {
    const out: JsonValue[] = [];
    for (const element of node) {
      const copied = walk(element, depth + 1);
      if (copied === undefined) return undefined;
      out.push(copied);
    }
    return out;
  };
  const walkObject = (node: object, depth: number): JsonValue | undefined => {
    const out: Record<string, JsonValue> = {};
    for (const [key, member] of Object.entries(node)) {
      if (key === '__proto__') continue;
      const copied = fits(key) ? walk(member, depth + 1) : undefined;
      if (copied === undefined) return undefined;
      defineKey(out, key, copied);
    }
    return out;
  };
  const copy = walk(value, 0);
  return copy === undefined ? null : { copy };
}
