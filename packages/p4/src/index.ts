// The public entry. Named exports only.
export {
  type AllowList,
  type AllowListOptions,
  type AllowListVerdict,
  type CaseHandling,
  createAllowList,
} from './allow-list.js';
export {
  type AllowListActor,
  type AuditedAllowList,
  type AuditedAllowListOptions,
  openAuditedAllowList,
} from './audited-allow-list.js';
export { createP4ChangeFetcher, type P4ChangeFetcherOptions } from './change-fetcher.js';
export {
  type ChangeIntake,
  type ChangeIntakeOptions,
  type ChangeOutcome,
  createChangeIntake,
  type SeenChange,
} from './change-intake.js';
export { type ChangeWatcher, type ChangeWatcherOptions, createChangeWatcher } from './change-watcher.js';
export { type DepotPathDefect, type DepotPathResult, displayDepotPath, parseDepotPath } from './depot-path.js';
export { type DoctorCheck, type DoctorReport, type P4DoctorOptions, runP4Doctor } from './doctor.js';
export type { AllowListOutcome } from './doctor-allow-list.js';
export type { DoctorFinding, DoctorFindingCode } from './doctor-findings.js';
export type { CallerSecret, HttpEndpoint } from './http-endpoint.js';
export { findNewestChanges } from './newest-changes.js';
export type { P4ClientOptions, P4Timeouts } from './p4-client.js';
export type { DeniedPaths } from './path-policy.js';
export { renderDoctorReport } from './render-doctor-report.js';
export type { ReviewEnd } from './review-end.js';
export {
  createSwarmReports,
  type ReportedReview,
  type ReportPayload,
  type SwarmReports,
  type SwarmReportsOptions,
} from './swarm-reports.js';
export type { SwarmServer, SwarmServerOptions, TestRunUpdate } from './swarm-server.js';
export { createSwarmTestEndpoint, type SwarmTestEndpointOptions } from './swarm-test-endpoint.js';
export type { Ticket } from './ticket.js';
export { createTicketWatch, type TicketStatus, type TicketWatch, type TicketWatchOptions } from './ticket-watch.js';
export { createTriggerEndpoint, type TriggerEndpointOptions } from './trigger-endpoint.js';
export type { WatchSettings } from './watch-settings.js';
