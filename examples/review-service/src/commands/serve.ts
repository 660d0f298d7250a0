import { neededSecrets } from '../compose/configured-parts.js';
import { runService } from '../compose/run-service.js';
import { UsageError } from '../config/usage-error.js';
import { checkSecrets } from '../http/readiness.js';
import {
  createCommand,
  createProcessLogger,
  type ExitCode,
  readTerminalConfiguration,
  type Terminal,
} from './command-line.js';

async function run(terminal: Terminal, roles: { intake: boolean; work: boolean }): Promise<ExitCode> {
  const configuration = readTerminalConfiguration(terminal);
  const { missing } = await checkSecrets(neededSecrets(configuration));
  if (missing !== undefined)
    throw new UsageError(
      missing.map(({ secret, code }) => `${secret}: ${code}; expected a file of mode 0600 or 0400 with the secret`),
    );
  const logger = createProcessLogger(configuration.logLevel);
  await runService(configuration, roles, { logger, signal: terminal.signal });
  return 0;
}

/** Takes changes in, and works on them unless `--no-work`. */
export const serve = (terminal: Terminal) =>
  createCommand(
    { name: 'serve', description: 'Watches, takes triggers, reviews and mails, until it is stopped.' },
    { work: { type: 'boolean', default: true, negativeDescription: 'Leave the reviews to worker processes.' } },
    ({ work }) => run(terminal, { intake: true, work }),
  );

/** Works on what other processes take in. */
export const worker = (terminal: Terminal) =>
  createCommand({ name: 'worker', description: 'Reviews and mails what serve took in, until it is stopped.' }, {}, () =>
    run(terminal, { intake: false, work: true }),
  );
