import { errorFacts, type Job, type Stores, silentLogger } from '@criticizer/core';
import { buildChangelistId, type Change } from '@criticizer/core/ports';
import { createChannels } from '../compose/channels.js';
import { createMailers } from '../compose/configured-parts.js';
import { openStores } from '../compose/open-stores.js';
import { composeSingleReview } from '../compose/single-review.js';
import { readChange } from '../config/change-reference.js';
import type { Configuration } from '../config/configuration.js';
import type { ConfiguredServer } from '../config/files.js';
import {
  changeArguments,
  createCommand,
  jsonArgument,
  print,
  readTerminalConfiguration,
  type Terminal,
} from './command-line.js';
import { describeJob, type JobFacts } from './describe-job.js';

/** How long the Perforce server may take: what is stored is shown without it. */
const serverMs = 10_000;

/** The change as the server has it now, or the code of what is in the way. */
async function readNow(
  configuration: Configuration,
  server: ConfiguredServer,
  number: number,
  signal: AbortSignal,
): Promise<Change | string> {
  try {
    const single = await composeSingleReview({ configuration, server, logger: silentLogger });
    const outcome = await single.fetch(number, AbortSignal.any([signal, AbortSignal.timeout(serverMs)]));
    return outcome.kind === 'change' ? outcome.change : outcome.reason;
  } catch (error) {
    return errorFacts(error).code;
  }
}

async function readFacts(
  stores: Stores<unknown>,
  job: Job,
  now: Pick<JobFacts, 'mailers'> & { change: Change | string },
): Promise<JobFacts> {
  const [egress, mails, letters] = await Promise.all([
    stores.egress.list({ jobId: job.id, destination: 'llm' }),
    stores.outbox.list({ jobId: job.id }),
    stores.deadLetters.list({ jobId: job.id, limit: 1 }),
  ]);
  return { job, egress, mails, letter: letters[0] ?? null, ...now };
}

/** Says where the reviews of a change stand, newest version first. */
export const why = (terminal: Terminal) =>
  createCommand(
    { name: 'why', description: 'Says where the review of a change stands, and why.' },
    { ...changeArguments, ...jsonArgument },
    async (args) => {
      const configuration = readTerminalConfiguration(terminal);
      const { server, number } = readChange(configuration, args);
      await using opened = openStores(configuration.database);
      const { stores } = opened;
      const changelistId = buildChangelistId({ serverId: server.serverId, number });
      const jobs = await stores.jobs.list({ changelistId, kind: 'review' });
      const change = await readNow(configuration, server, number, terminal.signal);
      if (jobs.length === 0) {
        const now = typeof change === 'string' ? change : `${change.kind} by ${change.user}`;
        const text = `No review of ${changelistId} is stored: it was not seen, is outside ALLOW, or was removed after its retention. The server says: ${now}.`;
        print(terminal, args, { changelistId, versions: [] }, text);
        return 3;
      }
      const mailers = [...createMailers(configuration), ...createChannels(configuration)].map(({ id }) => id);
      const facts = await Promise.all(jobs.map((job) => readFacts(stores, job, { change, mailers })));
      const now = await stores.now();
      const versions = facts.map(({ job, egress, mails, letter }) => ({ job, egress, mails, letter }));
      print(terminal, args, { changelistId, versions }, facts.map((fact) => describeJob(fact, now)).join('\n'));
      return 0;
    },
  );
