import { isPipeline } from '../foundation/actor.js';
import { checkFields, type OptionCheck, type OptionShape } from '../foundation/check-options.js';
import { checkArray, checkedElsewhere } from '../foundation/option-checks.js';
import { checkOneOf } from '../foundation/store-input.js';
import type { ArtifactNamespace } from '../stores/artifact-manifest.js';
import type { AccessPolicy } from './access-policy.js';

/** What one role may do in which namespaces. */
export interface RoleGrant {
  role: string;
  actions: readonly ('read' | 'write' | 'delete')[];
  namespaces: readonly ArtifactNamespace[];
}

function eachOf(...allowed: readonly string[]): OptionCheck {
  return (option, value) => {
    checkArray(option, value);
    for (const one of value as readonly unknown[]) checkOneOf(option, one, allowed);
  };
}

const grantShape: OptionShape<RoleGrant> = {
  role: checkedElsewhere,
  actions: eachOf('read', 'write', 'delete'),
  namespaces: eachOf('raw', 'redacted'),
};

/**
 * Grants by role, nothing else (ART-3). The workers (`system`/`criticizer`) may do what the
 * pipeline does; everybody else gets what a grant names. Without a grant that names `raw`, nobody
 * reads raw artifacts.
 */
export function createRoleAccessPolicy(grants: readonly RoleGrant[]): AccessPolicy {
  checkArray('createRoleAccessPolicy: grants', grants);
  for (const [n, grant] of grants.entries()) {
    checkFields(`createRoleAccessPolicy: grants[${n}]`, grant, grantShape);
    if (typeof grant.role !== 'string' || grant.role === '')
      throw new TypeError('createRoleAccessPolicy: every grant needs a role');
  }
  return {
    decide({ actor, action, namespace }) {
      if (isPipeline(actor)) return 'allow';
      const held = new Set(actor.roles ?? []);
      const allowed = grants.some(
        (g) => held.has(g.role) && g.actions.includes(action) && g.namespaces.includes(namespace),
      );
      return allowed ? 'allow' : 'deny';
    },
  };
}
