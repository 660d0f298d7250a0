import { type Actor, type Criticizer, createOperator, type Stores } from '@criticizer/core';
import type { AuditTrail } from '@criticizer/core/audit';
import { buildChangelistId } from '@criticizer/core/ports';

/** What a review of this change would send, without sending it. */
export async function previewRequests<Tx>(criticizer: Criticizer<Tx>, number: number): Promise<string[]> {
  // #region dry-run
  const run = await criticizer.dryRun({ serverId: 'main', number });
  if (run.kind === 'skipped') return [`not reviewed: ${run.detail}`];
  const requests = run.requests.map((request) => `${request.bytes} bytes to ${request.host}: ${request.body}`);
  const withheld = run.withheldPaths.map(({ path, reason }) => `not sent: ${path} (${reason})`);
  // #endregion
  return [...requests, ...withheld];
}

/** What left, for whom, with which proof. */
export async function listSent<Tx>(stores: Stores<Tx>, number: number): Promise<string[]> {
  // #region egress-log
  const records = await stores.egress.list({ changelistId: buildChangelistId({ serverId: 'main', number }) });
  const lines = records.map(
    (r) =>
      `${r.recordedAt.toISOString()} ${r.destination} ${r.host} ${r.content} ${r.bytes} bytes sha256 ${r.bodySha256}`,
  );
  // #endregion
  return lines;
}

/** Stops new requests to every model in every process within 5 seconds; `stopped: false` lets them go again. */
export async function switchModels<Tx>(
  stores: Stores<Tx>,
  audit: AuditTrail<Tx>,
  stopped: boolean,
  actor: Actor,
  reason: string,
) {
  // #region kill-switch
  const operator = createOperator({ stores, audit });
  const { audit: recorded } = await operator.setKillSwitch({
    stopped, // narrow it with providers: ['gateway']
    actor, // { type: 'admin_user', id: 'ada' }
    reason,
  });
  // #endregion
  return recorded === 'recorded';
}
