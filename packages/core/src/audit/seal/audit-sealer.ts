import path from 'node:path';
import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { partWith } from '../../foundation/contract.js';
import { isCriticizerError } from '../../foundation/errors.js';
import {
  checkAbortSignal,
  checkName,
  nested,
  observerShape,
  optional,
  withMethods,
} from '../../foundation/option-checks.js';
import { checkMs, checkWhole } from '../../foundation/store-input.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { systemRandom } from '../../foundation/time/system-random.js';
import { checkDestinations } from '../../stores/input/new-audit-event.js';
import { maxSealLeaves } from '../../stores/input/new-audit-seal.js';
import { refuseAbsentFacet } from '../../stores/modules.js';
import type { Stores } from '../../stores/stores.js';
import { type Logger, silentLogger } from '../../telemetry/logger.js';
import { raiseSecurityEvent } from '../../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../../telemetry/security-events.js';
import { noTelemetry, type Telemetry } from '../../telemetry/telemetry.js';
import { createLifecycle } from '../../worker/wiring/lifecycle.js';
import { createPeriodic } from '../../worker/wiring/periodic.js';
import { createCheckpointKeeper } from './checkpoint-keeper.js';
import type { SealKey } from './seal-keys.js';
import { type AuditSealing, createSealPass } from './seal-pass.js';

/** What is sealed, by which key, and where the roots are kept outside of the database. */
export interface AuditSealerOptions<Tx> {
  /** With the module `audit`. */
  stores: Pick<Stores<Tx>, 'audit' | 'auditSeals' | 'transaction'>;
  /** The Ed25519 private key. Its public key goes to whoever verifies; `readSealPublicKey` gives it. */
  key: SealKey;
  /** The sinks that get each root, as an audit event `audit.seal.root`. Default: none. */
  destinations?: readonly string[] | undefined;
  /**
   * Absolute path of an append-only file of seals, which should lie where the database's owner does not
   * write: without it a cut at the end of the trail shows nowhere. Default: none.
   */
  checkpointFile?: string | undefined;
  /** Milliseconds between two passes. Default 10,000. */
  everyMs?: number | undefined;
  /** Most events of one seal, at least 2, each up to 64 KiB in memory. Default 500. */
  batchSize?: number | undefined;
  /** Milliseconds that one batch may take. Default 60,000. */
  callMs?: number | undefined;
  /** Aborting it stops as `stop()` does. */
  signal?: AbortSignal | undefined;
  /** Receives `audit.seal_mismatch`. */
  securityEvents?: SecurityEvents | undefined;
  logger?: Logger | undefined;
  telemetry?: Telemetry | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
}

/** Seals the audit trail, off the path of whoever records. Any number of processes may run one. */
export interface AuditSealer extends AsyncDisposable {
  /** Begins to seal. Throws `STOPPED` after a stop. */
  start(): Promise<void>;
  /** Lets a batch under way finish. Idempotent. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
  /**
   * Seals in this process, in place of `start`, what is committed now. Rejects with
   * `AUDIT_SEAL_MISMATCH` where the store contradicts the checkpoint, and as key and store do.
   */
  runDue(): Promise<AuditSealing>;
}

const optionShape: OptionShape<AuditSealerOptions<unknown>> = {
  stores: withMethods('transaction'),
  key: nested<SealKey>({ source: partWith('read'), name: checkName }),
  destinations: optional((option, value) => checkDestinations(option, value as readonly string[])),
  checkpointFile: optional((option, value) => {
    if (typeof value !== 'string' || !path.isAbsolute(value))
      throw new TypeError(`${option}: expected an absolute path`);
  }),
  everyMs: optional((option, value) => checkMs(option, value, 100)),
  batchSize: optional((option, value) => checkWhole(option, value, 2, maxSealLeaves)),
  callMs: optional((option, value) => checkMs(option, value, 1_000)),
  signal: optional(checkAbortSignal),
  ...observerShape,
};

/**
 * Seals committed audit events in batches: hashes of a Merkle tree over salted digests, roots that name
 * the one before, signed with Ed25519 (decision 127). A host's `record` runs the same statements as
 * without a sealer. Throws `TypeError` for a missing part or a wrong option, `MODULE_ABSENT` for
 * stores without the audit.
 */
export function createAuditSealer<Tx>(options: AuditSealerOptions<Tx>): AuditSealer {
  checkOptions('createAuditSealer', options, optionShape);
  refuseAbsentFacet('createAuditSealer: stores.auditSeals', options.stores.auditSeals);
  const { everyMs = 10_000, signal, securityEvents, checkpointFile = null } = options;
  const { logger = silentLogger, telemetry = noTelemetry, clock = systemClock, random = systemRandom } = options;
  const keeper = createCheckpointKeeper(options.stores.auditSeals, checkpointFile);
  const seal = createSealPass({ ...options, keeper, telemetry, clock, random });

  async function pass(ended: AbortSignal): Promise<AuditSealing> {
    try {
      return await seal(ended);
    } catch (error) {
      if (isCriticizerError(error) && error.code === 'AUDIT_SEAL_MISMATCH') {
        const reason = 'The audit trail in the store contradicts its checkpoint; sealing has stopped.';
        raiseSecurityEvent(securityEvents, { type: 'audit.seal_mismatch', reason, details: error.details }, logger);
      }
      throw error;
    }
  }

  const loop = createPeriodic({
    name: 'audit seal',
    everyMs,
    duty: async (ended) => void (await pass(ended)),
    clock,
    random,
    logger,
  });
  const stopping = new AbortController();
  const lifecycle = createLifecycle({
    name: 'audit sealer',
    begin: [() => loop.start()],
    end: async () => {
      stopping.abort();
      await loop.stop();
    },
    graceMs: 0,
    signal,
    logger,
  });
  return {
    start: lifecycle.start,
    stop: lifecycle.stop,
    runDue: () => lifecycle.runInstead(() => pass(stopping.signal)),
    [Symbol.asyncDispose]: () => lifecycle.stop(),
  };
}
