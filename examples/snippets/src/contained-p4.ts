// #region check
import type { Logger, SecurityEvents } from '@criticizer/core';
import { checkP4Containment } from '@criticizer/p4';

/** At the start of a service: with `required` it rejects where this host cannot contain the client. */
export async function checkContainment(trustFingerprint: string, securityEvents: SecurityEvents, logger: Logger) {
  const reach = { executable: '/usr/local/bin/p4', port: 'ssl:perforce.example.com:1666', trustFingerprint };
  const status = await checkP4Containment({ ...reach, containment: 'required', securityEvents, logger });
  return status.rung; // 'bubblewrap', 'namespaces' or 'chroot'
}
// #endregion
