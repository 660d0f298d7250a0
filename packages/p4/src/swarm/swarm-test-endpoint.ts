import { checkOptions, type OptionShape, observerShape, withMethods } from '@criticizer/core/internal';
import { isCriticizerError, type Logger, silentLogger } from '@criticizer/core/ports';
import { z } from 'zod';
import { namedSecret } from '../policy/option-shapes.js';
import { maxChangeNumber } from '../policy/server-scope.js';
import {
  type AuthorizedCall,
  type CallerSecret,
  createHttpEndpoint,
  type EndpointAnswer,
  type HttpEndpoint,
  parseJson,
} from '../watch/http-endpoint.js';
import type { ChangeIntake } from '../watch/intake-options.js';
import type { SwarmReports } from './swarm-reports.js';

/** What an endpoint for test runs of P4 Code Review needs. */
export interface SwarmTestEndpointOptions {
  /** A watcher's own, or one of `createChangeIntake`. */
  intake: Pick<ChangeIntake, 'take'>;
  reports: SwarmReports;
  secret: CallerSecret;
  logger?: Logger | undefined;
}

const optionShape: OptionShape<SwarmTestEndpointOptions> = {
  intake: withMethods('take'),
  reports: withMethods('request'),
  secret: namedSecret,
  logger: observerShape.logger,
};

const maxBodyBytes = 16 * 1_024;
/** The words as text or, in JSON, as the numbers they are. */
const whole = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^[1-9][0-9]{0,9}$/)
      .transform(Number),
  ])
  .pipe(z.int().min(1).max(maxChangeNumber));
const unused = z.union([z.string().max(2_048), z.int()]).optional();

/** What P4 Code Review puts in place of `{change}`, `{status}`, `{review}`, `{version}` and `{update}`. */
const callSchema = z.strictObject({
  change: whole,
  status: z.enum(['shelved', 'submitted', 'committed']),
  review: whole,
  version: whole,
  update: z.string(),
  // Accepted, so that one body serves several tests, and not used: whoever calls them is told by `update`.
  test: unused,
  testRunId: unused,
  pass: unused,
  fail: unused,
});

/**
 * Takes the calls of a test of P4 Code Review (Swarm): the change is submitted as a watcher or a
 * trigger would, and the review's end is posted to the test run's update URL by a job of `reports`.
 * What is answered with 200 is stored, the report included; a repeat is harmless. The words may
 * stand in the URL, in a form or in a JSON body; the number and the update URL are all that is
 * believed, and the latter only on the configured server.
 */
export function createSwarmTestEndpoint(options: SwarmTestEndpointOptions): HttpEndpoint {
  checkOptions('createSwarmTestEndpoint', options, optionShape);
  const { intake, reports, secret, logger = silentLogger } = options;

  async function take({ change, update }: z.infer<typeof callSchema>): Promise<EndpointAnswer> {
    reports.server.checkUpdateUrl(update); // before anything is stored
    const [seen] = await intake.take([change], { seenBy: 'code-review', isInReview: true });
    const { outcome = 'not-found', jobId = null, reviewVersion = null } = seen ?? {};
    await reports.request(update, { change, ...(jobId === null ? { reason: outcome } : { jobId }) });
    return [200, { outcome, reviewVersion }];
  }

  return createHttpEndpoint({
    secret,
    methods: ['POST', 'GET'],
    maxBodyBytes,
    logger,
    async answer(call) {
      const words = readWords(call);
      if (words === 'media-type')
        return [415, { error: 'expected a body of application/json or application/x-www-form-urlencoded' }];
      const read = callSchema.safeParse(words);
      if (!read.success)
        return [
          400,
          { error: 'expected change, status, review, version and update, once each', words: wordsAtFault(read.error) },
        ];
      try {
        return await take(read.data);
      } catch (error) {
        if (isCriticizerError(error) && error.code === 'SWARM_UPDATE_REFUSED') return [403, { error: error.code }];
        throw error;
      }
    },
  });
}

/** Null where a word is given twice or the body cannot be read. */
function readWords({ query, mediaType, body }: AuthorizedCall): object | 'media-type' | null {
  const pairs: [string, unknown][] = [...query];
  if (body !== '') {
    if (mediaType === 'application/json') {
      const parsed = parseJson(body);
      if (typeof parsed !== 'object' || parsed === null) return null;
      pairs.push(...Object.entries(parsed));
    } else if (mediaType === 'application/x-www-form-urlencoded') pairs.push(...new URLSearchParams(body));
    else return 'media-type';
  }
  const words = new Map(pairs);
  return words.size === pairs.length ? Object.fromEntries(words) : null;
}

/** Names of ours alone: those of the caller are shown to nobody. */
function wordsAtFault(error: z.ZodError): string[] {
  return [...new Set(error.issues.map(({ path }) => String(path[0] ?? '')))].filter((word) =>
    Object.hasOwn(callSchema.shape, word),
  );
}
