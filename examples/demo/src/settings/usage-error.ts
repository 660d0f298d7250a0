/** A mistake in an argument or a setting, as one clear line for a person; the process ends with 2. */
export class UsageError extends Error {}
