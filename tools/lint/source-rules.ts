// What no import graph shows: casts that forge a proof, escapes from the compiler and the linter,
// an index or a door where no entry is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../list-files.js';

interface TextRule {
  name: string;
  pattern: RegExp;
  why: string;
  /** Paths the rule leaves alone. */
  except?: RegExp | undefined;
}

const textRules: readonly TextRule[] = [
  {
    name: 'no-forged-redacted-text',
    pattern: /\bas\s+RedactedText\b|(?<![\w$])<RedactedText>/,
    why: 'redactForLlm mints them; a cast forges one',
  },
  {
    name: 'no-forged-redacted-text',
    pattern: /['"`]criticizer\.redacted-text['"`]/,
    why: 'an object of its shape is not one',
    except:
      /^packages\/core\/src\/(foundation\/redacted-text\.ts$|testing\/)|\.test\.ts$|^(packages|examples)\/[^/]+\/test\//,
  },
  {
    name: 'mint-only-in-egress-and-artifacts',
    pattern: /\bmintRedactedText\b/,
    why: 'only egress/ and artifacts/ of core mint redacted text',
    except:
      /^packages\/core\/src\/(egress\/|artifacts\/|foundation\/redacted-text\.ts$)|\.test\.ts$|^packages\/[^/]+\/test\//,
  },
  {
    name: 'mint-module-by-name',
    pattern: /(import|export)\s*\*(\s*as\s+\w+)?\s*from\s*'[^']*redacted-text\.js'/,
    why: 'import the names you need: a namespace hides the minting function',
  },
  {
    name: 'logs-facts-not-errors',
    // An error as the fields, one spread into them, or one as a member; its message in the text of the line.
    pattern:
      /[lL]ogger\??\.(?:debug|info|warn|error)\(\s*(?:(?:error|err|cause|reason)\b|\{[^}]*(?:\.\.\.(?:error|err|cause)\b|\b(?:error|err|cause)\s*[,}:](?!:)|\b(?:error|err|cause)\.message\b)|String\((?:error|err))/,
    why: 'a message may quote a secret: log errorFacts(error)',
    except: /\.test\.ts$|^(examples|bench)\/|\/test\//,
  },
  { name: 'no-unchecked-cast', pattern: /\bas\s+(any|unknown\s+as)\b/, why: 'the compiler must see it' },
  { name: 'no-compiler-escape', pattern: /@ts-(ignore|nocheck)|biome-ignore/, why: 'fix the cause' },
];

const isForTheOutside = /^packages\/[^/]+\/src\/((.+\/)?index\.ts$|doors\/)/;

/** One line for each breach under packages/, examples/ and bench/src/, sorted; empty where all is well. */
export function checkSources(root: string): string[] {
  const files = ['packages', 'examples', 'bench/src'].flatMap((folder) => listFiles(root, folder, '.ts'));
  const texts = files.flatMap((file) => brokenTextRules(file, readFileSync(join(root, file), 'utf8')));
  const entries = new Set(
    listFiles(root, 'packages', '/package.json').flatMap((manifest) => publicSources(root, manifest)),
  );
  const strays = files.filter((file) => isForTheOutside.test(file) && !entries.has(file));
  const indexes = strays.map(
    (file) => `index-is-a-public-entry: ${file} (in no exports map; folders import each other's files)`,
  );
  return [...texts, ...indexes].sort();
}

function brokenTextRules(file: string, text: string): string[] {
  return textRules.flatMap(({ name, pattern, why, except }) => {
    const at = except?.test(file) ? null : pattern.exec(text);
    return at ? [`${name}: ${file}:${text.slice(0, at.index).split('\n').length} (${why})`] : [];
  });
}

function publicSources(root: string, manifest: string): string[] {
  const { exports = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as {
    exports?: Record<string, string | object>;
  };
  const sources = Object.values(exports).flatMap((e) =>
    typeof e === 'object' && 'criticizer-source' in e ? [String(e['criticizer-source'])] : [],
  );
  return sources.map((file) => manifest.replace('package.json', file.replace('./', '')));
}
