import { silentLogger } from '@criticizer/core';
import { migrateStores } from '../compose/migrate-stores.js';
import { openStores } from '../compose/open-stores.js';
import { readAudit, readDatabase } from '../config/configuration.js';
import { createCommand, jsonArgument, print, readActor, reasonArguments, type Terminal } from './command-line.js';

/** Applies the migrations, or shows them. */
export const migrate = (terminal: Terminal) =>
  createCommand(
    { name: 'migrate', description: 'Brings the database to this version.' },
    {
      plan: { type: 'boolean', description: 'Print the SQL and change nothing.' },
      ...reasonArguments,
      reason: { ...reasonArguments.reason, required: false, default: 'migrate at the terminal' },
      ...jsonArgument,
    },
    async (args) => {
      await using opened = openStores(readDatabase(terminal.env));
      const { stores } = opened;
      const by = { actor: readActor(args), reason: args.reason, logger: silentLogger };
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
