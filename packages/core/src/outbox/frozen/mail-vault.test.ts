import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createArtifacts } from '../../artifacts/artifacts.js';
import { createLocalKeyRing } from '../../artifacts/local-key-ring.js';
import { createMemoryArtifactStore } from '../../artifacts/memory-artifact-store.js';
import { createRoleAccessPolicy } from '../../artifacts/role-access-policy.js';
import { sweepArtifacts } from '../../artifacts/sweep-artifacts.js';
import { systemRandom } from '../../foundation/time/system-random.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { Secret } from '../../secrets/secret.js';
import { createMemorySecurityEvents } from '../../telemetry/memory-security-events.js';
import { describeMessageVaultContract } from '../../testing/ports/delivery/message-vault-contract.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createArtifactVault } from './mail-vault.js';

const hour = 3_600_000;

function setUp() {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const store = createMemoryArtifactStore();
  const key = new Secret(randomBytes(32).toString('base64'));
  const artifacts = createArtifacts({
    store,
    manifest: stores.artifactManifest,
    keys: createLocalKeyRing({
      source: { contract: 1, read: async () => ({ current: { secret: key, version: '1' } }) },
      name: 'KEK',
    }),
    access: createRoleAccessPolicy([]),
    securityEvents: createMemorySecurityEvents(),
    random: systemRandom,
    ttlMs: { raw: 10 * hour, redacted: 10 * hour },
  });
  const vault = createArtifactVault({ artifacts, manifest: stores.artifactManifest });
  const sweep = () => sweepArtifacts({ store, manifest: stores.artifactManifest, random: systemRandom });
  return { clock, stores, vault, sweep };
}

describe('the vault over the artifact store', () => {
  describeMessageVaultContract(
    { describe, it },
    {
      async create() {
        const { stores, vault } = setUp();
        return { vault, transaction: (work) => stores.transaction(work), dispose: () => stores.close() };
      },
    },
  );

  it('EGR-5: what is saved is live at once, and what is discarded goes with the next sweep', async () => {
    const { clock, vault, sweep } = setUp();
    const about = { changelistId: 'mail:1', jobId: null };
    const [kept, gone] = [await vault.save(Buffer.from('kept'), about), await vault.save(Buffer.from('gone'), about)];
    await vault.discard?.(gone);
    await clock.advance(2 * hour); // orphans, which these are not, are swept after one
    expect(await sweep()).toMatchObject({ deleted: 1, stillPresent: 0 });
    expect([await vault.load(gone), Buffer.from((await vault.load(kept)) ?? '').toString()]).toEqual([null, 'kept']);
  });
});
