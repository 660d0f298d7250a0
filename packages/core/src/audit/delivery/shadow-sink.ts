import { checkContract } from '../../foundation/contract.js';
import { toProductionKey, toShadowDestination } from '../shadow-destination.js';
import type { AuditSink, SinkContext } from '../sinks/audit-sink.js';

/**
 * The shadow of a destination (AUD-19, phase C): takes a sink with the destination's id that reaches a
 * non-production endpoint, and gives the sink of `shadow:<id>`. That endpoint receives what production
 * would receive, under the key that production would get. Rows of the destination itself stay as they
 * are. Throws `TypeError` for a sink that is none, or is a shadow.
 */
export function createShadowSink(sink: AuditSink): AuditSink {
  if (typeof sink?.send !== 'function' || typeof sink.id !== 'string')
    throw new TypeError('createShadowSink: expected a sink such as createWebhookSink makes');
  checkContract('createShadowSink', sink);
  const asProduction = (context: SinkContext): SinkContext => ({
    ...context,
    idempotencyKey: toProductionKey(context.idempotencyKey),
  });
  const { poll, testConnection, close } = sink;
  return {
    contract: 1,
    id: toShadowDestination(sink.id),
    send: (event, context) => sink.send(event, asProduction(context)),
    ...(poll === undefined ? {} : { poll: (receipt, context) => poll.call(sink, receipt, asProduction(context)) }),
    ...(testConnection === undefined ? {} : { testConnection: (options) => testConnection.call(sink, options) }),
    ...(close === undefined ? {} : { close: () => close.call(sink) }),
  };
}
