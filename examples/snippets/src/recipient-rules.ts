// #region rules
import { createRecipientRules, type Logger, type RecipientResolver } from '@criticizer/core';
import type { ContextReader } from '@criticizer/core/ports';

/** Author and owners, the database team where their files are touched, and a lead for what is grave. */
export function createPeople(reader: ContextReader, logger: Logger): RecipientResolver {
  return createRecipientRules({
    author: 'required', // the default
    reviewers: 'optional',
    owners: { reader, domains: ['example.com'], minSeverity: 'medium' },
    rules: [
      { to: [{ address: 'database@example.com' }], paths: ['//depot/main/db/...', '//depot/....sql'] },
      { to: [{ address: 'lead@example.com', name: 'The lead' }], minSeverity: 'high', required: true },
    ],
    logger,
  });
}
// #endregion
