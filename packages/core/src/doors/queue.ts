// Public entry `@criticizer/core/queue`: a queue worker for the host's own jobs. Loads neither undici nor review code.
export type { ErrorCode } from '../foundation/error-codes.js';
export { CriticizerError, type FailureCategory, isCriticizerError } from '../foundation/errors.js';
export type { FailureClassifier, HostClassification } from '../foundation/failures/failure.js';
export type { Clock } from '../foundation/time/clock.js';
export { systemClock } from '../foundation/time/system-clock.js';
export { systemRandom } from '../foundation/time/system-random.js';
export { createMemoryStores, type MemoryStoresOptions } from '../memory/memory-stores.js';
export type { Settings, SettingsInput } from '../settings/settings.js';
export type { Job } from '../stores/job.js';
export type { EnqueueResult, NewJob } from '../stores/job-store.js';
export type { Stores } from '../stores/stores.js';
export { errorFacts } from '../telemetry/error-facts.js';
export { type Logger, silentLogger } from '../telemetry/logger.js';
export { noTelemetry, type Telemetry } from '../telemetry/telemetry.js';
export { type BackoffPolicy, backoffMs, defaultBackoff } from '../worker/retry/backoff.js';
export type {
  DeclaredDestination,
  JobEvent,
  JobKind,
  JobOutcome,
  RunDueOptions,
  Stage,
  StageContext,
  StageEnd,
  StageEvent,
  StageOutcome,
} from '../worker/run/stage.js';
export {
  createJobQueue,
  type DefinedJobKind,
  defineJobKind,
  type JobQueue,
  type JobQueueOptions,
  type NamedStage,
  type TypedJob,
} from '../worker/wiring/job-queue.js';
export { createQueueWorker, type QueueWorker, type QueueWorkerOptions } from '../worker/wiring/queue-worker.js';
