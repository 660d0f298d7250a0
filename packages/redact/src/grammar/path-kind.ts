import { type AccountLayout, accountLayoutOf, mayHoldAccounts } from './account-layout.js';

/**
 * What a file's name says about its text: `lock` lock files; `opaque` minified code, styles, vector
 * images, maps, messages in the languages of the world: only unmistakable shapes count there;
 * `config` unquoted values are values; `source` unquoted words are identifiers; `unknown`
 * everything else, prose included.
 */
export type PathKind = 'lock' | 'opaque' | 'config' | 'source' | 'unknown';

/** Kinds of texts in which only unmistakable shapes count. */
export const QUIET_KINDS: readonly PathKind[] = ['lock', 'opaque'];

const LOCK_NAMES = new Set(
  (
    'package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock composer.lock gemfile.lock cargo.lock poetry.lock ' +
    'pipfile.lock uv.lock pdm.lock go.sum go.work.sum flake.lock packages.lock.json project.assets.json podfile.lock package.resolved mix.lock ' +
    'pubspec.lock gradle.lockfile cartfile.resolved paket.lock conan.lock chart.lock .terraform.lock.hcl module.bazel.lock'
  ).split(' '),
);

const KIND_BY_EXTENSION = new Map<string, PathKind>([
  ...extensions(
    'config',
    'env ini cfg cnf conf config properties toml yaml yml json json5 jsonc xml plist tfvars hcl tf',
  ),
  ...extensions(
    'config',
    'sh bash zsh fish ps1 psm1 bat cmd envrc netrc pgpass npmrc pypirc htpasswd p4config p4enviro p4tickets service secrets inf rsc reg rdp ovpn nmconnection xcconfig tfstate asset prefab csv',
  ),
  ...extensions(
    'source',
    'ts tsx mts cts js jsx mjs cjs py pyi rb php java kt kts scala groovy cs vb fs go rs c h cc cpp cxx hpp hh m mm swift',
  ),
  ...extensions(
    'source',
    'lua pl pm inc r jl dart ex exs erl hrl tcl zig nim cr coffee ml mli sv vhd f90 adb ads lisp el scm ejs hs clj cljs sql html htm vue svelte razor cshtml jsp twig phtml as pas inl ipp usf hlsl glsl',
  ),
  ...extensions('opaque', 'svg css scss less map wasm woff pdf po pot arb xlf xliff'),
]);

const CONFIG_NAMES = new Set(
  'dockerfile containerfile .npmrc .netrc _netrc .pgpass .dockercfg .htpasswd .p4config .p4enviro p4config.txt .p4tickets p4tickets.txt credentials config .my.cnf chap-secrets pap-secrets sasl_passwd fstab kubeconfig .s3cfg .smbcredentials .boto .git-credentials .pypirc'.split(
    ' ',
  ),
);

/** `.muttrc`, `.curlrc`: what a program of that name reads first. */
const RUN_COMMANDS = /^\.[a-z\d_-]{2,24}rc$/;

function extensions(kind: PathKind, list: string): [string, PathKind][] {
  return list.split(' ').map((extension) => [extension, kind]);
}

/**
 * Folders of messages; and folders that may hold more, of which a file or folder is named for a
 * language: `pt-BR`, `zh_Hans`.
 */
const MESSAGES = [
  /(?:^|[/\\])(?:i18n|l10n|_?locales?|translations?|lc_messages)[/\\](?:[\w.-]+[/\\]){0,4}[\w.-]+\.(?:json(?:\.m?js)?|ya?ml|properties|toml)$/i,
  /(?:^|[/\\])(?:i18n|l10n|locales?|lang(?:uage)?s?|translations?|nls)[/\\](?:[\w.-]+[/\\]){0,4}?[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?(?:[/\\][\w.-]+)?\.(?:json|ya?ml|properties|txt|php)$/,
];
const MAY_HOLD_MESSAGES = /\.(?:php|txt|json\.m?js)(?:[#@]|$)/;
/** Enough of a path to tell. */
const LONGEST_TAIL = 160;

/** What a path says of a text: its kind, and how its lines hold accounts. */
export interface PathReading {
  kind: PathKind;
  layout: AccountLayout | undefined;
}

/** What a name says by itself, and what is to be read off the whole path. */
interface NameReading {
  kind: PathKind;
  mayHoldMessages: boolean;
  mayHoldAccounts: boolean;
}

const MAX_KNOWN = 10_000;
const MAX_KNOWN_LENGTH = 128;
/** By the names of files: a tree has the same few again and again. */
const known = new Map<string, NameReading>();

/** Reads a local or depot path; a revision (`#7`, `@1234`) at its end is ignored. Of no path the kind is `unknown`. */
export function readPath(path: string | undefined): PathReading {
  if (path === undefined) return { kind: 'unknown', layout: undefined };
  let start = path.length;
  while (start > 0 && path.charCodeAt(start - 1) !== 47 && path.charCodeAt(start - 1) !== 92) start -= 1;
  const name = path.slice(start);
  const reading = known.get(name) ?? readName(name);
  return {
    kind: reading.mayHoldMessages && holdsMessages(path) ? 'opaque' : reading.kind,
    layout: reading.mayHoldAccounts ? accountLayoutOf(path) : undefined,
  };
}

function readName(name: string): NameReading {
  const kind = kindOfName(withoutRevision(name.toLowerCase()));
  const reading = {
    kind,
    mayHoldMessages: kind === 'config' || MAY_HOLD_MESSAGES.test(name),
    mayHoldAccounts: mayHoldAccounts(name),
  };
  if (name.length > MAX_KNOWN_LENGTH) return reading;
  if (known.size >= MAX_KNOWN) known.clear();
  // Under a copy: a slice keeps its whole path in memory.
  known.set(Buffer.from(name).toString(), reading);
  return reading;
}

function kindOfName(name: string): PathKind {
  if (LOCK_NAMES.has(name) || name.endsWith('.lock') || /^package-lock[\w-]*\.json$/.test(name)) return 'lock';
  if (name.endsWith('.min.js') || name.endsWith('.min.mjs') || name.endsWith('.bundle.js')) return 'opaque';
  if (CONFIG_NAMES.has(name) || name.startsWith('.env') || name.startsWith('dockerfile.') || RUN_COMMANDS.test(name))
    return 'config';
  const dot = name.lastIndexOf('.');
  return (dot < 0 ? undefined : KIND_BY_EXTENSION.get(name.slice(dot + 1))) ?? 'unknown';
}

function holdsMessages(path: string): boolean {
  const tail = withoutRevision(path.slice(-LONGEST_TAIL));
  return MESSAGES.some((pattern) => pattern.test(tail));
}

function withoutRevision(name: string): string {
  const revision = name.search(/[#@][^.]*$/);
  return revision > 0 ? name.slice(0, revision) : name;
}
