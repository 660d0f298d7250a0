import type Fs from 'node:fs';
import { createRequire } from 'node:module';
import type Url from 'node:url';
import type { TextReader } from './load-text-reader.js';
import { RULES_VERSION } from './rules/rules-version.js';

const file = locate();
let loaded: TextReader | undefined;

/**
 * A bundle without that file is found out at its start, not by its first text. Where a test stands
 * in for the file system, nothing is known.
 */
function locate(): URL {
  const here: string | undefined = import.meta.url; // undefined where a bundler made CommonJS of it
  const beside = here === undefined ? undefined : new URL('./text-reader.cjs', import.meta.url);
  // Required, not imported: an import of node:fs asks for all that it exports, and so loads
  // streams, which takes longer than the rest of this package.
  if (beside !== undefined && (createRequire(beside)('node:fs') as typeof Fs).existsSync(beside) !== false)
    return beside;
  throw new Error(
    `text-reader.cjs is missing beside ${here ?? 'this bundle'}: leave @criticizer/redact out of the bundle, or bundle it with the export condition 'module'`,
  );
}

/**
 * What reads texts, loaded by the first one: as ES modules in Node take it, where reading that file
 * is most of what a start would take.
 */
export const loadTextReader = (): TextReader => {
  loaded ??= read();
  return loaded;
};

function read(): TextReader {
  const require = createRequire(file);
  const { fileURLToPath } = require('node:url') as typeof Url;
  const found = require(fileURLToPath(file)) as TextReader;
  if (found.RULES_VERSION === RULES_VERSION) return found;
  throw new Error(
    `${file} was replaced while this process ran: restart it, so that what is redacted is not stamped with another version's rules`,
  );
}
