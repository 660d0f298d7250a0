// #region simulator
import { randomBytes } from 'node:crypto';
import { createAllowList, createP4ChangeFetcher } from '@criticizer/p4';
import { createP4Simulator, type P4Simulator } from '@criticizer/p4/testing';

/** A server with two submitted changes of one file. Call `dispose` when the test is over. */
export function simulatedPerforce(): P4Simulator {
  const path = '//depot/main/hello.txt';
  return createP4Simulator({
    users: [{ user: 'ann', email: 'ann@mail.example', fullName: 'Ann' }],
    changes: [
      {
        number: 1,
        user: 'ann',
        description: 'First',
        status: 'submitted',
        files: [{ path, action: 'add', content: 'hello\n' }],
      },
      {
        number: 2,
        user: 'ann',
        description: 'Greet all',
        status: 'submitted',
        files: [{ path, action: 'edit', content: 'hello all\n' }],
      },
    ],
  });
}

/** The real fetcher: it starts the simulator as it would start `p4`. */
export function fetcherOf(simulator: P4Simulator) {
  return createP4ChangeFetcher({
    serverId: 'main',
    fingerprintKey: randomBytes(32),
    executable: simulator.executable,
    containment: 'accept-none', // the simulator is a script of Node, which nothing drives
    port: simulator.port,
    user: 'criticizer',
    allowList: createAllowList({ allow: ['//depot/main/...'] }),
    securityEvents: { emit: () => undefined },
  });
}
// #endregion
