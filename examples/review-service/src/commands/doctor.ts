import { renderDoctorReport, runP4Doctor } from '@criticizer/p4';
import { checkChats } from '../compose/chat-channels.js';
import { checkCodeReview } from '../compose/code-review-channel.js';
import { neededSecrets, reachServer, writtenFolders } from '../compose/configured-parts.js';
import { openStores } from '../compose/open-stores.js';
import { warnOfPlainHttp } from '../compose/plain-http.js';
import { checkDisk, checkQueue, checkSecrets, readReadiness } from '../http/readiness.js';
import { createCommand, jsonArgument, print, readTerminalConfiguration, type Terminal } from './command-line.js';
import { renderChecks } from './render-checks.js';

/** Looks at what reviews rest on, and changes nothing. */
export const doctor = (terminal: Terminal) =>
  createCommand(
    { name: 'doctor', description: 'Says what is wrong with servers, secrets, database and disk.' },
    jsonArgument,
    async (args) => {
      const configuration = readTerminalConfiguration(terminal, { needsPin: false });
      await using opened = openStores(configuration.database);
      const ready = await readReadiness({
        queue: () => checkQueue(opened.stores),
        secrets: () => checkSecrets(neededSecrets(configuration)),
        disk: () => checkDisk(writtenFolders(configuration), configuration.minFreeBytes),
        ...warnOfPlainHttp(configuration),
        ...checkChats(configuration.channels, terminal.signal),
        ...checkCodeReview(configuration),
      });
      const servers = await Promise.all(
        configuration.servers.map((server) =>
          runP4Doctor({
            ...reachServer(server, configuration),
            serverId: server.serverId,
            allowList: { allow: server.allow },
            skipUsers: configuration.settings.intake?.skipUsers,
            signal: terminal.signal,
          }),
        ),
      );
      const healthy = ready.status === 'ready' && servers.every((report) => report.healthy);
      const checks = renderChecks(ready.checks, configuration.secretPolicy.maxAgeDays);
      const text = `${servers.map(renderDoctorReport).join('\n')}\nService\n${checks}\n`;
      print(terminal, args, { healthy, service: ready.checks, servers }, text);
      return healthy ? 0 : 1;
    },
  );
