import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { checkName, checkOptions, type OptionShape, optional } from '@criticizer/core/internal';
import { type ChatRequest, listen, sendJson } from './chat-server.js';
import { refuseCard } from './teams-card-check.js';

/**
 * What goes wrong with a request:
 * - `drop`: the connection breaks before anything is done;
 * - `save-then-drop`: the flow runs and the answer is lost;
 * - `save-late`: the connection breaks, and the flow runs at `TeamsServer.saveLate`;
 * - `fail-after-accept`: 202, and the flow fails: a missing right, an owner who left;
 * - `rate-limited`: 429 with `Retry-After: 30`; a number: that status.
 */
export type TeamsFault = 'drop' | 'fail-after-accept' | 'rate-limited' | 'save-late' | 'save-then-drop' | number;

/** A run of the flow that posted nothing. */
export interface FailedRun {
  runId: string;
  reason: string;
}

/** A stand-in of a Workflows webhook of Microsoft Teams on this machine. */
export interface TeamsServer {
  readonly origin: string;
  /** Address of the flow: a secret by its `sig`, as a real one is. */
  readonly workflowUrl: string;
  /** Messages whose card is shown in the channel, oldest first. */
  readonly shown: unknown[];
  /** Runs that failed after their 202: no answer says so. */
  readonly failed: FailedRun[];
  /** The body of every message that the flow took, oldest first. */
  readonly received: Uint8Array[];
  /** The next `times` requests (default 1) meet the fault. */
  fail(fault: TeamsFault, times?: number): void;
  /** Runs the flow for the requests of `save-late` now; gives how many. */
  saveLate(): number;
  /** Ends connections and stops listening. */
  close(): Promise<void>;
}

/** What a stand-in is started with. */
export interface TeamsServerOptions {
  /** The `sig` of its address. Default: a random one. */
  signature?: string | undefined;
}

const optionShape: OptionShape<TeamsServerOptions> = { signature: optional(checkName) };

type Answer = { status: number; headers?: Record<string, string>; error?: string } | null;

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === null) response.destroy();
  else if (answer.error !== undefined)
    sendJson(response, answer.status, { error: { code: answer.error, message: 'refused' } }, answer.headers);
  else response.writeHead(answer.status, answer.headers).end();
}

// long: one server from its start to its end, each step short
/**
 * Starts a stand-in of a Workflows webhook on a free port of this machine, for tests, after the published
 * documents: it answers 202 to any JSON with the right signature and only then looks at the card, so a card
 * that is none, or too large, fails unseen. Rejects with `TypeError` for wrong options.
 */
export async function startTeamsServer(options: TeamsServerOptions = {}): Promise<TeamsServer> {
  checkOptions('startTeamsServer', options, optionShape);
  const shown: unknown[] = [];
  const failed: FailedRun[] = [];
  const received: Uint8Array[] = [];
  const faults: TeamsFault[] = [];
  const late: (() => void)[] = [];
  const path = '/workflows/0a1b/triggers/manual/paths/invoke';
  const { signature = randomUUID() } = options;

  function runFlow(body: Buffer, runId: string, isBroken: boolean): void {
    const message = parse(body);
    received.push(body);
    const reason = isBroken ? 'the owner of the flow has no right here' : refuseCard(message, body);
    if (reason === null) shown.push(message);
    else failed.push({ runId, reason });
  }

  function answer({ method, url, body }: ChatRequest): Answer {
    if (method !== 'POST' || url.pathname !== path) return { status: 404, error: 'WorkflowNotFound' };
    if (url.searchParams.get('sig') !== signature) return { status: 401, error: 'DirectApiAuthorizationRequired' };
    const fault = faults.shift();
    const runId = randomUUID().replaceAll('-', '').toUpperCase();
    if (fault === 'rate-limited')
      return { status: 429, error: 'WorkflowTriggerIsThrottled', headers: { 'retry-after': '30' } };
    if (typeof fault === 'number') return { status: fault, error: 'Refused' };
    if (fault === 'save-late') late.push(() => runFlow(body, runId, false));
    if (fault === 'save-then-drop') runFlow(body, runId, false);
    if (fault === 'drop' || fault === 'save-late' || fault === 'save-then-drop') return null;
    if (parse(body) === undefined) return { status: 400, error: 'InvalidRequestContent' };
    runFlow(body, runId, fault === 'fail-after-accept');
    return { status: 202, headers: { 'x-ms-workflow-run-id': runId } };
  }

  const { origin, close } = await listen((request, response) => reply(response, answer(request)));
  return {
    origin,
    workflowUrl: `${origin}${path}?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=${encodeURIComponent(signature)}`,
    shown,
    failed,
    received,
    fail(fault, times = 1) {
      for (let count = 0; count < times; count++) faults.push(fault);
    },
    saveLate() {
      const waiting = late.splice(0);
      for (const runNow of waiting) runNow();
      return waiting.length;
    },
    close,
  };
}
