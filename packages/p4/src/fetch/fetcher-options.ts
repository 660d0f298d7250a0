import { checkBoolean, checkedElsewhere, checkOptions, type OptionShape, optional } from '@criticizer/core/internal';
import type { P4ClientOptions } from '../client/p4-client.js';
import { clientShape, scopeShape } from '../policy/option-shapes.js';
import type { DeniedPaths } from '../policy/path-policy.js';
import { checkServerScope, type ServerScope } from '../policy/server-scope.js';

/** Which server changes are read from, what of it may be read, and how much. */
export interface P4ChangeFetcherOptions extends P4ClientOptions, ServerScope {
  /** For changes that touch other paths as well. Default `refuse`: the change fails with `P4_PATH_DENIED`. */
  deniedPaths?: DeniedPaths | undefined;
  /** A change with more files is skipped for `size`. Default 10 000. */
  maxChangeFiles?: number | undefined;
  /**
   * Encoding tried for files and descriptions that are not UTF-8, such as `windows-1252`. Default:
   * none, such a file is skipped as `undecodable`.
   */
  legacyEncoding?: string | undefined;
  /**
   * False: the fetcher reads no mail addresses from the server, which saves a process or two a
   * change; recipients come from elsewhere. Default true.
   */
  mailAddresses?: boolean | undefined;
  /** True where the Perforce user has list access to every file: then a change counts as seen whole. Default false. */
  hasFullListAccess?: boolean | undefined;
}

const optionShape: OptionShape<P4ChangeFetcherOptions> = {
  ...clientShape,
  ...scopeShape,
  deniedPaths: checkedElsewhere,
  maxChangeFiles: checkedElsewhere,
  legacyEncoding: checkedElsewhere,
  mailAddresses: optional(checkBoolean),
  hasFullListAccess: optional(checkBoolean),
};

/** The default of `maxChangeFiles`. */
export const defaultMaxChangeFiles = 10_000;

/** Throws TypeErrors that name the option. */
export function checkFetcherOptions(options: P4ChangeFetcherOptions, name = 'createP4ChangeFetcher'): void {
  checkOptions(name, options, optionShape);
  checkServerScope(options);
  if (options.deniedPaths !== undefined && options.deniedPaths !== 'refuse' && options.deniedPaths !== 'omit') {
    throw new TypeError("deniedPaths: expected 'refuse' or 'omit'");
  }
  const { maxChangeFiles = defaultMaxChangeFiles } = options;
  if (!Number.isSafeInteger(maxChangeFiles) || maxChangeFiles < 1)
    throw new TypeError('maxChangeFiles: expected a whole number >= 1');
}
