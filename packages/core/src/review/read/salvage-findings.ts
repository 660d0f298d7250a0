import type { RepairedObject } from '../json/repaired-object.js';

/** What is certain of a cut document. */
export interface SalvagedReview {
  value: Record<string, unknown>;
  kept: number;
  lost: number;
}

/**
 * Keeps of a cut reply what is certainly whole: complete elements of the watched array, and
 * top-level values that did not run into the end. A half finding is never kept: a repair that hides
 * loss is worse than none.
 */
export function salvageFindings(read: RepairedObject, watchKey: string): SalvagedReview {
  const value: Record<string, unknown> = { ...read.value };
  if (read.cutKey !== null && read.cutKey !== watchKey) delete value[read.cutKey];
  const list = read.value[watchKey];
  const elements: readonly unknown[] = Array.isArray(list) ? list : [];
  const kept = elements.filter((_, index) => read.elements[index]?.complete === true);
  if (Array.isArray(list)) value[watchKey] = kept;
  return { value, kept: kept.length, lost: elements.length - kept.length };
}
