import { z } from 'zod';

const ms = (low: number, high: number, byDefault: number, text: string) =>
  z.number().int().min(low).max(high).default(byDefault).describe(text);
const count = (low: number, high: number, byDefault: number, text: string) =>
  z.number().int().min(low).max(high).default(byDefault).describe(text);
const minute = 60_000;
const day = 24 * 60 * minute;

const age = (byDefault: number) =>
  z
    .number()
    .int()
    .min(minute)
    .max(3_650 * day)
    .nullable()
    .default(byDefault);

const worker = z
  .strictObject({
    concurrency: count(1, 1_000, 4, 'Jobs at a time in this process.'),
    prefetch: count(
      0,
      1_000,
      0,
      'Jobs claimed beyond those that run, under leases of their own. For short jobs in great number; long ones would wait here while another process is idle.',
    ),
    leaseMs: ms(
      1_000,
      10 * minute,
      minute,
      'How long a claim lasts without a heartbeat; beats come every third of it (WQ-5).',
    ),
    pollMinMs: ms(10, minute, 250, 'First sleep after an empty claim (WQ-11).'),
    pollMaxMs: ms(
      10,
      10 * minute,
      1_000,
      'Longest sleep after empty claims; how late at most an idle worker takes up a job whose worker died, once its lease ran out.',
    ),
    shutdownGraceMs: ms(0, 10 * minute, 20_000, 'What a stop lets running jobs finish in; then they are given back.'),
    sweepEveryMs: ms(
      1_000,
      60 * minute,
      30_000,
      'How often expired leases and artifacts are swept, old jobs pruned and the clock skew measured.',
    ),
    statsEveryMs: z
      .number()
      .int()
      .min(1_000)
      .max(60 * minute)
      .nullable()
      .default(minute)
      .describe('How often the depth of the queue is measured for telemetry; null: never.'),
    maxRunning: z
      .number()
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe(
        'The global limit W on running jobs over all processes (WQ-10); null: none. Processes that disagree refuse to start.',
      ),
  })
  .prefault({})
  .describe('The worker of this process.');

const retry = z
  .strictObject({
    maxAttemptsPerStage: count(1, 100, 5, 'Attempts a stage may start, the first included (ERR-5).'),
    maxLostLeases: count(1, 100, 3, 'Workers a stage may lose before the job is dead-lettered as WORKER_LOST.'),
    parkMs: ms(
      100,
      60 * minute,
      minute,
      'How long a parked stage (expired credential, kill switch) waits before it looks again, and the longest time between two looks at a Perforce server or a model provider that is out (INT-4).',
    ),
    outageAfter: z
      .number()
      .int()
      .min(1)
      .max(100)
      .nullable()
      .default(3)
      .describe(
        'Failures in a row of a Perforce server or a model provider, whatever the jobs, after which this process takes it for out and parks its work; one that cannot be reached at all counts at once. Keep it below maxAttemptsPerStage. null: never, each failure spends an attempt.',
      ),
    initialMs: ms(1, minute, 1_000, 'First back-off ceiling (ERR-2).'),
    multiplier: z.number().min(1).max(10).default(2).describe('Growth of the back-off ceiling per attempt (ERR-2).'),
    maxMs: ms(1, 60 * minute, minute, 'Largest back-off ceiling (ERR-2).'),
  })
  .prefault({})
  .describe('Retries of pipeline stages.');

const intake = z
  .strictObject({
    skipUsers: z.array(z.string()).default([]).describe('Perforce users whose changes are not reviewed.'),
    kinds: z
      .array(z.enum(['submitted', 'shelved', 'pending']))
      .default(['submitted', 'shelved'])
      .describe('Kinds of change that are reviewed.'),
    skipTags: z
      .array(z.string().min(1))
      .default(['#noreview'])
      .describe('Words in the description that ask for no review.'),
    skipPaths: z
      .array(
        z.union([
          z.enum(['unreal', 'unity', 'node', 'generated']),
          z.string().regex(/^-?\/\//, 'expected a preset, or a pattern that begins with // or -//'),
        ]),
      )
      .default([])
      .describe(
        'Files kept from the model: names of presets (text that engines and tools write) and Perforce patterns, `//depot/dir/...`, `//.../*.csv`; a leading `-` keeps paths in the review. The last entry that matches decides; case is ignored. Such files are still scanned for secrets, and coverage counts them as `filtered`.',
      ),
    shelves: z
      .enum(['in_review', 'tagged', 'all'])
      .nullable()
      .default(null)
      .describe(
        'Which shelves that a watcher or a trigger notices are reviewed: those that P4 Code Review calls its test for, those with a word of `tags` in their description, or all. null: `in_review` where P4 Code Review is configured, else `tagged`. Reviews that the host submits by itself are not asked.',
      ),
    tags: z
      .array(z.string().min(1))
      .default(['#review'])
      .describe('Words in the description of a shelf that ask for a review; `#review-12` counts as `#review`.'),
    maxFiles: count(1, 1_000_000, 2_000, 'Changes with more files are bulk operations and stored as skipped.'),
  })
  .prefault({})
  .describe('Which changes are reviewed; every other one ends as a stored skip reason (INT-1).');

const watch = z
  .strictObject({
    quietMs: ms(
      0,
      60 * minute,
      3 * minute,
      'How long a shelf that a watcher, a trigger or P4 Code Review notices has to stay as it is before it is reviewed: of several contents within that time only the newest is.',
    ),
  })
  .prefault({})
  .describe('How noticed changes come in.');

const fetch = z
  .strictObject({
    maxFiles: count(1, 100_000, 500, 'Files whose text is fetched; the rest is counted as skipped.'),
    maxFileBytes: count(1, 1 << 30, 1 << 20, 'Largest side of a file that is fetched.'),
    maxTotalBytes: count(1, 1 << 30, 16 << 20, 'Text fetched in all.'),
    contextLines: count(0, 100, 5, 'Unchanged lines round each hunk.'),
    maxNewTextBytes: count(
      0,
      1 << 24,
      128 << 10,
      'Longest new side of a file, in bytes, that is kept whole beside its hunks; 0: none. It is redacted and stored like them.',
    ),
  })
  .prefault({})
  .describe('How much of a change is read.');

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

const llm = z
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
    guardTimeoutMs: ms(100, minute, 5_000, 'For the scan of the final bytes; longer blocks the request (RED-10).'),
  })
  .prefault({})
  .describe('Requests to the LLM.');

const egress = z
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
  })
  .prefault({})
  .describe('What may leave the house.');

const review = z
  .strictObject({
    severityFloor: z
      .enum(['critical', 'high', 'medium', 'low', 'info'])
      .default('info')
      .describe('Findings whose effective severity is below this are counted, not mailed (INT-3).'),
    maxFindings: count(
      1,
      1_000,
      50,
      'Findings in a mail; the rest is counted there and kept in the stored review, which holds up to 5,000 (INT-3).',
    ),
    fullFindings: z
      .int()
      .min(0)
      .nullable()
      .default(null)
      .describe('Findings that a mail shows in full, gravest first; the others by title and place. null: all.'),
    maxAgeMs: z
      .strictObject({ shelved: age(72 * 60 * minute), submitted: age(7 * day) })
      .prefault({})
      .describe(
        'How long, in milliseconds, a review may have waited when it is fetched, counted from its submit and its `delayMs`; by default 72 hours for a shelf (and what is pending), 7 days for a submitted change. An older one ends as the stored skip reason `stale`, so that reviews do not come like a flood after a long outage. Not where the submit names recipients, nor in a replay. null: never.',
      ),
  })
  .prefault({})
  .describe('What a review shows.');

const mail = z
  .strictObject({
    whenNothingToSay: z.boolean().default(true).describe('Send a mail for a complete review without findings (INT-3).'),
    recipientsTimeoutMs: ms(
      100,
      10 * minute,
      30_000,
      'What the recipient resolver may take; after that the notify stage is retried.',
    ),
    ambiguity: z
      .enum(['resend', 'hold'])
      .default('resend')
      .describe(
        'After an attempt that may have been accepted and cannot be looked up: send again and flag the row, or hold it for an operator.',
      ),
    maxAttempts: count(1, 100, 5, 'Attempts for one recipient (ERR-5).'),
    reconcileAfterMs: ms(
      1_000,
      30 * day,
      60 * minute,
      'Age at which a mail marked sent is looked up once more, where the mailer can (NOT-8); never before its settle time.',
    ),
    leaseMs: ms(
      1_000,
      60 * minute,
      minute,
      'Lease of an outbox row, renewed every third of it while the mail is being sent.',
    ),
    concurrency: count(1, 100, 4, 'Mails sent at a time in this process.'),
    maxPerMinute: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .nullable()
      .default(null)
      .describe(
        'Mails that this process sends by each mailer in any 60 seconds, so that a backlog does not leave at once after an outage; a waiting mail spends no attempt. Each process counts its own. null: not limited.',
      ),
  })
  .prefault({})
  .describe('Delivery.');

const artifacts = z
  .strictObject({
    rawTtlMs: ms(minute, 7 * day, 7 * day, 'Life of raw artifacts; at most 7 days (ART-1).'),
    redactedTtlMs: ms(minute, 30 * day, 30 * day, 'Life of redacted artifacts; at most 30 days (ART-1).'),
  })
  .prefault({})
  .describe('How long artifacts live.');

const retention = z
  .strictObject({
    finishedJobsMs: z
      .number()
      .int()
      .min(minute)
      .max(3_650 * day)
      .nullable()
      .default(90 * day)
      .describe(
        'Age at which a completed job, or a failed one without an open dead letter, is deleted with its outbox rows and closed dead letters (ruling R18); null: never. A deleted job is forgotten: its idempotency key, and its version of a change, may be submitted again and run again (NOT-1, NOT-2).',
      ),
  })
  .prefault({})
  .describe('How long the database keeps what has ended. Audit events and the egress log are never pruned.');

const clock = z
  .strictObject({
    skewBudgetMs: ms(1, minute, 2_000, 'Difference between host and store clock that is warned of (INV-7).'),
  })
  .prefault({})
  .describe('Time.');

/** Every setting, with default, bounds and description: the one source of types, checks and the reference page. */
export const settingsSchema = z.strictObject({
  worker,
  retry,
  intake,
  watch,
  fetch,
  llm,
  egress,
  review,
  mail,
  artifacts,
  retention,
  clock,
});

/** What a host writes: everything optional. */
export type SettingsInput = z.input<typeof settingsSchema>;
/** Complete and frozen. */
export type Settings = z.output<typeof settingsSchema>;

function knownKeys(path: readonly PropertyKey[]): string[] {
  let at: z.core.$ZodType = settingsSchema;
  for (const key of path) {
    while (at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodNullable) at = at.unwrap();
    at = at instanceof z.ZodArray ? at.element : at instanceof z.ZodObject ? (at.shape[String(key)] ?? at) : at;
  }
  while (at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodNullable) at = at.unwrap();
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function explain(issue: z.core.$ZodIssue): string {
  const where = ['settings', ...issue.path.map(String)].join('.');
  if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`;
  const unknown = issue.keys.map((key) => JSON.stringify(key)).join(', ');
  return `${where}: unknown key ${unknown}; known keys are ${knownKeys(issue.path).join(', ')}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}

/**
 * Fills in defaults and checks bounds. Throws one `TypeError` that names every wrong setting, what
 * was expected and, for an unknown key, the known ones.
 */
export function resolveSettings(input: SettingsInput = {}): Settings {
  const parsed = settingsSchema.safeParse(input);
  if (!parsed.success) throw new TypeError(parsed.error.issues.map(explain).join('\n'));
  const settings = parsed.data;
  if (settings.worker.pollMaxMs < settings.worker.pollMinMs)
    throw new TypeError('settings.worker: pollMaxMs must not be below pollMinMs');
  return deepFreeze(settings);
}
