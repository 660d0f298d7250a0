import type { ContextReader } from '../../changes/context-reader.js';
import { checkFields, checkOptions, type OptionCheck, type OptionShape } from '../../foundation/check-options.js';
import {
  checkArray,
  checkBoolean,
  checkedElsewhere,
  checkName,
  nested,
  observerShape,
  oneOf,
  optional,
  withMethods,
} from '../../foundation/option-checks.js';
import { parseRecipient } from '../../outbox/recipient-key.js';
import { SEVERITIES, type Severity } from '../../review/review-result.js';
import type { Logger } from '../../telemetry/logger.js';
import type { RecipientRequest } from './recipient-resolver.js';

/** One person of a change. */
export interface ChangePeople {
  address: string;
  name?: string | undefined;
}

/** Names the reviewers of a change where its own server does not: of a review tool, or a directory. */
export interface ReviewerSource {
  /** Each address once is enough. `signal` aborts with the job, or once `mail.recipientsTimeoutMs` is over. */
  find(request: RecipientRequest, options: { signal: AbortSignal }): Promise<readonly ChangePeople[]>;
}

/** Owners by path. */
export interface OwnersOptions {
  /**
   * `createP4ContextReader`, one for each server: it reads the files as they were before the change, by
   * its allow-list. Changes of other servers have no owners.
   */
  reader: ContextReader | readonly ContextReader[];
  /**
   * Domains of owners, at least one. An address outside of them is left out and counted in the log:
   * whoever may write the file must not send mails anywhere.
   */
  domains: readonly string[];
  /** Name of the files, looked for in the folder of each path and above it. Default `OWNERS`. */
  fileName?: string | undefined;
  /** Only owners of files with a finding of this severity or a worse one. Default: of every file. */
  minSeverity?: Severity | undefined;
  /** Default false. */
  required?: boolean | undefined;
}

/** A fixed list, and when it gets a mail: where all that is given fits. */
export interface RecipientRule {
  /** 1 to 100. */
  to: readonly ChangePeople[];
  /**
   * Depot patterns as in `review.rules`, case ignored: the change touches one. With `minSeverity`, such
   * a finding lies there.
   */
  paths?: readonly string[] | undefined;
  /** The review has a finding of this severity or a worse one. */
  minSeverity?: Severity | undefined;
  /** Default false. */
  required?: boolean | undefined;
  /** Id of a mailer. Default: the first one. */
  via?: string | undefined;
  /** Default `configured`. It stands in the mail, also in one that may name no path. */
  reason?: string | undefined;
}

/** Who gets the mail of a review. */
export interface RecipientRulesOptions {
  /** The change's user, by the address that its server has. Default `required`. */
  author?: 'required' | 'optional' | 'none' | undefined;
  /** Those whom the change's server names, or `reviewerSource`. Default `none`. */
  reviewers?: 'required' | 'optional' | 'none' | undefined;
  /** Default: what the change says (`reviewerMails`). */
  reviewerSource?: ReviewerSource | undefined;
  owners?: OwnersOptions | undefined;
  /** At most 200. */
  rules?: readonly RecipientRule[] | undefined;
  /** Id of the mailer of author, reviewers and owners. Default: the first one. */
  via?: string | undefined;
  /** Says what was left out. Default: nothing. */
  logger?: Logger | undefined;
}

const duty = optional(oneOf('required', 'optional', 'none'));
const severity = optional(oneOf(...SEVERITIES));

const list =
  (most: number, check: OptionCheck): OptionCheck =>
  (option, value) => {
    checkArray(option, value);
    const items = value as readonly unknown[];
    if (items.length === 0 || items.length > most) throw new TypeError(`${option}: expected 1 to ${most} of them`);
    for (const [at, item] of items.entries()) check(`${option}[${at}]`, item);
  };

const checkAddress: OptionCheck = (option, value) => {
  try {
    parseRecipient(value as string);
  } catch {
    throw new TypeError(`${option}: expected one plain address`);
  }
};

/** As an address in it would be made: `a@domain`. */
const checkDomain: OptionCheck = (option, value) => {
  checkName(option, value);
  checkAddress(option, `a@${String(value)}`);
};

const checkFileName: OptionCheck = (option, value) => {
  if (typeof value !== 'string' || !/^[A-Za-z0-9._-]{1,64}$/.test(value) || /^\.{1,2}$/.test(value))
    throw new TypeError(`${option}: expected a file name of letters, digits, dots, dashes or underscores`);
};

const reader: OptionCheck = (option, value) => {
  const readers = Array.isArray(value) ? value : [value];
  list(100, withMethods('open'))(option, readers);
};

const ownersShape: OptionShape<OwnersOptions> = {
  reader,
  domains: list(200, checkDomain),
  fileName: optional(checkFileName),
  minSeverity: severity,
  required: optional(checkBoolean),
};

const ruleShape: OptionShape<RecipientRule> = {
  to: list(100, nested<ChangePeople>({ address: checkAddress, name: checkedElsewhere })),
  paths: optional(list(1_000, checkName)),
  minSeverity: severity,
  required: optional(checkBoolean),
  via: optional(checkName),
  reason: optional(checkName),
};

/** Throws `TypeError` naming the option. Patterns are checked where they are compiled. */
export function checkRecipientRules(options: RecipientRulesOptions): void {
  checkOptions<RecipientRulesOptions>('createRecipientRules', options, {
    author: duty,
    reviewers: duty,
    reviewerSource: optional(withMethods('find')),
    owners: optional(nested(ownersShape)),
    rules: optional((option, value) => {
      list(200, (at, rule) => checkFields(at, rule as RecipientRule, ruleShape))(option, value);
    }),
    via: optional(checkName),
    logger: observerShape.logger,
  });
  if (options.reviewerSource !== undefined && (options.reviewers ?? 'none') === 'none')
    throw new TypeError('createRecipientRules: reviewerSource: reviewers is none; say required or optional');
}
