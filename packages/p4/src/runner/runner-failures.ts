import {
  CriticizerError,
  type CriticizerErrorOptions,
  type ErrorCode,
  isCriticizerError,
} from '@criticizer/core/ports';

/** Failures of a process that a runner may report, with what they mean; any other is an outage of the runner. */
const reported: ReadonlyMap<string, readonly [code: ErrorCode, options: CriticizerErrorOptions]> = new Map(
  (
    [
      ['P4_TIMEOUT', { category: 'network' }],
      ['P4_OUTPUT_LIMIT', { category: 'policy' }],
      ['P4_CONTAINMENT', { category: 'policy' }],
      ['P4_CONTAINMENT_UNAVAILABLE', { category: 'upstream', parks: true }],
      ['P4_EXECUTABLE_UNUSABLE', { category: 'validation' }],
      ['P4_PLATFORM_UNSUPPORTED', { category: 'validation' }],
      ['HOST_RESOURCES', { category: 'upstream' }],
      ['SECRET_MISSING', { category: 'auth', parks: true }],
      ['SECRET_REJECTED', { category: 'auth', parks: true }],
    ] as const
  ).map((row) => [row[0], row]),
);

/** The code that a runner sends; no message, as it may quote. */
export function failureCode(error: unknown): string {
  return isCriticizerError(error) && reported.has(error.code) ? error.code : 'UNEXPECTED';
}

/** The error that a reported code stands for. */
export function reportedFailure(sent: string): CriticizerError {
  const row = reported.get(sent);
  if (row === undefined) return runnerUnavailable('it failed by itself');
  const [code, options] = row;
  return new CriticizerError(code, 'The p4 runner could not run the command to its end.', options);
}

/** Nothing answers, or not to the end: the work waits, and no attempt is spent. */
export function runnerUnavailable(why: string, cause?: unknown): CriticizerError {
  return new CriticizerError('P4_RUNNER_UNAVAILABLE', `The p4 runner cannot be used: ${why}.`, {
    category: 'network',
    parks: true,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Parts of a request that a runner refuses. */
export const refusals = [
  'version',
  'request',
  'authentication',
  'server',
  'command',
  'operand',
  'limit',
  'ticket',
  'busy',
] as const;
/** Why a runner did not run a request. */
export type Refusal = (typeof refusals)[number];

/** Refusals that end without anybody changing the request: a key is rotated, a version rolled out. */
const passing: ReadonlySet<string> = new Set<Refusal>(['authentication', 'version']);

/**
 * The runner's own lists are narrower, or it is busy. Names the part, no operand. Another key or
 * version parks: one side has the new one already (SEC-5).
 */
export function runnerRefused(part: string): CriticizerError {
  if (part === 'busy') return runnerUnavailable('it runs as many commands as it may');
  const known = refusals.find((name) => name === part) ?? 'request';
  return new CriticizerError('P4_RUNNER_REFUSED', `The p4 runner refused a command: ${known}.`, {
    category: known === 'authentication' ? 'auth' : known === 'version' ? 'validation' : 'policy',
    parks: passing.has(known),
    details: { part: known },
  });
}
