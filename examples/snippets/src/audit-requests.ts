// #region context
import type { IncomingMessage } from 'node:http';
import { type AuditRecorded, type AuditTrail, createAuditContext, readAuditRequest } from '@criticizer/core/audit';

/** One for the process. */
export const auditContext = createAuditContext();

/** Express, NestJS: `app.use(auditMiddleware)`, or `consumer.apply(auditMiddleware).forRoutes('*')`. */
export function auditMiddleware(request: IncomingMessage, _response: unknown, next: () => void): void {
  auditContext.run(readAuditRequest(request, { trustForwardedFor: false }), next);
}

/** Fastify: `app.addHook('onRequest', auditHook)`. */
export function auditHook(request: { raw: IncomingMessage }, _reply: unknown, done: () => void): void {
  auditContext.run(readAuditRequest(request.raw), done);
}

/** Where your authentication knows who it is. */
export function setAuditActor(admin: { id: string; tenant: string }): void {
  auditContext.add({ actorType: 'admin_user', actorId: admin.id, tenantId: admin.tenant });
}
// #endregion

// #region record
/** Anywhere below: an action says what it did; the request says who, for whom and from where. */
export async function recordRoleChange<Tx>(
  trail: AuditTrail<Tx>,
  tx: Tx,
  change: { user: string; role: string },
): Promise<AuditRecorded> {
  const entry = auditContext.fill({
    action: 'admin.role.grant',
    resultStatus: 'success',
    targetType: 'user',
    targetId: change.user,
    payload: { role: change.role },
  });
  return trail.record(entry, { tx, onFailure: 'throw' });
}
// #endregion
