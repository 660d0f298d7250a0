// The public entry. Named exports only.

export { checkP4Containment, type P4ContainmentOptions } from './client/check-containment.js';
export { createP4CommandLimit, type P4CommandLimit } from './client/command-limit.js';
export { type DepotPathDefect, type DepotPathResult, displayDepotPath, parseDepotPath } from './client/depot-path.js';
export type { P4ClientOptions } from './client/p4-client.js';
export type { P4Command } from './client/p4-command.js';
export type { P4Runner, P4RunRequest } from './client/p4-runner.js';
export type { P4Timeouts } from './client/p4-timeouts.js';
export type { Ticket } from './client/ticket.js';

export type { ContainmentMode, ContainmentStatus } from './containment/containment.js';
export type { Obstacle } from './containment/obstacles.js';
export type { RungName } from './containment/rungs.js';
export type { RejectedRung } from './containment/select-rung.js';
export { createP4ContextReader } from './context/context-reader.js';
export { runP4Doctor } from './doctor/doctor.js';

export type { AllowListOutcome } from './doctor/doctor-allow-list.js';
export type { DoctorFinding, DoctorFindingCode } from './doctor/doctor-findings.js';
export type { P4DoctorOptions } from './doctor/doctor-options.js';
export type { DoctorCheck, DoctorReport } from './doctor/doctor-report.js';
export type { Seats, ServiceUser } from './doctor/doctor-server.js';
export type { Robot, RobotSign } from './doctor/find-robots.js';
export { renderDoctorReport } from './doctor/render-doctor-report.js';
export { createP4ChangeFetcher, type P4ChangeFetcher } from './fetch/change-fetcher.js';
export type { P4ChangeFetcherOptions } from './fetch/fetcher-options.js';
export {
  type AllowList,
  type AllowListOptions,
  type AllowListVerdict,
  type CaseHandling,
  createAllowList,
} from './policy/allow-list.js';
export {
  type AuditedAllowList,
  type AuditedAllowListOptions,
  openAuditedAllowList,
} from './policy/audited-allow-list.js';
export type { DeniedPaths } from './policy/path-policy.js';
export { createP4RunnerClient, type P4RunnerClientOptions } from './runner/runner-client.js';
export {
  createP4RunnerServer,
  type P4RunnerServer,
  type P4RunnerServerOptions,
  type P4RunnerTarget,
} from './runner/runner-server.js';
export type { ReviewEnd } from './swarm/review-end.js';
export {
  createSwarmReports,
  type ReportedReview,
  type ReportPayload,
  type SwarmReports,
  type SwarmReportsOptions,
} from './swarm/swarm-reports.js';
export type { SwarmServer, SwarmServerOptions, TestRunUpdate } from './swarm/swarm-server.js';
export { createSwarmTestEndpoint, type SwarmTestEndpointOptions } from './swarm/swarm-test-endpoint.js';
export { createChangeIntake } from './watch/change-intake.js';
export { type ChangeWatcher, type ChangeWatcherOptions, createChangeWatcher } from './watch/change-watcher.js';
export type { CallerSecret, HttpEndpoint } from './watch/http-endpoint.js';
export type {
  ChangeIntake,
  ChangeIntakeOptions,
  ChangeOutcome,
  SeenChange,
  TakeOptions,
} from './watch/intake-options.js';
export { findNewestChanges } from './watch/newest-changes.js';
export {
  createTicketWatch,
  type TicketStatus,
  type TicketWatch,
  type TicketWatchOptions,
} from './watch/ticket-watch.js';
export { createTriggerEndpoint, type TriggerEndpointOptions } from './watch/trigger-endpoint.js';
export type { WatchSettings } from './watch/watch-settings.js';
