import { describe, it } from 'vitest';
import { describeAccessPolicyContract } from '../testing/ports/access-policy-contract.js';
import { createRoleAccessPolicy } from './role-access-policy.js';

describeAccessPolicyContract(
  { describe, it },
  {
    policy: createRoleAccessPolicy([
      { role: 'operator', actions: ['read'], namespaces: ['raw', 'redacted'] },
      { role: 'analyst', actions: ['read'], namespaces: ['redacted'] },
    ]),
    rawReader: { type: 'admin_user', id: 'op', roles: ['operator'] },
    redactedReader: { type: 'admin_user', id: 'an', roles: ['analyst'] },
  },
);
