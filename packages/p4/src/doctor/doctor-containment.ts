import type { ContainmentStatus } from '../containment/containment.js';
import { type DoctorFinding, finding } from './doctor-findings.js';

/** What is wrong with the containment in force: its `todo` names the setting of this host. */
export function containmentFinding(status: ContainmentStatus): DoctorFinding | null {
  const { mode, rung, strength, obstacle, todo } = status;
  if (strength === 'full' || mode === 'accept-none') return null;
  const isPartial = strength === 'partial';
  const code = mode === 'required' ? 'containment.missing' : isPartial ? 'containment.partial' : 'containment.none';
  const found = finding(code, { containment: rung, obstacle });
  return todo === null ? found : { ...found, todo };
}

/** The rung in force, for a line of a report. */
export function containmentText({ mode, rung, strength }: ContainmentStatus): string {
  if (mode === 'accept-none') return 'none, as accepted';
  return strength === 'none' ? 'none' : `${rung} (${strength})`;
}
