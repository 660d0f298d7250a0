/** What a reader sees of a row's key, and what a comment is looked up by: the server knows no key of ours. */
export function referenceOf(key: string): string {
  return `[crz:${key.slice(0, 12)}]`;
}

/** As `referenceOf` makes them. */
export const referenceForm = /^\[crz:[0-9a-f]{12}\]$/;
