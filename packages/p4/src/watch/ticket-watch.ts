import {
  attribute,
  checkedElsewhere,
  checkFunction,
  checkName,
  checkOptions,
  metric,
  type OptionShape,
  observerShape,
  optional,
  withMethods,
} from '@criticizer/core/internal';
import {
  type CursorStore,
  errorFacts,
  type Logger,
  noTelemetry,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
  type Telemetry,
} from '@criticizer/core/ports';
import { defaultBackoff } from '@criticizer/core/queue';
import { createP4Client, type P4ClientOptions } from '../client/p4-client.js';
import { defaultWarnBelowMs, expiresSoon, readTicket, type Ticket } from '../client/ticket.js';
import { rememberTicket } from '../client/ticket-memory.js';
import { clientShape } from '../policy/option-shapes.js';
import { createPolling } from './polling.js';

/** Whose ticket is looked at, how often, and from when it warns. */
export interface TicketWatchOptions extends P4ClientOptions {
  /** As the change fetcher's. */
  serverId: string;
  /**
   * How often the server is asked while it accepts the ticket; a refused one is looked at every
   * minute. Default 15 minutes, at least 1 s.
   */
  everyMs?: number | undefined;
  /** Below this the ticket is `expiring`. Default 12 hours. */
  warnBelowMs?: number | undefined;
  /**
   * Called when the state becomes another one, the first included; not for each look. For paging
   * and for renewing the ticket.
   */
  onChange?: ((status: TicketStatus) => void) | undefined;
  /**
   * Of the stores: where the last look is remembered for a doctor who may not show the ticket to
   * the server. Default: nowhere.
   */
  cursors?: CursorStore<never> | undefined;
  telemetry?: Telemetry | undefined;
  random?: Random | undefined;
}

/**
 * `valid`, `expiring` soon, or `refused` by the server or its source; a refused ticket parks the
 * fetch stage until there is a new one (INT-4).
 */
export interface TicketStatus {
  serverId: string;
  state: 'valid' | 'expiring' | 'refused';
  /** Null where the server names no end; 0 when refused. */
  remainingMs: number | null;
  /** Why it was refused; null otherwise. */
  code: string | null;
}

/** Looks at a ticket again and again, and warns before it expires. */
export interface TicketWatch extends AsyncDisposable {
  /** Looks at once, then again and again. Idempotent. */
  start(): void;
  /** Resolves when nothing runs any more. Idempotent. */
  stop(): Promise<void>;
  /** One look; rejects where the server cannot be asked. */
  check(): Promise<TicketStatus>;
}

const refusedEveryMs = 60_000;

const optionShape: OptionShape<TicketWatchOptions> = {
  ...clientShape,
  serverId: checkName,
  everyMs: checkedElsewhere,
  warnBelowMs: checkedElsewhere,
  onChange: optional(checkFunction),
  cursors: optional(withMethods('get', 'advance')),
  telemetry: observerShape.telemetry,
  random: observerShape.random,
};

/**
 * Watches how long the Perforce ticket is still good. Each change of state is reported once: by the
 * logger (a warning when it expires soon, an error when it is refused), by `onChange`, while the
 * metric `criticizer.p4.ticket.remaining` moves with each look. It renews nothing: put a new ticket
 * where the secret source finds it, and the next look and every parked job go on with it. Throws
 * TypeErrors that name the option.
 */
export function createTicketWatch(options: TicketWatchOptions): TicketWatch {
  checkOptions('createTicketWatch', options, optionShape);
  const { serverId, everyMs = 900_000, warnBelowMs = defaultWarnBelowMs } = options;
  for (const [name, value] of Object.entries({ everyMs, warnBelowMs }))
    if (!Number.isSafeInteger(value) || value < 1_000)
      throw new TypeError(`${name}: expected whole milliseconds, 1000 at least`);
  const client = createP4Client(options);
  const logger = options.logger ?? silentLogger;
  const telemetry = options.telemetry ?? noTelemetry;
  const clock = options.clock ?? systemClock;
  const stopping = new AbortController();
  let last: TicketStatus | null = null;

  async function check(): Promise<TicketStatus> {
    const ticket = await readTicket(client, stopping.signal);
    await tryToRemember(options, ticket, { nowMs: clock.nowMs(), logger });
    const status = readStatus(serverId, ticket, warnBelowMs);
    if (status.remainingMs !== null)
      telemetry.gauge(metric.ticketRemaining, status.remainingMs / 1_000, { [attribute.server]: serverId });
    const before = last;
    last = status;
    if (status.state !== before?.state || status.code !== before.code) {
      logStatus(logger, status, before);
      options.onChange?.(status);
    }
    return status;
  }

  const loop = createPolling({
    poll: async () => void (await check()),
    pollMs: () => (last?.state === 'refused' ? Math.min(everyMs, refusedEveryMs) : everyMs),
    backoff: defaultBackoff,
    onFailure: (error) =>
      logger.warn(
        { event: 'p4_ticket.unread', serverId, ...errorFacts(error) },
        'the Perforce ticket could not be looked at; it is tried again',
      ),
    clock,
    random: options.random ?? systemRandom,
    stopping: stopping.signal,
  });

  async function stop(): Promise<void> {
    stopping.abort();
    await loop.ended();
  }
  return { start: () => loop.start(), stop, check, [Symbol.asyncDispose]: stop };
}

function readStatus(serverId: string, ticket: Ticket, warnBelowMs: number): TicketStatus {
  if (!ticket.accepted) return { serverId, state: 'refused', remainingMs: 0, code: ticket.code };
  const { remainingMs } = ticket;
  return { serverId, state: expiresSoon(remainingMs, warnBelowMs) ? 'expiring' : 'valid', remainingMs, code: null };
}

function logStatus(logger: Logger, status: TicketStatus, before: TicketStatus | null): void {
  const { serverId, remainingMs } = status;
  const facts = { serverId, remainingHours: remainingMs === null ? null : Math.floor(remainingMs / 3_600_000) };
  if (status.state === 'refused')
    logger.error(
      { event: 'p4_ticket.refused', ...facts, code: status.code },
      'the Perforce ticket is refused: fetching waits until there is a new one',
    );
  else if (status.state === 'expiring')
    logger.warn({ event: 'p4_ticket.expiring', ...facts }, 'the Perforce ticket expires soon');
  else if (before !== null) logger.info({ event: 'p4_ticket.good', ...facts }, 'the Perforce ticket is good again');
}

/** A store that fails is logged: it is no failure of the ticket. */
async function tryToRemember(
  { cursors, serverId }: TicketWatchOptions,
  ticket: Ticket,
  { nowMs, logger }: { nowMs: number; logger: Logger },
): Promise<void> {
  if (cursors === undefined) return;
  await rememberTicket(cursors, serverId, ticket, nowMs).catch((error: unknown) =>
    logger.warn(
      { event: 'p4_ticket.not_remembered', serverId, ...errorFacts(error) },
      'what the Perforce server says of the ticket could not be remembered',
    ),
  );
}
