/** SHA-256, hex. Allowed values are kept and compared by it: a policy object that is logged or dumped tells none. */
export function digest(value: string): string {
  // Loaded by the first digest: it takes longer than the redactor itself, and a text without a secret needs none.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(value).digest('hex');
}
