import type { Hit } from '../grammar/rule.js';
import { digest } from '../policy/digest.js';
import type { ResolvedPolicy } from '../policy/resolve-policy.js';
import type { Fingerprint } from './fingerprint.js';

/** What a policy makes of one hit: the hit, less of it, or nothing. */
export type Governor = (text: string, hit: Hit) => Hit | undefined;

/**
 * What a policy takes back: disabled rules, allowed values, the domain of an e-mail address. It is
 * applied before overlaps are resolved, so that a hit that goes does not take another with it; and
 * never of a hit of high confidence, so no policy can send what the guard blocks (RED-10).
 * Undefined where the policy takes nothing back.
 */
export function createGovernor(policy: ResolvedPolicy, fingerprint: Fingerprint): Governor | undefined {
  const disabled = new Set(policy.disabled);
  const values = new Set(policy.allowedValues);
  const fingerprints = new Set(policy.allowedFingerprints);
  if (disabled.size + values.size + fingerprints.size === 0 && policy.emails !== 'user-part') return undefined;
  return (text, hit) => {
    if (hit.confidence === 'high') return hit;
    if (disabled.has(hit.rule)) return undefined;
    if (values.size > 0 && values.has(digest(secretOf(text, hit)))) return undefined;
    if (fingerprints.size > 0 && fingerprints.has(fingerprint(secretOf(text, hit)))) return undefined;
    return hit.rule === 'email' && policy.emails === 'user-part' ? userPart(text, hit) : hit;
  };
}

/** The value without line breaks, diff marks and indentation: the same secret counts as the same wherever it stands. */
export function secretOf(text: string, hit: Hit): string {
  let value = text.slice(hit.spans[0], hit.spans[1]);
  for (let i = 2; i < hit.spans.length; i += 2) value += text.slice(hit.spans[i], hit.spans[i + 1]);
  return value;
}

function userPart(text: string, hit: Hit): Hit {
  const [start = 0, end = 0] = hit.spans;
  const at = text.slice(start, end).indexOf('@');
  return at < 0 ? hit : { ...hit, spans: [start, start + at] };
}
