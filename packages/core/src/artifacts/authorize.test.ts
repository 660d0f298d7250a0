import { describe, expect, it } from 'vitest';
import { silentLogger } from '../telemetry/logger.js';
import { type ArtifactAccess, createAuthorizer, type OnAccess } from './authorize.js';
import { createRoleAccessPolicy } from './role-access-policy.js';

const reader = { type: 'admin_user', id: 'ada', roles: ['analyst'] } as const;
const subject = { id: 'a-1', namespace: 'redacted', purpose: 'change', changelistId: 'main/7' } as const;

function authorizer(onAccess: OnAccess) {
  const lines: string[] = [];
  const authorize = createAuthorizer({
    access: createRoleAccessPolicy([{ role: 'analyst', actions: ['read'], namespaces: ['redacted'] }]),
    isRecorded: true,
    onAccess,
    securityEvents: { emit: () => undefined },
    logger: { ...silentLogger, error: (_fields, message) => void lines.push(message) },
  });
  return { authorize, lines };
}

describe('onAccess', () => {
  it('ART-3: receives every read, allowed or denied, with actor and artifact; no write', async () => {
    const seen: ArtifactAccess[] = [];
    const { authorize } = authorizer((access) => void seen.push(access));
    await authorize(reader, 'read', subject);
    await expect(authorize(reader, 'read', { ...subject, namespace: 'raw' })).rejects.toMatchObject({
      code: 'ARTIFACT_ACCESS_DENIED',
    });
    await expect(authorize(reader, 'write', subject)).rejects.toThrow();
    const about = { actor: reader, artifactId: 'a-1', purpose: 'change', changelistId: 'main/7' };
    expect(seen).toEqual([
      { ...about, namespace: 'redacted', outcome: 'allowed' },
      { ...about, namespace: 'raw', outcome: 'denied' },
    ]);
  });

  it('ART-3: a hook that throws, rejects or hangs changes no answer, and is logged once', async () => {
    const hooks: readonly OnAccess[] = [
      () => {
        throw new Error('no');
      },
      () => Promise.reject(new Error('no')),
    ];
    for (const hook of hooks) {
      const { authorize, lines } = authorizer(hook);
      for (let read = 0; read < 3; read++) await authorize(reader, 'read', subject);
      await expect(authorize(reader, 'read', { ...subject, namespace: 'raw' })).rejects.toThrow();
      expect(lines).toHaveLength(1);
    }
    const { authorize, lines } = authorizer(() => new Promise<void>(() => undefined));
    await authorize(reader, 'read', subject);
    expect(lines).toEqual([]);
  });
});
