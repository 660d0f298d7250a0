import { CriticizerError, isCriticizerError } from '@criticizer/core/ports';
import type { PgClient, PgNamedStatement, PgPool, PgPreparing, PgResult } from './pg-database.js';
import { sqlStateOf } from './pg-errors.js';

/** The shortest deadline that is made of a lease: a busy server must not be taken for a dead one. */
const leastDeadlineMs = 1_000;

/**
 * How long one statement of a call under leases of `leaseMs` may take: four of them fit in a lease.
 * Never longer than `mostMs`.
 */
export function statementDeadlineMs(leaseMs: number, mostMs: number): number {
  return Math.min(mostMs, Math.max(leastDeadlineMs, leaseMs / 4));
}

const noAnswer = (ms: number): CriticizerError =>
  new CriticizerError(
    'PG_TIMEOUT',
    `PostgreSQL gave no answer, or the pool no connection, within ${Math.round(ms)} ms.`,
    {
      category: 'network',
    },
  );

/** Bounds one wait after the other; one timer serves all that are equally long. */
interface Deadline {
  /** Settles as `work` does, or rejects with `PG_TIMEOUT` after `ms`. */
  within<T>(work: Promise<T>, ms: number): Promise<T>;
  end(): void;
}

function createDeadline(): Deadline {
  let timer: NodeJS.Timeout | undefined;
  let timerMs = 0;
  let giveUp: (error: Error) => void = () => undefined;
  function start(ms: number): void {
    if (timer !== undefined && timerMs === ms) return void timer.refresh();
    clearTimeout(timer);
    timerMs = ms;
    // An answer that came while the event loop was blocked or the process frozen is read before the wait is given up.
    timer = setTimeout(() => setImmediate(() => giveUp(noAnswer(ms))), ms);
  }
  return {
    within: (work, ms) =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        start(ms);
        work.then(resolve, reject);
      }),
    end: () => clearTimeout(timer),
  };
}

/** A client that comes after the wait for it was given up goes back at once. */
async function connectWithin(pool: PgPool, deadline: Deadline, ms: number): Promise<PgClient> {
  const connecting = pool.connect();
  try {
    return await deadline.within(connecting, ms);
  } catch (error) {
    deadline.end();
    connecting.then(
      (late) => late.release(),
      () => undefined,
    );
    throw error;
  }
}

const queryOn = (
  client: PgClient,
  statement: string | PgNamedStatement,
  values: unknown[] | undefined,
): Promise<PgResult> => (typeof statement === 'string' ? client.query(statement, values) : client.query(statement));

/** A client out of the pool. Whoever holds it gives it back once. */
export interface HeldClient {
  readonly client: PgClient;
  /** The client, each of whose statements ends within `ms`; after one that did not the connection is of no more use. */
  bounded(ms: number): PgPreparing;
  /** True once the connection broke by itself. */
  isBroken(): boolean;
  /** Back to the pool; a connection that is not fit for others is destroyed. */
  giveBack(isFit: boolean): void;
}

/** Takes a client out of the pool. Rejects with `PG_TIMEOUT` where there is none within `ms`. */
export async function takeClient(pool: PgPool, ms: number): Promise<HeldClient> {
  const deadline = createDeadline();
  const client = await connectWithin(pool, deadline, ms);
  let broken: Error | undefined;
  // A client without a listener ends the process when its connection breaks while it is checked out.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  return {
    client,
    bounded: (statementMs) => ({
      query: (statement: string | PgNamedStatement, values?: unknown[]): Promise<PgResult> =>
        deadline.within(queryOn(client, statement, values), statementMs),
    }),
    isBroken: () => broken !== undefined,
    giveBack(isFit) {
      deadline.end();
      client.release(isFit ? broken : (broken ?? true));
      client.removeListener('error', onError);
    },
  };
}

/** SQLSTATEs after which a connection serves others as before: the statement alone was refused. */
const fitAfter = /^(?:22|23|40|42|55|P0)/;

/** True where an error says nothing against the connection it came over. */
export function leavesConnectionFit(error: unknown): boolean {
  const sqlState = sqlStateOf(error);
  if (sqlState !== undefined) return fitAfter.test(sqlState);
  return !(isCriticizerError(error) && error.code === 'PG_TIMEOUT');
}

/** Runs single statements on a client of its own. After any error that client is destroyed, as `pg.Pool.query` does. */
export async function onPool<T>(
  pool: PgPool,
  deadlineMs: number,
  body: (connection: PgPreparing) => Promise<T>,
): Promise<T> {
  const held = await takeClient(pool, deadlineMs);
  let isFit = false;
  try {
    const value = await body(held.bounded(deadlineMs));
    isFit = true;
    return value;
  } finally {
    held.giveBack(isFit);
  }
}

const bounded = new WeakSet<PgPool>();

/**
 * A connection that is made but never answers would hold its place in the pool for ever. Where the
 * host set no `connectionTimeoutMillis`, clients that the pool makes from now on give up connecting
 * after `ms`. Unlike that option it does not bound how long the host waits for a free client.
 */
export function boundConnecting(pool: PgPool, ms: number): void {
  const Client: unknown = Reflect.get(pool, 'Client');
  if (
    bounded.has(pool) ||
    typeof Client !== 'function' ||
    pool.options === undefined ||
    pool.options.connectionTimeoutMillis
  )
    return;
  bounded.add(pool);
  const construct = (target: object, args: unknown[]): object => {
    const [given] = args as [{ password?: unknown } | undefined];
    // The pool hides the password from enumeration.
    const options = {
      ...given,
      ...(given?.password === undefined ? {} : { password: given.password }),
      connectionTimeoutMillis: ms,
    };
    return Reflect.construct(target as new () => object, [options]) as object;
  };
  Reflect.set(pool, 'Client', new Proxy(Client, { construct }));
}
