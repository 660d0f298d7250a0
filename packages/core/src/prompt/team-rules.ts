/** Instructions of the team for some files. Trusted text, from configuration alone. */
export interface TeamRule {
  /** Patterns of the files that it holds for. */
  paths: readonly string[];
  instructions: string;
}

function renderRule({ paths, instructions }: TeamRule): string {
  const heading = paths.length === 0 ? 'Some of the files shown:' : `Files under ${paths.join(', ')}:`;
  return `\n${heading}\n${instructions.replaceAll('\r\n', '\n').trim()}\n`;
}

/**
 * The last section of the system text: each rule under the paths that it holds for, in the given
 * order. Empty without rules, so that a variant's own text stays as it is. Deterministic.
 */
export function renderTeamRules(rules: readonly TeamRule[]): string {
  if (rules.length === 0) return '';
  const intro = 'The team wrote these. Each holds for the files that it names and for no other.';
  return `\n# The team's own rules\n${intro}\n${rules.map(renderRule).join('')}`;
}
