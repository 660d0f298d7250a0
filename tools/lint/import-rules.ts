// Who may import whom: the rooms of the design, as rules that `npm run lint` holds.
import { builtinModules } from 'node:module';
import { cruise, type ICruiseResult, type IForbiddenRuleType, type IViolation } from 'dependency-cruiser';

const tests = '\\.test\\.ts$|^(packages|examples)/[^/]+/test/';
const testing = '^packages/[^/]+/src/testing/';
const publicEntry = '^packages/[^/]+/src/index\\.ts$|^packages/[^/]+/src/[^/]+/index\\.ts$|^packages/[^/]+/src/doors/';
export interface PackageRooms {
  /**
   * From the ground up: a room imports only rooms that stand before it. A name that ends in .ts is a
   * file; a name with a slash is a folder of a folder, which may be a room itself for the rest of
   * its files.
   */
  rooms: readonly string[];
  /** Rooms that know less than their place allows. */
  narrow?: Readonly<Record<string, readonly string[]>>;
  /** Files that every room may import. */
  files?: readonly string[];
}

/**
 * A settlement commits a job with its mails, artifacts and samples, so jobs import those; the rest know
 * `shared` alone.
 */
const queueRooms: PackageRooms = {
  rooms: ['shared', 'artifacts', 'outbox', 'review', 'jobs', 'audit'],
  narrow: { outbox: ['shared'], audit: ['shared'], review: ['shared'] },
};

/** The rooms of each package's `src`. The README of each says what lives there. */
export const packageRooms: Readonly<Record<string, PackageRooms>> = {
  core: {
    rooms: [
      ...['foundation', 'settings', 'telemetry', 'secrets', 'http', 'stores', 'memory', 'audit', 'audit/sinks'],
      ...['worker/retry', 'worker/lease', 'worker/run', 'worker/wiring', 'audit/delivery', 'audit/seal'],
      ...['artifacts', 'outbox', 'pager', 'alerts', 'changes', 'outline', 'llm', 'review', 'egress', 'prompt', 'links'],
      ...['stages/recipients', 'stages/job', 'stages/intake', 'stages/fetch', 'stages/llm', 'stages/notify'],
      'formats',
      'operate',
      ...['criticizer-options.ts', 'check-criticizer-options.ts', 'criticizer-interface.ts', 'criticizer.ts'],
    ],
    narrow: {
      settings: [],
      telemetry: ['foundation'],
      http: ['foundation', 'telemetry'],
      secrets: ['foundation', 'telemetry'],
      stores: ['foundation', 'telemetry'],
      memory: ['foundation', 'stores'],
      audit: ['foundation', 'telemetry', 'stores'],
      'audit/sinks': ['foundation', 'telemetry', 'secrets', 'http', 'stores'],
      'worker/retry': ['foundation', 'telemetry', 'stores'],
      'worker/lease': ['foundation', 'telemetry'],
      'worker/run': ['foundation', 'telemetry', 'stores', 'worker/retry', 'worker/lease'],
      'worker/wiring': ['foundation', 'settings', 'telemetry', 'stores', 'worker/retry', 'worker/lease', 'worker/run'],
      'audit/delivery': [
        'foundation',
        'settings',
        'telemetry',
        'stores',
        'audit',
        'audit/sinks',
        'worker/retry',
        'worker/lease',
        'worker/wiring',
      ],
      'audit/seal': ['foundation', 'telemetry', 'secrets', 'stores', 'audit', 'worker/lease', 'worker/wiring'],
      artifacts: ['foundation', 'telemetry', 'secrets', 'stores', 'audit', 'worker/lease'],
      outbox: ['foundation', 'settings', 'telemetry', 'stores', 'artifacts', 'worker/retry', 'worker/lease'],
      pager: ['foundation', 'secrets', 'http', 'audit/sinks', 'outbox'],
      alerts: [
        'foundation',
        'settings',
        'telemetry',
        'stores',
        'audit',
        'worker/retry',
        'worker/lease',
        'audit/delivery',
        'pager',
      ],
      links: ['foundation', 'secrets'],
      changes: ['foundation'],
      outline: [],
      llm: ['foundation', 'secrets', 'http'],
      review: ['foundation', 'changes', 'llm'],
      egress: ['foundation', 'telemetry', 'http', 'stores', 'llm'],
      prompt: ['foundation', 'outline', 'changes', 'review'],
      'stages/recipients': ['foundation', 'telemetry', 'outbox', 'changes', 'review', 'egress'],
      'stages/job': [
        'foundation',
        'stores',
        'worker/retry',
        'worker/run',
        'artifacts',
        'changes',
        'llm',
        'egress',
        'prompt',
        'stages/recipients',
      ],
      'stages/intake': ['foundation', 'stores', 'outbox', 'changes', 'stages/recipients', 'stages/job'],
      'stages/fetch': [
        'foundation',
        'settings',
        'telemetry',
        'stores',
        'worker/run',
        'artifacts',
        'changes',
        'outline',
        'stages/job',
        'stages/intake',
      ],
      'stages/llm': [
        'foundation',
        'settings',
        'telemetry',
        'stores',
        'worker/run',
        'artifacts',
        'changes',
        'llm',
        'review',
        'egress',
        'prompt',
        'stages/job',
      ],
      'stages/notify': [
        'foundation',
        'settings',
        'telemetry',
        'stores',
        'worker/run',
        'artifacts',
        'outbox',
        'changes',
        'review',
        'links',
        'stages/recipients',
        'stages/job',
        'stages/llm',
      ],
      formats: ['foundation', 'review', 'stages/llm'],
    },
  },
  p4: {
    rooms: ['containment', 'client', 'policy', 'fetch', 'context', 'watch', 'doctor', 'swarm', 'runner'],
    narrow: {
      context: ['client', 'policy', 'fetch'],

      swarm: ['client', 'policy', 'fetch', 'watch'],
      runner: ['client', 'policy'],
    },
  },
  notify: {
    rooms: ['rendering', 'outbox', 'smtp', 'imap', 'p4-code-review', 'chat', 'slack', 'teams', 'webhook'],
    narrow: {
      outbox: [],
      smtp: [],
      imap: [],
      'p4-code-review': ['rendering'],
      chat: ['rendering'],
      slack: ['rendering', 'chat'],
      teams: ['rendering', 'chat'],
      webhook: ['rendering'],
    },
    files: [
      ...['encoded-words.ts', 'envelope-sender.ts', 'key-header.ts', 'loopback.ts', 'option-shapes.ts'],
      'unsent-request.ts',
    ],
  },
  'llm-ai-sdk': {
    rooms: [
      'ai-sdk-model.ts',
      'model-headers.ts',
      'model-fetch.ts',
      'read-result.ts',
      'capture-request.ts',
      'ai-sdk-calls.ts',
      'ai-sdk-provider.ts',
    ],
    narrow: {
      'model-headers.ts': [],
      'model-fetch.ts': [],
      'read-result.ts': [],
      'capture-request.ts': ['ai-sdk-model.ts', 'model-headers.ts', 'model-fetch.ts'],
    },
  },
  'queue-pg': queueRooms,
  'queue-sqlite': queueRooms,
  redact: {
    rooms: ['lexicon', 'grammar', 'scan', 'policy', 'rules', 'session', 'structured', 'redactor.ts'],
    narrow: {
      scan: ['lexicon'],
      policy: ['lexicon'],
      rules: ['lexicon', 'grammar', 'policy'],
      'redactor.ts': ['grammar', 'policy', 'rules', 'session'],
    },
    files: ['check-options.ts', 'redaction-error.ts'],
  },
};

/** The rooms, and the files that stand as one, which a room may import of its package besides `files`. */
export function allowedRooms({ rooms, narrow = {} }: PackageRooms, room: string): readonly string[] {
  return narrow[room] ?? rooms.slice(0, rooms.indexOf(room));
}

/** One rule a room: what it may import of its package. */
function roomRules(): IForbiddenRuleType[] {
  return Object.entries(packageRooms).flatMap(([name, of]) => {
    const { rooms, files = [] } = of;
    const source = `^packages/${name}/src/`;
    // The files of a room within a room are not the outer one's.
    const inner = (room: string) =>
      rooms.filter((one) => one.startsWith(`${room}/`)).map((one) => one.slice(room.length + 1));
    const folder = (room: string) => `${room}/${inner(room).length === 0 ? '' : `(?!(${inner(room).join('|')})/)`}`;
    const pathTo = (room: string) => `${source}${room.endsWith('.ts') ? `${room.replace('.', '\\.')}$` : folder(room)}`;
    return rooms.map((room) => {
      const allowed = allowedRooms(of, room);
      return {
        name: `${name}-${room.replace('/', '-').replace('.ts', '')}-direction`,
        severity: 'error' as const,
        comment: `in ${name}, ${room} imports only ${allowed.join(', ') || 'itself'}`,
        from: { path: pathTo(room), pathNot: [tests, publicEntry] },
        to: { path: source, pathNot: [pathTo(room), ...[...allowed, ...files].map(pathTo)] },
      };
    });
  });
}
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
  ...roomRules(),
  {
    name: 'scanner-behind-one-door',
    severity: 'error',
    comment: 'the WebAssembly engine of redact is used through trigger-scanner.ts',
    from: { path: '^packages/redact/src/', pathNot: ['^packages/redact/src/scan/', tests] },
    to: {
      path: '^packages/redact/src/scan/',
      pathNot: '^packages/redact/src/scan/trigger-scanner\\.ts$',
    },
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
    comment: 'folders import each other’s files; an index and a door are for the outside',
    from: { path: '^(packages|examples)/([^/]+)/', pathNot: tests },
    to: { path: ['^$1/$2/.+/index\\.ts$', '^$1/$2/src/doors/'] },
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
      pathNot: [npm('p-limit'), npm('@types/sarif')], // types alone: nothing of them is left in what is published
      dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
      dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional'],
    },
  },
  {
    name: 'resolvable',
    severity: 'error',
    from: { pathNot: '^tools/parity/' }, // outside the workspace: installed on demand
    to: { couldNotResolve: true, pathNot: '^sarif$' }, // types alone, of @types/sarif
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
      // Hosts' code, which sees the packed packages, and what a build that runs now writes for a moment.
      exclude: { path: '(^|/)dist/|^tools/pack/consumer/|^examples/nest-host/|/tsup\\.config\\.bundled_' },
      combinedDependencies: false,
      builtInModules: { override: [...builtinModules, 'sqlite', 'node:sqlite'], add: [] }, // Node 20 lacks it
    },
    // Workspace packages resolve to their sources, as tsc and the tests do.
    {
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
