import { z } from 'zod';
import { count, minute, ms } from './bounds.js';

const limit = (description: string) => z.number().min(0).nullable().default(null).describe(description);

const spending = {
  requests: limit('Requests. null: no limit.'),
  inputTokens: limit('Input tokens that vendors counted. null: no limit.'),
  outputTokens: limit('Output tokens that vendors counted. null: no limit.'),
  cost: limit('Cost by `prices`, in their currency. null: no limit.'),
};

const budget = z
  .strictObject({
    perReview: z
      .strictObject({
        ...spending,
        wallMs: limit('Milliseconds from the beginning of the llm stage. null: no limit.'),
      })
      .prefault({})
      .describe('For one run of one review.'),
    perDay: z.strictObject(spending).prefault({}).describe('For the last 24 hours, all processes together.'),
    perPath: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected a name of lower-case letters, digits and hyphens')
            .describe('How reviews, metrics and events name it.'),
          paths: z
            .array(z.string().startsWith('//'))
            .min(1)
            .describe('Perforce patterns: `//depot/area/...`, `//depot/area/*.c`, or a file. Case is ignored.'),
          ...spending,
        }),
      )
      .default([])
      .describe(
        'For requests that show a file under these paths, in the last 24 hours, all processes together. A request counts in full under each budget that a file of it is under; a spent one leaves its own files not reviewed, the others go on.',
      ),
    prices: z
      .array(
        z.strictObject({
          provider: z.string().min(1).describe('Id of a provider.'),
          inputPerMillion: z.number().min(0).describe('For a million input tokens.'),
          outputPerMillion: z.number().min(0).describe('For a million output tokens.'),
          cachedInputPerMillion: z
            .number()
            .min(0)
            .nullable()
            .default(null)
            .describe('For a million input tokens from the vendor’s cache. null: as the others.'),
        }),
      )
      .default([])
      .describe('What tokens cost, in one currency of yours.'),
  })
  .prefault({})
  .describe('Checked before every request. What a spent budget leaves is reported as not reviewed.');

const rate = (description: string) => z.number().int().min(1).nullable().default(null).describe(description);

const rateLimit = z
  .strictObject({
    perMinute: z
      .array(
        z.strictObject({
          provider: z.string().min(1).describe('Id of a provider.'),
          requests: rate('Requests in any 60 seconds. null: not limited.'),
          tokens: rate(
            'Input and output tokens in any 60 seconds: the estimated input and the output that a request may produce, until its reply says what it took. null: not limited.',
          ),
        }),
      )
      .default([])
      .describe('What all processes together may send to a provider, counted in the store.'),
    maxWaitMs: ms(
      0,
      10 * minute,
      minute,
      'How long a request waits in its process for a place, or for the end of a pause that the vendor asked for; longer parks its job, which spends no attempt.',
    ),
  })
  .prefault({})
  .describe(
    'Spreads requests over time. A Retry-After of a vendor (up to 5 minutes) holds back the requests of all processes, with or without a limit.',
  );

export const llm = z
  .strictObject({
    requestTimeoutMs: ms(1_000, 60 * minute, 2 * minute, 'For one request, from connecting to the last byte.'),
    prepareTimeoutMs: ms(
      100,
      10 * minute,
      10_000,
      'What a provider may take to prepare a request, before the guard looks at it.',
    ),
    maxOutputTokens: count(
      256,
      1_000_000,
      4_096,
      'Output a request may produce. A reply that spends it before anything can be used is asked for once more with up to four times as much, as far as the model allows.',
    ),
    maxChunks: count(
      1,
      100,
      8,
      'Chunks a change is split into, one request each; what does not fit is reported as not reviewed. A repair, and a chunk that proves too large and is asked in halves, take requests beyond these.',
    ),
    promptPatchDrift: z
      .boolean()
      .default(false)
      .describe('Accept a reply that names another patch of the prompt version (PR-2).'),
    concurrency: count(1, 32, 2, 'Chunks of one change that are asked about at the same time.'),
    budget,
    rateLimit,
    guardTimeoutMs: ms(100, minute, 5_000, 'For the scan of the final bytes; longer blocks the request (RED-10).'),
  })
  .prefault({})
  .describe('Requests to the LLM.');

export const egress = z
  .strictObject({
    internalHosts: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Hosts inside the house, beside private addresses and names without a dot: `llm.studio.example`, or `.studio.example` for all below.',
      ),
    policy: z
      .array(
        z.strictObject({
          paths: z
            .array(z.string().startsWith('//'))
            .min(1)
            .describe('Perforce patterns: `//depot/area/...`, `//depot/area/*.c`, or a file.'),
          providers: z.array(z.string().min(1)).describe('Ids of the providers that may see them; empty: none.'),
        }),
      )
      .nullable()
      .default(null)
      .describe(
        'Which providers may see which depot paths (EGR-2); as in a protections table the last rule that matches a path decides, a path without one goes nowhere. null: every provider may see every allowed path, and public hosts are refused at start.',
      ),
    mailDomains: z
      .array(z.string().regex(/^[^\s%/?#@]+$/, 'expected a domain such as studio.example'))
      .default([])
      .describe(
        'Domains whose addresses get findings by mail: `studio.example`, or `.studio.example` for all below. Every other address gets a mail with counts and the link.',
      ),
    content: z
      .array(
        z.strictObject({
          destination: z
            .string()
            .regex(
              /^(?:mail|chat|webhook|code-review):.+$/,
              'expected mail:, chat:, webhook: or code-review: and an id, as the kill switch names it',
            )
            .describe('`mail:` and the id of a mailer; `chat:`, `webhook:` or `code-review:` and the id of a channel.'),
          highest: z
            .enum(['counts', 'findings', 'code'])
            .describe(
              'What may go there. Of mail, addresses in `mailDomains` have `findings` without it, and every other one gets at most `findings`, also where `code` stands here.',
            ),
        }),
      )
      .default([])
      .describe('Destinations that may get more than counts. Sinks, pagers and telemetry never get any of a review.'),
  })
  .prefault({})
  .describe('What may leave the house.');
