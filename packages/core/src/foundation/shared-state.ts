/**
 * One value for the whole process, whichever copy or module format of the SDK asks first (DESIGN:
 * several copies must agree).
 */
export function sharedState<T extends object>(name: string, create: () => T): T {
  const key = Symbol.for(name);
  const found = (globalThis as Record<symbol, unknown>)[key];
  if (found !== undefined) return found as T;
  const made = create();
  Object.defineProperty(globalThis, key, { value: made, enumerable: false, writable: false, configurable: false });
  return made;
}
