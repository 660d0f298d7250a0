import { CriticizerError, systemClock } from '@criticizer/core/ports';
import { callSlack, type SlackAccess, type SlackAnswer, toForm } from './slack-api.js';
import { checkSlackHistory } from './slack-lookup.js';

/** The longest that a check waits for a limit of Slack, from its start; a doctor gives it 15 s in all. */
const maxWaitMs = 10_000;

/** How long Slack takes no call of the app, in milliseconds; null for another answer. */
function readLimit(answer: SlackAnswer): number | null {
  if (answer.kind !== 'refused' || answer.outcome.kind !== 'rejected') return null;
  const { failure, retryAfterMs } = answer.outcome;
  return failure.code === 'RATE_LIMITED' ? (retryAfterMs ?? maxWaitMs) : null;
}

function limited({ channelId }: SlackAccess, retryAfterMs: number): CriticizerError {
  const message = `Slack limits the calls of the channel "${channelId}". Check again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
  const about = { category: 'rate_limit', retryAfterMs, details: { channel: channelId } } as const;
  return new CriticizerError('RATE_LIMITED', message, about);
}

/**
 * As `callSlack`, and once more after the wait that a limit asks for, where that ends within 10 s of now. Rejects
 * with `RATE_LIMITED` for a longer one, a second one and an abort in the wait.
 */
function createPatientCall({ clock }: SlackAccess): typeof callSlack {
  const untilMs = clock.nowMs() + maxWaitMs;
  const sleep = clock.sleep?.bind(clock) ?? systemClock.sleep.bind(systemClock);
  return async (access, method, args, signal) => {
    const first = await callSlack(access, method, args, signal);
    const waitMs = readLimit(first);
    if (waitMs === null) return first;
    if (clock.nowMs() + waitMs > untilMs) throw limited(access, waitMs);
    try {
      await sleep(waitMs, signal);
    } catch {
      throw limited(access, waitMs);
    }
    const second = await callSlack(access, method, args, signal);
    const again = readLimit(second);
    if (again !== null) throw limited(access, again);
    return second;
  };
}

/** Rejects where the token is refused, with `AUTH_DENIED`, or Slack is away. */
async function checkLogin(access: SlackAccess, call: typeof callSlack, signal: AbortSignal): Promise<void> {
  const answer = await call(access, 'auth.test', toForm({}), signal);
  if (answer.kind === 'done') return;
  if (answer.login !== undefined) throw answer.login;
  const message = `The channel "${access.channelId}" got no answer from Slack: ${answer.word}.`;
  throw new CriticizerError('UPSTREAM_UNAVAILABLE', message, { category: 'network' });
}

/** So many at once: Slack limits the rate, and a hundred one after the other take minutes. */
const checksAtOnce = 8;

/**
 * Rejects with what keeps the app from posting, or from searching one of `conversations`: the first by their order,
 * and asks no more then. With `RATE_LIMITED` where Slack takes no call within 10 s.
 */
export async function checkSlack(
  access: SlackAccess,
  conversations: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const call = createPatientCall(access);
  await checkLogin(access, call, signal);
  for (let at = 0; at < conversations.length; at += checksAtOnce) {
    const some = conversations.slice(at, at + checksAtOnce);
    const results = await Promise.allSettled(some.map((one) => checkSlackHistory(access, one, signal, call)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
