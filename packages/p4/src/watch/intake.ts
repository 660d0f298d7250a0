import type { Criticizer } from '@criticizer/core';
import { attribute, metric, raiseSecurityEvent } from '@criticizer/core/internal';
import {
  buildChangelistId,
  CriticizerError,
  decideShelf,
  type Job,
  type Logger,
  noTelemetry,
  shelfSkips,
  silentLogger,
  systemClock,
  type Telemetry,
} from '@criticizer/core/ports';
import type { P4Client } from '../client/p4-client.js';
import { type ContentDigest, createContentDigest } from '../fetch/content-digest.js';
import { defaultMaxChangeFiles } from '../fetch/fetcher-options.js';
import { isInsideByCase } from '../policy/case-dependence.js';
import { judgeFile } from '../policy/path-policy.js';
import { createServerInfo, type ServerInfoReader } from '../policy/server-info.js';
import { checkServerScope, isChangeNumber } from '../policy/server-scope.js';
import {
  buildIntakeKey,
  findCopiedShelf,
  findNewest,
  readContent,
  readSubmittedContent,
  wasFetched,
} from './change-contents.js';
import { describeChanges } from './describe-changes.js';
import type { ChangeIntakeOptions, IntakeScope, SeenChange, TakeOptions } from './intake-options.js';
import type { WatchedChange } from './watched-change.js';

/** Longest list of files that is looked at; a larger change is skipped for its size when it is fetched. */
const maxFiles = defaultMaxChangeFiles + 1;
const submitTries = 5;

type Skip = NonNullable<Parameters<Criticizer<never>['submit']>[0]['skipped']>;

const malformedSkip: Skip = {
  reason: 'path',
  detail: 'No file inside the allow-list, and paths that are not in canonical form.',
};

const nothing = { jobId: null, reviewVersion: null } as const;

/** Takes changes in, for a watcher, a trigger or a host. */
export class Intake<Tx> {
  private readonly serverInfo: ServerInfoReader;
  private readonly logger: Logger;
  private readonly telemetry: Telemetry;
  private readonly contentDigest: ContentDigest;

  constructor(
    private readonly client: P4Client,
    private readonly options: ChangeIntakeOptions<Tx>,
  ) {
    checkServerScope(options);
    this.serverInfo = createServerInfo(client, options.clock ?? systemClock);
    this.logger = options.logger ?? silentLogger;
    this.telemetry = options.telemetry ?? noTelemetry;
    this.contentDigest = createContentDigest(options.fingerprintKey);
  }

  /** Of any status. */
  async take(
    numbers: readonly number[],
    signal: AbortSignal,
    { seenBy, isInReview }: Pick<TakeOptions, 'seenBy' | 'isInReview'> = {},
  ): Promise<readonly SeenChange[]> {
    for (const number of numbers)
      if (!isChangeNumber(number)) throw new TypeError('take: expected changelist numbers, whole from 1 to 2147483647');
    const described = await this.describe(numbers, { shelved: false, signal });
    const pending = described.filter((change) => change.status === 'pending').map((change) => change.number);
    const shelves = pending.length === 0 ? [] : await this.describe(pending, { shelved: true, signal });
    const changes = new Map([...described, ...shelves].map((change) => [change.number, change]));
    const seen: SeenChange[] = [];
    for (const number of numbers) {
      const change = changes.get(number);
      seen.push(
        change === undefined
          ? this.count({ number, ...nothing, outcome: 'not-found' })
          : await this.submit(change, signal, { listed: false, seenBy, isInReview }),
      );
    }
    return seen;
  }

  describe(
    numbers: readonly number[],
    options: { shelved: boolean; signal: AbortSignal },
  ): Promise<readonly WatchedChange[]> {
    return describeChanges(this.client, numbers, { ...options, maxFiles, contentDigest: this.contentDigest });
  }

  /** Submits one change unless its content is known. */
  async submit(
    change: WatchedChange,
    signal: AbortSignal,
    scope: IntakeScope = { listed: false, seenBy: 'watcher' },
  ): Promise<SeenChange> {
    signal.throwIfAborted();
    const { number } = change;
    const isInScope = scope.listed || (await this.inScope(change, signal));
    if (!isInScope && change.malformed === 0) return this.count({ number, ...nothing, outcome: 'out-of-scope' });
    const skip = isInScope ? this.decide(change, scope.isInReview) : malformedSkip;
    const seen = await this.submitOnce(change, skip, scope.seenBy);
    if (!isInScope && seen.outcome === 'skipped') this.reportMalformed(change);
    const facts = { changelistId: this.idOf(number), reviewVersion: seen.reviewVersion, outcome: seen.outcome };
    if (seen.outcome !== 'known') this.logger.info({ event: 'watch.change_seen', ...facts }, 'change taken in');
    return this.count(seen);
  }

  /** What the policy says of a shelf. One that cannot be read is submitted: fetching it stores why. */
  decide({ status, digest, description }: WatchedChange, isInReview = false): Skip | null {
    if (status !== 'pending' || digest === null) return null;
    const { criticizer, hasCodeReview = false } = this.options;
    return decideShelf({ description, isInReview }, criticizer.settings.intake, hasCodeReview);
  }

  private async inScope(change: WatchedChange, signal: AbortSignal): Promise<boolean> {
    const allowList = this.options.allowList.forServer('sensitive');
    if (change.files.some((file) => judgeFile(file, allowList).allowed)) return true;
    // Reads the server's case handling only where it would make a difference.
    if (
      change.files.some(({ path, unaskable }) => isInsideByCase(unaskable?.judgedAs ?? path, allowList)) &&
      (await this.serverInfo.read(signal)).caseHandling === 'insensitive'
    )
      return true;
    // Restricted, or not to be read: fetching it stores why.
    return change.digest === null || (change.status === 'submitted' && change.files.length === 0);
  }

  private async submitOnce(change: WatchedChange, skip: Skip | null, seenBy: string | undefined): Promise<SeenChange> {
    const { number } = change;
    const { serverId, jobs, criticizer } = this.options;
    for (let attempt = 0; attempt < submitTries; attempt += 1) {
      const latest = await jobs.latestVersion(this.idOf(number));
      const own = latest === null ? [] : await this.jobsOf(number);
      const reviewed = await this.earlierReview(change, own);
      if (reviewed?.changelistId === this.idOf(number))
        return { number, outcome: 'known', jobId: reviewed.id, reviewVersion: reviewed.reviewVersion };
      const copied = reviewed === null && skip === null ? await this.findCopied(change) : null;
      const earlier = reviewed ?? copied;
      const skipped =
        earlier === null ? skip : ({ reason: 'same_content', detail: `Reviewed as ${earlier.changelistId}.` } as const);
      const { outcome, job } = await criticizer.submit({
        serverId,
        number,
        reviewVersion: (latest?.reviewVersion ?? 0) + 1,
        idempotencyKey: this.keyFor(change, skipped, { own, latest }),
        skipped: skipped ?? undefined,
        delayMs: this.delayFor(change, skipped),
        seenBy,
      });
      const { id: jobId, reviewVersion } = copied ?? job;
      if (outcome === 'duplicate') return { number, outcome: 'known', jobId, reviewVersion };
      if (outcome === 'enqueued')
        return { number, outcome: skipped === null ? 'submitted' : 'skipped', jobId, reviewVersion };
      // Another process took this version since: the next one.
    }
    const says = 'Others keep submitting reviews of this change.';
    throw new CriticizerError('P4_VERSION_CONTENDED', says, {
      category: 'conflict',
      details: { changelistId: this.idOf(number) },
    });
  }

  private async findCopied(change: WatchedChange): Promise<Job | null> {
    if (change.digest === null || change.files.length === 0) return null;
    const newest = await this.options.jobs.list({ limit: 1_000 });
    return findCopiedShelf(newest, { ...change, serverId: this.options.serverId });
  }

  /**
   * The job in which this content was reviewed: as a shelf of this number, or of the one it had
   * before it was submitted; null otherwise.
   */
  private async earlierReview(change: WatchedChange, own: readonly Job[]): Promise<Job | null> {
    const { number, status, renumberedFrom: before, digest } = change;
    if (digest === null) return null;
    const ofContent = (jobs: readonly Job[], under: number): Job[] =>
      jobs.filter((job) => readContent(job, this.idOf(under)) === digest);
    const same = ofContent(own, number);
    const reviewed = findNewest(same.filter(wasFetched));
    if (reviewed !== null || status !== 'submitted') return reviewed;
    // A job that still has to fetch will find the change submitted; one that ended there reviewed nothing.
    const waiting = findNewest(same.filter((job) => job.finishedAt === null));
    if (waiting !== null || before === null) return waiting;
    return findNewest(ofContent(await this.jobsOf(before), before).filter(wasFetched));
  }

  /**
   * Of the same content the same key, unless its job met a newer shelf and did not review this
   * content, or ended for what the policy said of the shelf then and no longer does: then it comes
   * in once more.
   */
  private keyFor(
    { number, status, digest }: WatchedChange,
    skip: Skip | null,
    { own, latest }: { own: readonly Job[]; latest: Job | null },
  ): string {
    const id = this.idOf(number);
    const key = buildIntakeKey(id, status, digest);
    const keyed =
      status === 'pending' ? findNewest(own.filter((job) => readSubmittedContent(job, id) === digest)) : null;
    if (keyed === null) return key;
    const end = keyed.result?.['skipped'];
    const isTakenBack = skip === null && (shelfSkips.has(end) || end === 'same_content');
    const metAnother = end === 'superseded' || readContent(keyed, id) !== digest;
    return metAnother || isTakenBack ? `${key}:again-${(latest?.reviewVersion ?? 0) + 1}` : keyed.idempotencyKey;
  }

  /** A shelf waits to be left alone: its job ends as `superseded` where a newer one is stored by then. */
  private delayFor({ status }: WatchedChange, skip: Skip | null): number | undefined {
    const { quietMs } = this.options.criticizer.settings.watch;
    return status === 'pending' && skip === null && quietMs > 0 ? quietMs : undefined;
  }

  private jobsOf(number: number): Promise<readonly Job[]> {
    return this.options.jobs.list({ changelistId: this.idOf(number), limit: 1_000 });
  }

  private reportMalformed({ number, malformed: paths }: WatchedChange): void {
    const reason = 'The Perforce server named paths that are not in canonical form.';
    const event = {
      type: 'depot_path.malformed',
      reason,
      details: { paths },
      changelistId: this.idOf(number),
    } as const;
    raiseSecurityEvent(this.options.securityEvents, event, this.logger);
  }

  private idOf(number: number): string {
    return buildChangelistId({ serverId: this.options.serverId, number });
  }

  private count(seen: SeenChange): SeenChange {
    this.telemetry.count(metric.changesSeen, 1, {
      [attribute.server]: this.options.serverId,
      [attribute.outcome]: seen.outcome,
    });
    return seen;
  }
}
