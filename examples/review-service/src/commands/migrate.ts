import { createGrantScript } from '@criticizer/queue-pg';
import { migrateStores } from '../compose/migrate-stores.js';
import { openStores } from '../compose/open-stores.js';
import { readAudit, readDatabase } from '../config/configuration.js';
import { UsageError } from '../config/usage-error.js';
import {
  createCommand,
  createTerminalLogger,
  type ExitCode,
  jsonArgument,
  print,
  readActor,
  reasonArguments,
  type Terminal,
} from './command-line.js';

const roleArguments = {
  owner: { type: 'string', description: '--grants: role that owns the tables, without a login.', valueHint: 'ROLE' },
  app: { type: 'string', description: '--grants: role that the service works as.', valueHint: 'ROLE' },
  auditor: { type: 'string', description: '--grants: role that reads the trail.', valueHint: 'ROLE' },
  keeper: { type: 'string', description: '--grants: role that alone prunes and erases.', valueHint: 'ROLE' },
} as const;

type Roles = { readonly [Role in keyof typeof roleArguments]?: string | undefined };

/** Prints the SQL that gives each role what it needs. */
function printGrants(terminal: Terminal, args: Roles & { json?: boolean | undefined }): ExitCode {
  const database = readDatabase(terminal.env);
  if (database.kind !== 'postgres') throw new UsageError(['--grants: SQLite has no roles']);
  const { owner, app, auditor, keeper } = args;
  const sql = createGrantScript({ schema: database.schema, owner, app, auditor, keeper });
  print(terminal, args, { grants: sql }, sql);
  return 0;
}

/** Applies the migrations, or shows them or the grants. */
export const migrate = (terminal: Terminal) =>
  createCommand(
    { name: 'migrate', description: 'Brings the database to this version.' },
    {
      plan: { type: 'boolean', description: 'Print the SQL and change nothing.' },
      grants: {
        type: 'boolean',
        description: 'Print the SQL of the roles, for a superuser to run, and change nothing.',
      },
      ...roleArguments,
      ...reasonArguments,
      reason: { ...reasonArguments.reason, required: false, default: 'migrate at the terminal' },
      ...jsonArgument,
    },
    async (args) => {
      if (args.grants) return printGrants(terminal, args);
      await using opened = openStores(readDatabase(terminal.env));
      const { stores } = opened;
      const by = { actor: readActor(args), reason: args.reason, logger: createTerminalLogger(terminal) };
      const steps = args.plan
        ? await stores.migrationPlan()
        : (await migrateStores(stores, { audit: readAudit(terminal.env), ...by })).outcome;
      const shown = steps.map(({ sql, ...step }) => ({ ...step, ...(args.plan ? { sql } : {}) }));
      const lines = steps.map(({ module, name, sql }) =>
        args.plan ? `-- ${module} ${name}\n${sql}\n` : `applied ${module} ${name}`,
      );
      print(terminal, args, { [args.plan ? 'plan' : 'applied']: shown }, lines.join('\n') || 'Nothing to apply.');
      return 0;
    },
  );
