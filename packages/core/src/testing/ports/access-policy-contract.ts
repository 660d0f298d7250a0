import assert from 'node:assert/strict';
import type { AccessPolicy } from '../../artifacts/access-policy.js';
import type { Actor } from '../../foundation/actor.js';
import type { Runner } from '../support/runner.js';

/** A policy to check, and one actor for each thing that it must tell apart. */
export interface AccessPolicyHarness {
  policy: AccessPolicy;
  /** Somebody the policy lets read raw artifacts, and somebody it lets read redacted ones only. */
  rawReader: Actor;
  redactedReader: Actor;
}

/** What every AccessPolicy must do: default deny, least privilege (ART-3). */
export function describeAccessPolicyContract({ describe, it }: Runner, harness: AccessPolicyHarness): void {
  const ask = (actor: Actor, action: 'read' | 'write' | 'delete', namespace: 'raw' | 'redacted') =>
    harness.policy.decide({ actor, action, namespace, purpose: 'change', artifactId: 'a' });
  const stranger: Actor = { type: 'admin_user', id: 'criticizer', roles: [] };

  describe('AccessPolicy contract', () => {
    it('ART-3: who holds nothing gets nothing, whatever the name', async () => {
      for (const action of ['read', 'write', 'delete'] as const)
        for (const namespace of ['raw', 'redacted'] as const)
          assert.equal(await ask(stranger, action, namespace), 'deny');
    });
    it('ART-3: raw artifacts open to the authorized alone', async () => {
      assert.equal(await ask(harness.rawReader, 'read', 'raw'), 'allow');
      assert.equal(await ask(harness.redactedReader, 'read', 'raw'), 'deny');
      assert.equal(await ask(harness.redactedReader, 'read', 'redacted'), 'allow');
    });
    it('ART-3: reading gives no right to write or delete', async () => {
      for (const action of ['write', 'delete'] as const)
        assert.equal(await ask(harness.redactedReader, action, 'redacted'), 'deny');
    });
    it('lets the pipeline do its work', async () => {
      for (const action of ['read', 'write', 'delete'] as const)
        assert.equal(await ask({ type: 'system', id: 'criticizer' }, action, 'raw'), 'allow');
    });
  });
}
