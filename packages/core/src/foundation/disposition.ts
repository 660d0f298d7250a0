/** Why a finding is hidden: it is wrong, nobody will mend it, or somebody knows of it (GRD-8). */
export const dispositions = ['false_positive', 'wont_fix', 'acknowledged'] as const;

/** What somebody said of a finding. */
export type Disposition = (typeof dispositions)[number];
