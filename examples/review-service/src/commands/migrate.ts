import { openStores } from '../compose/open-stores.js';
import { readDatabase } from '../config/configuration.js';
import { createCommand, jsonArgument, print, type Terminal } from './command-line.js';

/** Applies the migrations, or shows them. */
export const migrate = (terminal: Terminal) =>
  createCommand(
    { name: 'migrate', description: 'Brings the database to this version.' },
    { plan: { type: 'boolean', description: 'Print the SQL and change nothing.' }, ...jsonArgument },
    async (args) => {
      await using opened = openStores(readDatabase(terminal.env));
      const steps = args.plan ? await opened.stores.migrationPlan() : await opened.stores.migrate();
      const shown = steps.map(({ sql, ...step }) => ({ ...step, ...(args.plan ? { sql } : {}) }));
      const lines = steps.map(({ module, name, sql }) =>
        args.plan ? `-- ${module} ${name}\n${sql}\n` : `applied ${module} ${name}`,
      );
      print(terminal, args, { [args.plan ? 'plan' : 'applied']: shown }, lines.join('\n') || 'Nothing to apply.');
      return 0;
    },
  );
