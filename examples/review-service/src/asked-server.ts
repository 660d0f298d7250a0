import { createEnvironmentSecrets } from '@criticizer/core';
import type { P4DoctorOptions } from '@criticizer/p4';

/** The server that the environment names, for the doctor; null where it names none. */
export function askedServer(env: NodeJS.ProcessEnv): P4DoctorOptions | null {
  const {
    P4PORT: port,
    P4USER: user = '',
    P4_EXECUTABLE: executable = '/usr/local/bin/p4',
    P4_FINGERPRINT: trustFingerprint,
  } = env;
  if (port === undefined || port === '') return null;
  return {
    serverId: 'asked',
    executable,
    port,
    user,
    trustFingerprint: trustFingerprint === '' ? undefined : trustFingerprint,
    ticket: { source: createEnvironmentSecrets({ env }), name: 'P4_TICKET' },
    allowList: { allow: (env['ALLOW'] ?? '').split(',').filter((path) => path !== '') },
  };
}
