/** What a path says about which files belong with its own. */
interface PathTraits {
  folder: readonly string[];
  /** File name in lower case, without extension and without what marks a test. */
  stem: string;
  /** Last extension in lower case, without its dot. */
  extension: string;
  isTest: boolean;
  /** The path with the locale in it left out; null where it names none. */
  withoutLocale: string | null;
}

const HEADERS: ReadonlySet<string> = new Set(['h', 'hh', 'hpp', 'hxx', 'inl', 'ipp']);
const IMPLEMENTATIONS: ReadonlySet<string> = new Set(['c', 'cc', 'cpp', 'cxx', 'm', 'mm']);
/** Names that say nothing outside their folder. */
const GENERIC: ReadonlySet<string> = new Set(['', 'index', 'main', 'mod', '__init__', 'types', 'utils', 'helpers']);
/** More files of one name in a change tell nothing about which two belong together. */
const MAX_NAMESAKES = 50;

/** Foo.test.ts, foo_test.go, FooTests.cs, test_foo.py. */
const TEST_ENDING = /(?:[._-](?:unit)?(?:tests?|specs?|e2e)|(?<=[a-z0-9])(?:Tests?|Specs?))$/;
const TEST_BEGINNING = /^tests?_/i;

const LANGUAGES =
  'ar|bg|bn|ca|cs|da|de|el|en|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|lt|lv|ms|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv|ta|th|tr|uk|ur|vi|zh';
const LOCALE = `(?:${LANGUAGES})(?:[-_](?:r?[A-Z]{2}|[A-Z][a-z]{3}|[0-9]{3}))?`;
const LOCALE_STEP = new RegExp(`^(?:${LOCALE}|values(?:-${LOCALE})?|${LOCALE}\\.lproj)$`);
const LOCALE_ENDING = new RegExp(`[._-]${LOCALE}$`);
const LOCALISED: ReadonlySet<string> = new Set(
  'json properties yml yaml po xml strings resx ini ftl arb csv txt md'.split(' '),
);

function dropLocale(folder: readonly string[], base: string, extension: string): string | null {
  if (!LOCALISED.has(extension)) return null;
  const name = LOCALE_STEP.test(base) ? '*' : base.replace(LOCALE_ENDING, '');
  return [...folder.map((step) => (LOCALE_STEP.test(step) ? '*' : step)), `${name}.${extension}`].join('/');
}

function readTraits(path: string): PathTraits {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  const dot = name.lastIndexOf('.');
  const extension = dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
  const base = dot <= 0 ? name : name.slice(0, dot);
  const bare = base.replace(TEST_ENDING, '').replace(TEST_BEGINNING, '');
  return {
    folder: steps,
    stem: bare.toLowerCase(),
    extension,
    isTest: bare !== base,
    withoutLocale: dropLocale(steps, base, extension),
  };
}

function isNative(extension: string): boolean {
  return HEADERS.has(extension) || IMPLEMENTATIONS.has(extension);
}

/**
 * Whether `other`, of the same stem in another folder, is the source of the test `one`, or the header
 * of the implementation `one`.
 */
function isPartner(one: PathTraits, other: PathTraits): boolean {
  if (other.isTest) return false;
  if (!one.isTest) return IMPLEMENTATIONS.has(one.extension) && HEADERS.has(other.extension);
  return one.extension === other.extension || (isNative(one.extension) && isNative(other.extension));
}

function countShared(a: readonly string[], b: readonly string[]): number {
  const end = a.findIndex((step, at) => step !== b[at]);
  return end === -1 ? a.length : end;
}

/** The partner of `one` among its namesakes in other folders: the nearest; null where several are. */
function findNearest(one: PathTraits, namesakes: readonly [number, PathTraits][]): number | null {
  const partners = namesakes
    .filter(([, other]) => isPartner(one, other))
    .map(([at, other]) => ({ at, shared: countShared(one.folder, other.folder) }))
    .sort((a, b) => b.shared - a.shared);
  const [first, second] = partners;
  return first === undefined || first.shared === second?.shared ? null : first.at;
}

function collect<Key>(entries: Iterable<[number, Key]>): readonly (readonly number[])[] {
  const lists = new Map<Key, number[]>();
  for (const [at, key] of entries) {
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [at]);
    else list.push(at);
  }
  return [...lists.values()];
}

/** Sets that are joined pair by pair; each is named by its first member. */
function createJoiner(count: number): { join(a: number, b: number): void; leaderOf(one: number): number } {
  const leaders = Array.from({ length: count }, (_, at) => at);
  const leaderOf = (one: number): number => {
    let at = one;
    for (let above = leaders[at] ?? at; above !== at; above = leaders[at] ?? at) {
      leaders[at] = leaders[above] ?? above;
      at = above;
    }
    return at;
  };
  const join = (a: number, b: number): void => {
    const [one, other] = [leaderOf(a), leaderOf(b)];
    leaders[Math.max(one, other)] = Math.min(one, other);
  };
  return { join, leaderOf };
}

/**
 * Which files of a change belong together: files of one stem in one folder, a header and its
 * implementation, a test and its source, the locales of one text. Gives for each path the place of
 * the first one of its group. Pure and deterministic; a wrong guess costs nothing but the order in
 * which files are shown.
 */
export function groupFiles(paths: readonly string[]): readonly number[] {
  const traits = paths.map(readTraits);
  const { join, leaderOf } = createJoiner(paths.length);
  const joinAll = (lists: readonly (readonly number[])[]): void => {
    for (const list of lists) for (const at of list) join(list[0] ?? at, at);
  };
  joinAll(collect(traits.map(({ folder, stem }, at) => [at, [...folder, stem].join('/')])));
  joinAll(collect(traits.flatMap(({ withoutLocale: key }, at) => (key === null ? [] : [[at, key]]))));
  for (const list of collect(traits.map(({ stem }, at) => [at, stem]))) {
    if (list.length < 2 || list.length > MAX_NAMESAKES) continue;
    const namesakes = list.flatMap((at): [number, PathTraits][] =>
      traits[at] === undefined ? [] : [[at, traits[at]]],
    );
    if (namesakes.some(([, { stem }]) => GENERIC.has(stem))) continue;
    for (const [at, one] of namesakes) {
      const partner = findNearest(
        one,
        namesakes.filter(([other, { folder }]) => other !== at && folder.join('/') !== one.folder.join('/')),
      );
      if (partner !== null) join(at, partner);
    }
  }
  return paths.map((_, at) => leaderOf(at));
}
