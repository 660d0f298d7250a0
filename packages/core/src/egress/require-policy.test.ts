import { describe, expect, it } from 'vitest';
import { createInternalHosts } from './internal-hosts.js';
import { requirePolicy } from './require-policy.js';

const isInternal = createInternalHosts(['models.studio.example']);

describe('requirePolicy', () => {
  it('EGR-2: refuses a public host where no policy permits it, and says the line to add', () => {
    const providers = [
      { id: 'house', host: 'localhost:8080' },
      { id: 'cloud', host: 'api.vendor.example' },
    ];
    expect(() => requirePolicy(providers, isInternal)).toThrow(
      expect.objectContaining({
        code: 'EGRESS_POLICY_MISSING',
        category: 'policy',
        message: expect.stringContaining(`egress: { policy: [{ paths: ['//...'], providers: ["house","cloud"] }] }`),
        details: { providers: ['cloud'] },
      }),
    );
  });

  it('EGR-2: lets hosts inside the house go without a policy', () => {
    const hosts = ['localhost:8080', '10.1.2.3:443', 'models.studio.example', undefined];
    expect(() =>
      requirePolicy(
        hosts.map((host, n) => ({ id: `p${n}`, host })),
        isInternal,
      ),
    ).not.toThrow();
  });
});
