import { mkdirSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createStaticRecipients, type DryRun, silentLogger } from '@criticizer/core';
import type { ContextReader } from '@criticizer/core/ports';
import { createChannels } from '../compose/channels.js';
import { createMailers, fetchSecrets } from '../compose/configured-parts.js';
import { createRecipients } from '../compose/recipients.js';
import { requireSecrets } from '../compose/require-secrets.js';
import { composeSingleReview } from '../compose/single-review.js';
import { readChange } from '../config/change-reference.js';
import {
  changeArguments,
  createCommand,
  jsonArgument,
  print,
  readTerminalConfiguration,
  type Terminal,
} from './command-line.js';
import { describeChecks, describeDestinations, describeEgress } from './describe-egress.js';

const index = 'dry-run.json';

/** Removes what an earlier dry run wrote: nobody takes an old request for a new one. */
function emptyFolder(out: string): void {
  mkdirSync(out, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(out))
    if (name === index || /^request-\d+\.json$/.test(name)) unlinkSync(join(out, name));
}

/** One body a file, as it would be on the wire, and an index with the digests. For this user alone. */
function writeRun(out: string, run: DryRun): object {
  const write = (name: string, text: string): void => writeFileSync(join(out, name), text, { mode: 0o600, flag: 'wx' });
  const shown =
    run.kind === 'skipped'
      ? run
      : {
          ...run,
          requests: run.requests.map(({ body, ...about }, at) => {
            const file = `request-${at + 1}.json`;
            write(file, body);
            return { file, ...about };
          }),
        };
  write(index, `${JSON.stringify(shown, null, 2)}\n`);
  return shown;
}

/** Shows to the byte what a review would send; no connection to a model is opened (EGR-3). */
export const dryRun = (terminal: Terminal) =>
  createCommand(
    { name: 'dry-run', description: 'Writes what a review of a change would send, and sends nothing.' },
    {
      ...changeArguments,
      out: { type: 'string', description: 'Folder for the bodies.', required: true, valueHint: 'DIR' },
      ...jsonArgument,
    },
    async (args) => {
      const configuration = readTerminalConfiguration(terminal);
      const { server, number } = readChange(configuration, args);
      const logger = silentLogger;
      await requireSecrets(fetchSecrets(configuration, server));
      const { mail } = configuration;
      const recipients = (readers: readonly ContextReader[]) =>
        mail === null ? createStaticRecipients([]) : createRecipients(mail, logger, readers);
      const mailer = mail === null ? undefined : createMailers(configuration);
      const mails = { mailer, recipients, channels: createChannels(configuration) };
      const { criticizer } = await composeSingleReview({ configuration, server, mails, logger });
      const run = await criticizer.dryRun({ serverId: server.serverId, number, signal: terminal.signal });
      const out = resolve(args.out);
      emptyFolder(out);
      const shown = writeRun(out, run);
      if (run.kind === 'skipped') {
        print(terminal, args, shown, `Not reviewed: ${run.reason}. ${run.detail}`);
        return 3;
      }
      const withheld = run.withheldPaths.map(({ path, reason }) => `  not sent: ${path} (${reason})\n`).join('');
      print(
        terminal,
        args,
        shown,
        `Would send ${describeEgress(run, configuration)}${describeChecks(run)}. Nothing was sent.\n${withheld}${describeDestinations(run)}See ${out}.`,
      );
      return 0;
    },
  );
