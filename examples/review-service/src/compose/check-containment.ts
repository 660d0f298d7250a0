import { isCriticizerError, type Logger, type SecurityEvents } from '@criticizer/core';
import { checkP4Containment, type P4ClientOptions } from '@criticizer/p4';

/**
 * Proves what contains p4 before anything runs, where p4 runs in this process: without a full
 * containment one security event, or, where the server requires one, `P4_CONTAINMENT_UNAVAILABLE`.
 * A client that cannot be run may be installed later: each command says so.
 */
export async function checkContainment(
  {
    executable,
    containment,
    port,
    trustFingerprint,
    runner,
  }: Pick<P4ClientOptions, 'containment' | 'executable' | 'port' | 'runner' | 'trustFingerprint'>,
  observers: { securityEvents: SecurityEvents; logger: Logger },
): Promise<void> {
  if (runner !== undefined) return;
  await checkP4Containment({ executable, containment, port, trustFingerprint, ...observers }).catch(
    (error: unknown) => {
      if (isContainmentRefusal(error)) throw error;
    },
  );
}

/** No outage that passes while the process waits. */
export function isContainmentRefusal(error: unknown): boolean {
  return isCriticizerError(error) && error.code === 'P4_CONTAINMENT_UNAVAILABLE';
}
