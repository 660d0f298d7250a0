/** What a reader sees of a row's key, and what a comment is looked up by: the server knows no key of ours. */
export function referenceOf(key: string): string {
  return `[crz:${key.slice(0, 12)}]`;
}

/** As `referenceOf` makes them. */
export const referenceForm = /^\[crz:[0-9a-f]{12}\]$/;

/** The references of a comment: those of its last line, which is ours. All above it is text of others. */
export function readReferences(comment: string): readonly string[] {
  const text = comment.trimEnd();
  return text.slice(text.lastIndexOf('\n') + 1).match(/\[crz:[0-9a-f]{12}\]/g) ?? [];
}

/** Whether a comment is signed with one of the references. */
export function hasReference(comment: string, references: readonly string[]): boolean {
  return readReferences(comment).some((one) => references.includes(one));
}
