/** The paths by how many folders they share with one of the changed files, most first. */
export function nearestFirst(paths: readonly string[], changed: readonly string[]): readonly string[] {
  const rated = paths.map((path) => ({ path, shared: Math.max(0, ...changed.map((one) => countShared(path, one))) }));
  return rated.sort((a, b) => b.shared - a.shared || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

function countShared(path: string, other: string): number {
  const [steps, others] = [path.split('/'), other.split('/')];
  const differs = steps.findIndex((step, at) => step !== others[at]);
  return differs === -1 ? steps.length : differs;
}
