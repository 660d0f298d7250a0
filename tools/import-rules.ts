// Who may import whom: the rooms of the design, as rules that `npm run lint` holds.
import { builtinModules } from 'node:module';
import { cruise, type ICruiseResult, type IForbiddenRuleType, type IViolation } from 'dependency-cruiser';

const tests = '\\.test\\.ts$|^(packages|examples)/[^/]+/test/';
const testing = '^packages/[^/]+/src/testing/';
const publicEntry = '^packages/[^/]+/src/index\\.ts$|^packages/[^/]+/src/[^/]+/index\\.ts$';
const foundation = '^packages/core/src/((errors|json|shared-state|secrets/secret|secrets/secret-source)\\.ts$|time/)';
const wiring = '^packages/core/src/criticizer[^/]*\\.ts$'; // criticizer.ts, and its options beside it
const workers = ['^packages/core/src/(leasing|pipeline)/', wiring];
// Loops that live beside what they deliver or clean: named for it, and allowed to use leasing/ (never pipeline/).
const loops = '^packages/core/src/(notify|audit|artifacts|jobs)/.+-(worker|loop|sweeper)\\.ts$';
const npm = (name: string) => `(^|/)node_modules/${name}/`;

/** From `src` (tests excepted) to a third-party package: only one folder may. */
function onlyFrom(folder: string, packageName: string): IForbiddenRuleType {
  return {
    name: `${packageName}-in-one-folder`,
    severity: 'error',
    comment: `only ${folder} imports ${packageName}`,
    from: { path: '^(packages|examples|tools)/', pathNot: [`^${folder}/`, tests, '^examples/', '^tools/'] },
    to: { path: npm(packageName) },
  };
}

export const importRules: readonly IForbiddenRuleType[] = [
  {
    name: 'no-sideways',
    severity: 'error',
    comment: 'p4, queue-* and notify know core and nothing else of ours',
    from: { path: '^packages/((?!core/|redact/)[^/]+)/' },
    to: { path: '^(packages|examples)/', pathNot: ['^packages/$1/', '^packages/core/'] },
  },
  {
    name: 'redact-stands-alone',
    severity: 'error',
    comment: 'redact imports nothing of ours',
    from: { path: '^packages/redact/' },
    to: { path: '^(packages|examples)/', pathNot: '^packages/redact/' },
  },
  {
    name: 'core-knows-no-part',
    severity: 'error',
    comment: 'core imports no other package; its tests may import redact, to hold that it fits the ports',
    from: { path: '^packages/core/', pathNot: tests },
    to: { path: '^(packages|examples)/', pathNot: '^packages/core/' },
  },
  {
    name: 'core-tests-know-only-redact',
    severity: 'error',
    from: { path: '^packages/core/' },
    to: { path: '^(packages|examples)/', pathNot: ['^packages/core/', '^packages/redact/'] },
  },
  {
    name: 'no-path-into-package',
    severity: 'error',
    comment: 'another package is imported by its name, so that its exports map holds',
    from: { path: '^(packages|examples)/([^/]+)/' },
    to: { path: '^(packages|examples)/', pathNot: '^$1/$2/', dependencyTypes: ['local'] },
  },
  {
    name: 'no-path-into-package-from-tools',
    severity: 'error',
    from: { path: '^tools/' },
    to: { path: '^(packages|examples)/', dependencyTypes: ['local'] },
  },
  {
    // Type-only cycles fail too: they run, but two files that need each other's types are one idea in two places.
    name: 'no-cycles',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'ports-know-no-worker',
    severity: 'error',
    comment: 'in core, ports and pure logic import neither leasing/, pipeline/ nor criticizer.ts',
    from: { path: '^packages/core/src/', pathNot: [...workers, loops, publicEntry, testing, tests] },
    to: { path: workers },
  },
  {
    name: 'loops-know-only-leasing',
    severity: 'error',
    comment: 'leasing/ and the loops beside a port know no stage and no wiring',
    from: { path: ['^packages/core/src/leasing/', loops], pathNot: tests },
    to: { path: ['^packages/core/src/pipeline/', wiring] },
  },
  {
    name: 'only-criticizer-wires',
    severity: 'error',
    comment: 'nothing but a public entry imports criticizer.ts',
    from: { path: '^packages/core/src/', pathNot: [wiring, publicEntry, testing, tests] },
    to: { path: wiring },
  },
  {
    name: 'foundation-knows-nothing',
    severity: 'error',
    comment: 'errors, json, shared state, time and the secret type are imported by all and import only each other',
    from: { path: foundation, pathNot: tests },
    to: { path: '^packages/core/src/', pathNot: foundation },
  },
  {
    name: 'testing-is-for-tests',
    severity: 'error',
    comment: 'nothing outside src/testing and tests imports testing/',
    from: { path: '^packages/', pathNot: [testing, tests] },
    to: { path: testing },
  },
  {
    name: 'no-tests-in-source',
    severity: 'error',
    comment: 'source imports no test file and no tool',
    from: { path: '^packages/[^/]+/src/', pathNot: tests },
    to: { path: [tests, '^tools/'] },
  },
  {
    name: 'no-test-runner-in-source',
    severity: 'error',
    comment: 'a contract suite is given its runner',
    from: { path: '^packages/[^/]+/src/', pathNot: tests },
    to: { path: npm('(vitest|@vitest/[^/]+|jest)') },
  },
  {
    name: 'no-folder-index',
    severity: 'error',
    comment: 'folders import each other’s files; an index is for the outside',
    from: { path: '^(packages|examples)/([^/]+)/', pathNot: tests },
    to: { path: '^$1/$2/.+/index\\.ts$' },
  },
  onlyFrom('packages/core/src/http', 'undici'),
  onlyFrom('packages/notify/src/smtp', 'nodemailer'),
  onlyFrom('packages/notify/src/imap', 'imapflow'),
  onlyFrom('packages/core/src/telemetry', '@opentelemetry/api'),
  {
    name: 'declared-dependency',
    severity: 'error',
    comment: 'source imports only what its package.json declares for its users (p-limit is bundled)',
    from: { path: '^packages/[^/]+/src/', pathNot: tests },
    to: {
      path: '(^|/)node_modules/',
      pathNot: npm('p-limit'),
      dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
      dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional'],
    },
  },
  {
    name: 'resolvable',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
];

/**
 * One line for each import that breaks a rule, sorted; empty where all is well. `root` holds
 * packages/, examples/ and tools/.
 */
export async function checkImports(root: string, folders: readonly string[]): Promise<string[]> {
  const result = await cruise(
    [...folders],
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: [...importRules] },
      tsPreCompilationDeps: true, // type-only imports count
      doNotFollow: { path: 'node_modules' },
      exclude: { path: '(^|/)dist/|^tools/consumer/' }, // a host's code: it sees the packed packages
      combinedDependencies: false,
      builtInModules: { override: [...builtinModules, 'sqlite', 'node:sqlite'], add: [] }, // Node 20 lacks it
    },
    // Workspace packages resolve to their sources, as tsc and the tests do.
    {
      bustTheCache: true,
      exportsFields: ['exports'],
      conditionNames: ['criticizer-source', 'import', 'require', 'node', 'default', 'types'],
    } as Parameters<typeof cruise>[2],
  );
  const { summary } = result.output as ICruiseResult;
  return [...new Set(summary.violations.map(line))].sort();
}

function line({ rule, from, to, cycle }: IViolation): string {
  const comment = importRules.find((r) => r.name === rule.name)?.comment;
  const path = cycle ? cycle.map((c) => c.name).join(' -> ') : to;
  return `${rule.name}: ${from} -> ${path}${comment ? ` (${comment})` : ''}`;
}
