// The verbs of a person over a whole change: remove everything of it, or keep everything.
import { setTimeout as delay } from 'node:timers/promises';
import type { Operator } from '@criticizer/core';
import { createFileArtifactStore } from '@criticizer/core/artifacts';
import { buildChangelistId, parseChangelistId } from '@criticizer/core/ports';
import { readChange } from '../config/change-reference.js';
import { readArtifactDirectory } from '../config/configuration.js';
import { UsageError } from '../config/usage-error.js';
import {
  type Command,
  changeArguments,
  createCommand,
  type ExitCode,
  jsonArgument,
  print,
  readActor,
  readTerminalConfiguration,
  reasonArguments,
  type Terminal,
} from './command-line.js';
import { tryConfiguration, withOperator } from './operate.js';

const ofChange = {
  ...changeArguments,
  change: { ...changeArguments.change, description: 'Number of the change, or SERVER/NUMBER.' },
  ...reasonArguments,
  ...jsonArgument,
} as const;

/** `SERVER/NUMBER` works without a configuration, and of a server that is not in it any more. */
export function readChangelistId(terminal: Terminal, args: { change: string; server?: string | undefined }): string {
  const parsed = parseChangelistId(args.change);
  if (parsed !== null) {
    const servers = tryConfiguration(terminal)?.servers;
    if (servers?.some(({ serverId }) => serverId === parsed.serverId) === false)
      terminal.warn(`${parsed.serverId} is no server of the configuration: is it written right?\n`);
    return args.change;
  }
  if (args.change.includes('/')) throw new UsageError(['CHANGE: expected a number, or SERVER/NUMBER']);
  const { server, number } = readChange(readTerminalConfiguration(terminal), args);
  return buildChangelistId({ serverId: server.serverId, number });
}

/** How often the command looks whether the owners of running jobs have given them up. */
const lookEveryMs = 1_000;

/** Removes everything of a change. */
export const purge = (terminal: Terminal): Command =>
  createCommand(
    { name: 'purge', description: 'Removes everything of a change but its audit events; waits for running jobs.' },
    ofChange,
    async (args): Promise<ExitCode> => {
      const changelistId = readChangelistId(terminal, args);
      const artifactStore = createFileArtifactStore({ directory: readArtifactDirectory(terminal.env) });
      const work = async (operator: Operator): Promise<ExitCode> => {
        const request = { changelistId, actor: readActor(args), reason: args.reason };
        const first = await operator.purgeChange(request);
        let done = first;
        while (done.outcome === 'purging' && !terminal.signal.aborted) {
          terminal.warn(
            `waiting: ${done.running} running, ${done.sending} sending, ${done.artifacts} artifacts left\n`,
          );
          await delay(lookEveryMs, undefined, { signal: terminal.signal }).catch(() => undefined);
          if (!terminal.signal.aborted) done = await operator.purgeChange(request);
        }
        const text =
          done.outcome === 'purged'
            ? `Nothing of ${changelistId} is left but its audit events and its egress records without paths.`
            : `The purge of ${changelistId} goes on: the workers finish it.`;
        print(terminal, args, { ...done, audit: first.audit }, `${text} (audit: ${first.audit})`);
        return done.outcome === 'purged' ? 0 : 3;
      };
      return withOperator(terminal, work, { artifactStore });
    },
  );

const holdCommand =
  (name: string, description: string, held: boolean) =>
  (terminal: Terminal): Command =>
    createCommand({ name, description }, ofChange, async (args): Promise<ExitCode> => {
      const request = { changelistId: readChangelistId(terminal, args), held };
      const done = await withOperator(terminal, (operator) =>
        operator.setHold({ ...request, actor: readActor(args), reason: args.reason }),
      );
      const state = held ? 'held: no age and no purge removes anything of it' : 'not held';
      print(terminal, args, done, `${request.changelistId} is ${state}. (audit: ${done.audit})`);
      return done.outcome === 'set' ? 0 : 3;
    });

/** Puts a change under a legal hold. */
export const hold = holdCommand('hold', 'Puts a change under a legal hold, which beats every age and a purge.', true);

/** Releases a change from its hold. */
export const unhold = holdCommand('unhold', 'Releases a change from its legal hold.', false);
