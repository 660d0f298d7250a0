import { compileDepotRules } from '../../egress/depot-pattern.js';
import { compareSeverity, type Severity } from '../../review/review-result.js';
import { type ChangePeople, checkRecipientRules, type RecipientRulesOptions } from './check-recipient-rules.js';
import { createOwnersFinder } from './owners-finder.js';
import type { Recipient, RecipientRequest, RecipientResolver } from './recipient-resolver.js';

/** True where the review has a finding of that severity or a worse one; always without a severity. */
function isGrave({ counts }: RecipientRequest, minSeverity: Severity | undefined): boolean {
  if (minSeverity === undefined) return true;
  const severities = Object.entries(counts) as [Severity, number][];
  return severities.some(([severity, n]) => n > 0 && compareSeverity(severity, minSeverity) <= 0);
}

/** The paths with a finding of that severity or a worse one; all of them without a severity. */
function gravePaths({ paths, findings }: RecipientRequest, minSeverity: Severity | undefined): readonly string[] {
  if (minSeverity === undefined) return paths;
  const grave = findings.filter(({ severity }) => compareSeverity(severity, minSeverity) <= 0);
  return [...new Set(grave.flatMap(({ path }) => path ?? []))];
}

type Match = (request: RecipientRequest) => boolean;

/** Compiles one fixed list. Throws `TypeError` for a pattern that could match nothing. */
function compileRule(rule: NonNullable<RecipientRulesOptions['rules']>[number]): { matches: Match; to: Recipient[] } {
  const { to, paths, minSeverity, required = false, via, reason = 'configured' } = rule;
  const matcher = paths === undefined ? null : compileDepotRules([{ paths }], false);
  return {
    to: to.map(({ address, name }) => ({ address, name, required, via, reason })),
    matches: (request) =>
      matcher === null
        ? isGrave(request, minSeverity)
        : gravePaths(request, minSeverity).some((path) => matcher.lastMatch(path) === 0),
  };
}

/**
 * Says who gets the mail of a review, by rules (INT-3): the author, required, unless said otherwise;
 * reviewers, owners of the changed paths and fixed lists where they are given. Who is named twice gets
 * one mail; required wins. A file of owners that cannot be read adds nobody, and the log says so once;
 * what a source of reviewers throws, `resolve` throws. Throws `TypeError` for wrong options.
 */
export function createRecipientRules(options: RecipientRulesOptions = {}): RecipientResolver {
  checkRecipientRules(options);
  const { author = 'required', reviewers = 'none', reviewerSource, owners, via } = options;
  const rules = (options.rules ?? []).map(compileRule);
  const findOwners = owners === undefined ? null : createOwnersFinder(owners, options.logger);
  const vias = [...new Set([via, ...rules.flatMap(({ to }) => to.map((one) => one.via))])];

  const toRecipients = (people: readonly ChangePeople[], duty: 'required' | 'optional', reason: string): Recipient[] =>
    people.map(({ address, name }) => ({ address, name, required: duty === 'required', via, reason }));

  return {
    vias: vias.filter((one) => one !== undefined),
    async resolve(request, { signal }) {
      const { change } = request;
      const { userMail, user: name } = change;
      const found: Recipient[] = [];
      if (author !== 'none' && userMail !== null)
        found.push(...toRecipients([{ address: userMail, name }], author, 'author'));
      if (reviewers !== 'none') {
        const named = reviewerSource?.find(request, { signal }) ?? change.reviewerMails.map((address) => ({ address }));
        found.push(...toRecipients(await named, reviewers, 'reviewer'));
      }
      if (findOwners !== null && owners !== undefined) {
        const paths = gravePaths(request, owners.minSeverity);
        const addresses = paths.length === 0 ? [] : await findOwners({ change, paths }, signal);
        found.push(
          ...toRecipients(
            addresses.map((address) => ({ address })),
            owners.required === true ? 'required' : 'optional',
            'owner',
          ),
        );
      }
      for (const { matches, to } of rules) if (matches(request)) found.push(...to.map((one) => ({ ...one })));
      return found;
    },
  };
}
