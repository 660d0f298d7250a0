import { raiseSecurityEvent } from '@criticizer/core/internal';
import {
  buildChangelistId,
  type Change,
  type ChangeFetcher,
  CriticizerError,
  type FetchOutcome,
  type FetchRequest,
  isCriticizerError,
  silentLogger,
  systemClock,
} from '@criticizer/core/ports';
import type { DescribedChange, DescribedFile } from '../client/describe.js';
import { createP4Client, type P4Client } from '../client/p4-client.js';
import { createPageSize } from '../client/server-limits.js';
import type { AllowList, CaseHandling } from '../policy/allow-list.js';
import { CaseHandlingMatters, dependsOnCase } from '../policy/case-dependence.js';
import { createContentGate } from '../policy/content-gate.js';
import { type AllowedFiles, admitFiles } from '../policy/path-policy.js';
import { createServerInfo, type ServerInfoReader } from '../policy/server-info.js';
import { isChangeNumber } from '../policy/server-scope.js';
import { type ContentDigest, createContentDigest } from './content-digest.js';
import { parseEncodingLabel } from './decode-text.js';
import { describeChange } from './describe-change.js';
import { checkFetcherOptions, defaultMaxChangeFiles, type P4ChangeFetcherOptions } from './fetcher-options.js';
import { fetchContents, operandsPerBatch } from './file-contents.js';
import { FileInProgress } from './file-in-progress.js';
import { compareFetchOrder, planFiles } from './file-plan.js';
import { markTakenOver } from './integrations.js';
import { pairMovesByDigest } from './pair-moves.js';
import { type ChangePeople, createPeopleReader, type PeopleReader } from './people.js';
import { nameShelfSources } from './shelf-sources.js';

/** The fetcher of one Perforce server. */
export interface P4ChangeFetcher extends ChangeFetcher {
  /**
   * The `contentDigest` that a fetch of the change or shelf would give, by one `describe` and without its
   * contents: whether two changes hold the same. Null where the server hides the change, or there is
   * nothing in it; another value than a fetch gives where the server tells no digest of a file.
   * Rejects as `fetch` does.
   */
  readContentDigest(number: number, signal: AbortSignal): Promise<string | null>;
}

/**
 * The change fetcher over the `p4` command line client (P4-1 to P4-8). Two processes a change for
 * the text (describe, print; a shelf is described twice), one or two where it integrates files or
 * moves them without saying from where, one for the mail addresses of its reviewers, and one an
 * hour for each author's. Reads the server's case handling, once an hour, only where it matters.
 * Throws a TypeError here for every wrong option; `fetch` throws typed errors only, and returns
 * nothing of a change when it failed.
 */
export function createP4ChangeFetcher(options: P4ChangeFetcherOptions): P4ChangeFetcher {
  checkFetcherOptions(options);
  const client = createP4Client(options);
  const legacyEncoding = options.legacyEncoding === undefined ? undefined : parseEncodingLabel(options.legacyEncoding);
  const fetcher = new ChangeReader(client, { ...options, legacyEncoding });
  return {
    contract: 1,
    serverId: options.serverId,
    fetch: (number, request) => fetcher.fetch(number, request),
    readContentDigest: (number, signal) => fetcher.readContentDigest(number, signal),
  };
}

/** The order is the point: description, policy, contents. */
class ChangeReader {
  private readonly serverInfo: ServerInfoReader;
  private readonly readPeople: PeopleReader;
  private readonly contentDigest: ContentDigest;
  private readonly batchSize = createPageSize(operandsPerBatch);

  constructor(
    private readonly client: P4Client,
    private readonly options: P4ChangeFetcherOptions,
  ) {
    const clock = options.clock ?? systemClock;
    this.serverInfo = createServerInfo(client, clock);
    this.readPeople = options.mailAddresses === false ? async () => noPeople : createPeopleReader(client, clock);
    this.contentDigest = createContentDigest(options.fingerprintKey);
  }

  async fetch(number: number, request: FetchRequest): Promise<FetchOutcome> {
    if (!isChangeNumber(number)) {
      throw new CriticizerError('P4_INVALID_REQUEST', 'A changelist number is a whole number from 1 to 2147483647.', {
        category: 'validation',
      });
    }
    let change = await this.describe(number, false, request.signal);
    if (change === null) return overLimit;
    // Without the shelf's own files a restricted pending change is hidden from all but its owner.
    if (change.status === 'pending') {
      change = await this.describe(number, true, request.signal);
      if (change === null) return overLimit;
      if (change.status === 'submitted') throw movedOn();
    }
    if (change.isHidden) return skipped('restricted', 'the Perforce server hides the change from this user');
    if (change.files.length === 0 && change.status === 'pending')
      return skipped('kind', 'pending without shelved files');
    if (change.files.length === 0) return skipped('empty', 'no files, or none this Perforce user may list');
    const maxFiles = this.options.maxChangeFiles ?? defaultMaxChangeFiles;
    if (change.files.length > maxFiles) return skipped('size', `more than ${maxFiles} files`);
    return this.fetchAdmitted(change, request);
  }

  async readContentDigest(number: number, signal: AbortSignal): Promise<string | null> {
    const described = await this.describe(number, false, signal);
    const change = described?.status === 'pending' ? await this.describe(number, true, signal) : described;
    return change === null || change.isHidden || change.files.length === 0
      ? null
      : this.contentDigest(change, () => null);
  }

  /**
   * The server is asked for its case handling only where that matters, be it for a path that comes
   * while contents arrive.
   */
  private async fetchAdmitted(change: DescribedChange, request: FetchRequest): Promise<FetchOutcome> {
    // One list judges all of it, whatever changes meanwhile.
    const rules = this.options.allowList.forServer('sensitive');
    const ask = async (): Promise<CaseHandling> => (await this.serverInfo.read(request.signal)).caseHandling;
    const known = this.serverInfo.known()?.caseHandling ?? (dependsOnCase(change, rules) ? await ask() : null);
    const allowList = rules.forServer(known ?? 'sensitive');
    const admitted = await admitFiles(change, { ...this.policyContext(change.number), allowList });
    if (admitted.files.length === 0) return skipped('path', 'no file inside the allow-list');
    const files = await this.findSources(change, admitted.files, { allowList, signal: request.signal });
    return this.fetchByCase(change, { ...admitted, files }, { known, ask, rules, request });
  }

  /** Where moved and integrated files come from, and which of them are as they were there. */
  private async findSources(
    change: DescribedChange,
    files: readonly DescribedFile[],
    { allowList, signal }: { allowList: AllowList; signal: AbortSignal },
  ): Promise<DescribedFile[]> {
    const { status } = change;
    const logger = this.options.logger ?? silentLogger;
    const named = await nameShelfSources(this.client, files, { change, allowList, signal, logger });
    const paired = await pairMovesByDigest(this.client, named, { status, signal });
    return markTakenOver(this.client, paired, { status, allowList, signal });
  }

  private async fetchByCase(
    change: DescribedChange,
    admitted: AllowedFiles,
    more: { known: CaseHandling | null; ask: () => Promise<CaseHandling>; rules: AllowList; request: FetchRequest },
  ): Promise<FetchOutcome> {
    const { known, ask, rules, request } = more;
    try {
      return await this.fetchFiles(change, admitted, { caseHandling: known, rules, request });
    } catch (error) {
      if (!(error instanceof CaseHandlingMatters)) throw error;
      return this.fetchFiles(change, admitted, { caseHandling: await ask(), rules, request });
    }
  }

  private describe(number: number, shelved: boolean, signal: AbortSignal): Promise<DescribedChange | null> {
    const maxFiles = (this.options.maxChangeFiles ?? defaultMaxChangeFiles) + 1;
    const { legacyEncoding } = this.options;
    return describeChange(this.client, number, { shelved, maxFiles, legacyEncoding, signal });
  }

  private async fetchFiles(
    change: DescribedChange,
    admitted: AllowedFiles,
    { caseHandling, rules, request }: { caseHandling: CaseHandling | null; rules: AllowList; request: FetchRequest },
  ): Promise<FetchOutcome> {
    const kind = change.status === 'submitted' ? 'submitted' : 'shelved';
    const plans = planFiles(admitted.files, { kind, number: change.number }, request.limits, {
      caseHandling: caseHandling ?? 'sensitive',
      isScanOnly: request.isScanOnly,
    });
    const { legacyEncoding, clock = systemClock } = this.options;
    const text = {
      contextLines: request.limits.contextLines,
      maxNewTextBytes: request.limits.maxNewTextBytes,
      legacyEncoding,
      clock,
      budget: { leftMs: shortDifferencesMs },
    };
    const files = plans.map((plan) => new FileInProgress(plan, text));
    const inFetchOrder = files.toSorted((one, other) => compareFetchOrder(one.plan, other.plan));
    const wanted = inFetchOrder.flatMap((file) =>
      [file.plan.oldSide, file.plan.newSide]
        .filter((operand) => operand !== null)
        .map((operand) => ({ operand, file })),
    );
    let at = 0;
    const gate = createContentGate(rules, caseHandling);
    const contents = fetchContents(
      this.client,
      wanted.map(({ operand }) => operand),
      {
        limits: request.limits,
        gate,
        signal: request.signal,
        batchSize: this.batchSize,
        onContent(operand, content) {
          wanted[at]?.file.receive(operand, content);
          at += 1;
        },
      },
    );
    const people = this.readPeople(change, request.signal);
    // The first failure counts, but neither process is left behind.
    const [contentsEnd, peopleEnd] = await Promise.allSettled([contents, people]);
    if (contentsEnd.status === 'rejected') {
      const refused = gate.refused();
      if (refused !== null) this.reportRefusedPath(refused, change.number, contentsEnd.reason);
      throw contentsEnd.reason;
    }
    if (peopleEnd.status === 'rejected') throw peopleEnd.reason;
    if (kind === 'shelved' && files.some((file) => file.hasLostContent())) await this.checkUnmoved(change, request);
    return this.outcome(change, admitted, { kind, files, people: peopleEnd.value });
  }

  /** Lost or different content may come from a shelf replaced meanwhile: then all is read again. */
  private async checkUnmoved(change: DescribedChange, { signal }: FetchRequest): Promise<void> {
    const now = await this.describe(change.number, true, signal);
    const digest = (of: DescribedChange | null): string | null => of && this.contentDigest(of, () => null);
    if (now?.status !== change.status || digest(now) !== digest(change)) throw movedOn();
  }

  private outcome(
    change: DescribedChange,
    admitted: AllowedFiles,
    { kind, files, people }: { kind: 'submitted' | 'shelved'; files: FileInProgress[]; people: ChangePeople },
  ): FetchOutcome {
    const changedFiles = files.map((file) => file.result(kind));
    if (changedFiles.every((file) => file.skipped === 'binary')) return skipped('binary_only', 'only binary files');
    const hashes = new Map(files.map((file) => [file.plan.file.path, file.newSideHash()]));
    const result: Change = {
      serverId: this.options.serverId,
      number: change.number,
      ...(change.originalNumber === null ? {} : { originalNumber: change.originalNumber }),
      changelistId: this.changelistId(change.number),
      kind,
      user: change.user,
      description: change.description,
      changedAt: change.changedAt,
      userMail: people.userMail,
      reviewerMails: people.reviewerMails,
      jobs: change.jobs,
      files: changedFiles,
      visibility: this.options.hasFullListAccess === true ? 'complete' : 'partial-possible',
      deniedFiles: admitted.deniedFiles,
      contentDigest: this.contentDigest(change, (file) => hashes.get(file.path) ?? null),
    };
    return { kind: 'change', change: result };
  }

  private changelistId(number: number): string {
    return buildChangelistId({ serverId: this.options.serverId, number });
  }

  private policyContext(number: number) {
    return {
      deniedPaths: this.options.deniedPaths ?? 'refuse',
      changelistId: this.changelistId(number),
      securityEvents: this.options.securityEvents,
      logger: this.options.logger ?? silentLogger,
    } as const;
  }

  private reportRefusedPath(refused: { path: string; why: string }, number: number, error: unknown): void {
    if (!isCriticizerError(error) || error.code !== 'P4_PATH_DENIED') return;
    const context = this.policyContext(number);
    const reason = 'The Perforce server began to send a file outside the allow-list.';
    raiseSecurityEvent(
      context.securityEvents,
      { type: 'depot_path.denied', reason, details: refused, changelistId: context.changelistId },
      context.logger,
    );
  }
}

/** For all files of a change together. */
const shortDifferencesMs = 20_000;
const overLimit = skipped('size', 'more files than the server lists for this Perforce user');
const noPeople: ChangePeople = { userMail: null, reviewerMails: [] };

function skipped(reason: Extract<FetchOutcome, { kind: 'skipped' }>['reason'], detail: string): FetchOutcome {
  return { kind: 'skipped', reason, detail };
}

function movedOn(): CriticizerError {
  return new CriticizerError(
    'P4_CHANGE_MOVED_ON',
    'The change was submitted or shelved anew while it was being read.',
    {
      category: 'conflict',
    },
  );
}
