/**
 * Files that are longer than the rule allows, or hold a function that is. The list only shrinks:
 * an entry that is no longer needed fails `npm run lint`, and a new one needs a reason in review.
 */
export const filesNotYetSplit: readonly string[] = [
  'packages/core/src/artifacts/artifacts.ts',
  'packages/core/src/artifacts/file-artifact-store.ts',
  'packages/core/src/egress/pattern-trie.ts',
  'packages/core/src/http/undici-http-client.ts',
  'packages/core/src/memory/memory-database.ts',
  'packages/core/src/settings.ts',
  'packages/core/src/worker/lease/beats.ts',
  'packages/core/src/worker/lease/lease-loop.ts',
  'packages/core/src/worker/lease/slots.ts',
  'packages/core/src/worker/retry/breaker.ts',
  'packages/core/src/worker/run/job-runner.ts',
  'packages/core/src/worker/run/settle-batcher.ts',
  'packages/notify/src/outbox/mail-outbox.ts',
  'packages/notify/src/smtp/session-pool.ts',
  'packages/notify/src/smtp/smtp-mailer.ts',
  'packages/notify/src/smtp/smtp-session.ts',
  'packages/p4/src/client/p4-client.ts',
  'packages/p4/src/client/p4-process.ts',
  'packages/p4/src/fetch/file-contents.ts',
  'packages/p4/src/policy/audited-allow-list.ts',
  'packages/p4/src/watch/change-intake.ts',
  'packages/p4/src/watch/change-watcher.ts',
  'packages/queue-pg/src/jobs/claim-jobs.ts',
  'packages/queue-pg/src/jobs/settle-jobs.ts',
  'packages/queue-pg/src/shared/pg-gate.ts',
  'packages/queue-pg/src/shared/pg-reserved.ts',
  'packages/queue-pg/src/shared/pg-wake-ups.ts',
  'packages/queue-sqlite/src/shared/sqlite-gate.ts',
];
