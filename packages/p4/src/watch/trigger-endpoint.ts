import { checkOptions, type OptionShape, observerShape, withMethods } from '@criticizer/core/internal';
import { type Logger, silentLogger } from '@criticizer/core/ports';
import { z } from 'zod';
import { namedSecret } from '../policy/option-shapes.js';
import { maxChangeNumber } from '../policy/server-scope.js';
import { type CallerSecret, createHttpEndpoint, type HttpEndpoint, parseJson } from './http-endpoint.js';
import type { ChangeIntake } from './intake-options.js';

/** What an endpoint that triggers call needs. */
export interface TriggerEndpointOptions {
  /** A watcher's own, or one of `createChangeIntake`. */
  intake: Pick<ChangeIntake, 'take'>;
  secret: CallerSecret;
  logger?: Logger | undefined;
}

const optionShape: OptionShape<TriggerEndpointOptions> = {
  intake: withMethods('take'),
  secret: namedSecret,
  logger: observerShape.logger,
};

/** A trigger sends a number; anything longer is not ours. */
const maxBodyBytes = 1_024;
const callSchema = z.strictObject({ change: z.int().min(1).max(maxChangeNumber) });

/**
 * Takes what a trigger of the Perforce server posts: `{"change": 123}`. What is answered with 200
 * is stored, or is not to be; a repeat is harmless. The number is all that is believed: the server
 * is asked what the change is, and the allow-list decides.
 */
export function createTriggerEndpoint(options: TriggerEndpointOptions): HttpEndpoint {
  checkOptions('createTriggerEndpoint', options, optionShape);
  const { intake, secret, logger = silentLogger } = options;
  return createHttpEndpoint({
    secret,
    methods: ['POST'],
    maxBodyBytes,
    logger,
    async answer({ body }) {
      const call = callSchema.safeParse(parseJson(body));
      if (!call.success) return [400, { error: 'expected {"change": 123}' }];
      const [seen] = await intake.take([call.data.change], { seenBy: 'trigger' });
      return [200, { outcome: seen?.outcome ?? 'not-found', reviewVersion: seen?.reviewVersion ?? null }];
    },
  });
}
