import {
  createLogSecurityEvents,
  createStaticRecipients,
  type DryRun,
  type DryRunRequest,
  isCriticizerError,
  type Logger,
  type RecipientResolver,
  silentLogger,
} from '@criticizer/core';
import type { Change } from '@criticizer/core/ports';
import { createAllowList, findNewestChanges } from '@criticizer/p4';
import { fetchSecrets, reachServer } from '../compose/configured-parts.js';
import { createRecipients } from '../compose/recipients.js';
import { requireSecrets } from '../compose/require-secrets.js';
import { composeSingleReview, type SingleReview } from '../compose/single-review.js';
import { readServer } from '../config/change-reference.js';
import type { Configuration } from '../config/configuration.js';
import type { ConfiguredServer } from '../config/files.js';
import { UsageError } from '../config/usage-error.js';
import { createCommand, jsonArgument, print, readTerminalConfiguration, type Terminal } from './command-line.js';
import { sumRequests } from './describe-egress.js';

/** Bytes of a request for one token, about: code in English takes 3 to 4. */
const bytesPerToken = 4;
/** Output of one request, about. */
const outputPerRequest = 800;
const dayMs = 86_400_000;
/** Failures that say nothing of the change. */
const outages: ReadonlySet<string> = new Set(['network', 'auth', 'rate_limit', 'upstream']);

/** What the changes of some days would have meant. */
export interface Forecast {
  days: number;
  changes: number;
  /** True where the limit of changes was reached before the days were over. */
  isCut: boolean;
  reviews: number;
  skipped: Readonly<Record<string, number>>;
  requests: number;
  bytes: number;
  secretsWithheld: number;
  inputTokens: number;
  outputTokens: number;
  /** By the prices of the models that would get the requests, in their currency; null where none has one. */
  cost: number | null;
  /** Models that would get requests and have no price: what these cost is not in `cost`. */
  unpriced: readonly string[];
  /** At most: a review with nothing to say makes none. */
  mails: number;
  people: number;
}

async function findPeople(recipients: RecipientResolver, change: Change, signal: AbortSignal): Promise<string[]> {
  const counts = { critical: 0, high: 1, medium: 0, low: 0, info: 0 };
  const paths = change.files.map(({ path }) => path);
  const findings = paths.map((path) => ({ severity: 'critical', path }) as const);
  const found = await recipients.resolve(
    { change, paths, verdict: 'findings', counts, findings, version: 1 },
    { signal },
  );
  return found.map(({ address }) => address);
}

interface ForecastRequest {
  configuration: Configuration;
  server: ConfiguredServer;
  single: SingleReview;
  numbers: readonly number[];
  days: number;
  max: number;
  logger: Logger;
  signal: AbortSignal;
}

/** A dry run; a change that would fail counts as skipped, by its code. */
async function planReview(single: SingleReview, request: DryRunRequest): Promise<DryRun> {
  try {
    return await single.criticizer.dryRun(request);
  } catch (error) {
    if (!isCriticizerError(error) || outages.has(error.category)) throw error;
    return { kind: 'skipped', reason: error.code, detail: error.message };
  }
}

/** Requests and their bytes of one model. */
interface Load {
  requests: number;
  bytes: number;
}

function countTokens({ requests, bytes }: Load): { input: number; output: number } {
  return { input: Math.ceil(bytes / bytesPerToken), output: requests * outputPerRequest };
}

/** What each model would have got, at its own price. */
function sumCost(
  loads: ReadonlyMap<string, Load>,
  { llm }: Configuration['settings'],
): Pick<Forecast, 'cost' | 'unpriced'> {
  const unpriced: string[] = [];
  let cost: number | null = null;
  for (const [id, load] of loads) {
    const price = llm?.budget?.prices?.find(({ provider }) => provider === id);
    const { input, output } = countTokens(load);
    if (price === undefined) unpriced.push(id);
    else cost = (cost ?? 0) + (input * price.inputPerMillion + output * price.outputPerMillion) / 1_000_000;
  }
  return { cost, unpriced };
}

/** Reads changes from the newest on until one is older than the days; sends nothing. */
export async function makeForecast(request: ForecastRequest): Promise<Forecast> {
  const { configuration, server, single, numbers, days, max, signal } = request;
  const { mail } = configuration;
  const recipients =
    mail === null ? createStaticRecipients([]) : createRecipients(mail, request.logger, single.readers);
  const since = Date.now() - days * dayMs;
  const skipped: Record<string, number> = {};
  const people = new Set<string>();
  const loads = new Map<string, Load>();
  const sum = { changes: 0, reviews: 0, requests: 0, bytes: 0, secretsWithheld: 0, mails: 0 };
  let isCut = numbers.length >= max;
  for (const number of [...numbers].reverse()) {
    const run = await planReview(single, { serverId: server.serverId, number, signal });
    const change = single.fetched();
    if (change !== null && change.changedAt.getTime() < since) {
      isCut = false;
      break;
    }
    sum.changes += 1;
    if (run.kind === 'skipped') {
      skipped[run.reason] = (skipped[run.reason] ?? 0) + 1;
      continue;
    }
    const { requests, bytes, secretsWithheld } = sumRequests(run.requests);
    sum.reviews += 1;
    sum.requests += requests;
    sum.bytes += bytes;
    sum.secretsWithheld += secretsWithheld;
    for (const { provider, bytes: size } of run.requests) {
      const before = loads.get(provider) ?? { requests: 0, bytes: 0 };
      loads.set(provider, { requests: before.requests + 1, bytes: before.bytes + size });
    }
    const mailed = change === null ? [] : await findPeople(recipients, change, signal);
    sum.mails += mailed.length;
    for (const address of mailed) people.add(address);
  }
  const { input: inputTokens, output: outputTokens } = countTokens(sum);
  const cost = sumCost(loads, configuration.settings);
  return { days, ...sum, isCut, skipped, inputTokens, outputTokens, ...cost, people: people.size };
}

function describeCost({ cost, unpriced, requests }: Forecast, models: Configuration['models']): string {
  if (requests === 0) return 'none: nothing would be sent';
  const unknown = unpriced.map((id) => {
    const prefix = models.find((model) => model.id === id)?.prefix ?? 'LLM_';
    return `unknown for ${id}: set ${prefix}PRICE_INPUT and ${prefix}PRICE_OUTPUT`;
  });
  return [...(cost === null ? [] : [`about ${cost.toFixed(2)}`]), ...unknown].join('; ');
}

function describeForecast(forecast: Forecast, serverId: string, models: Configuration['models']): string {
  const { skipped } = forecast;
  const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  const row = (name: string, text: string | number): string => `  ${name.padEnd(10)} ${text}`;
  return [
    `Server ${serverId}, submitted changes of the last ${forecast.days} days; nothing was sent`,
    row('changes', `${forecast.changes} inside ALLOW${forecast.isCut ? '; --max was reached, there are more' : ''}`),
    row('reviews', forecast.reviews),
    row('skipped', reasons.length === 0 ? 'none' : reasons.join(', ')),
    row('requests', `${forecast.requests}, ${Math.ceil(forecast.bytes / 1_000)} kB`),
    row('secrets', `${forecast.secretsWithheld} withheld`),
    row(
      'tokens',
      `about ${forecast.inputTokens} in, ${forecast.outputTokens} out (${bytesPerToken} bytes a token, ${outputPerRequest} out a request)`,
    ),
    row('cost', describeCost(forecast, models)),
    row('mails', `at most ${forecast.mails}, to ${forecast.people} people`),
    'Shelves come on top; the server lists none of the past.',
  ].join('\n');
}

function readWhole(name: string, text: string, most: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1 || value > most)
    throw new UsageError([`--${name}: expected a whole number from 1 to ${most}`]);
  return value;
}

/** Says what the changes of the last days would have meant. */
export const forecast = (terminal: Terminal) =>
  createCommand(
    {
      name: 'forecast',
      description: 'Reads the changes of the last days and says what reviews of them would have cost.',
    },
    {
      days: { type: 'string', description: 'How many days back.', default: '7', valueHint: 'N' },
      max: { type: 'string', description: 'Most changes to read.', default: '200', valueHint: 'N' },
      server: { type: 'string', description: 'serverId, where several servers are configured.', valueHint: 'ID' },
      ...jsonArgument,
    },
    async (args) => {
      const configuration = readTerminalConfiguration(terminal);
      const server = readServer(configuration, args.server);
      const [days, max] = [readWhole('days', args.days, 365), readWhole('max', args.max, 1_000)];
      const { signal } = terminal;
      const logger = silentLogger;
      await requireSecrets(fetchSecrets(configuration, server));
      const single = await composeSingleReview({ configuration, server, logger });
      const reach = { ...reachServer(server, configuration), securityEvents: createLogSecurityEvents(logger), logger };
      const allowList = createAllowList({ allow: server.allow });
      const numbers = await findNewestChanges({ ...reach, allowList }, { max, signal });
      const found = await makeForecast({ configuration, server, single, numbers, days, max, logger, signal });
      print(
        terminal,
        args,
        { serverId: server.serverId, ...found },
        describeForecast(found, server.serverId, configuration.models),
      );
      return 0;
    },
  );
