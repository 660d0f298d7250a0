import { isCriticizerError } from '@criticizer/core/ports';

/**
 * The scopes, then ever narrower ones: what they hold of the folders above the changed files, a step
 * more each time, down to the files' own folders. For servers that refuse to look through the wider
 * ones.
 */
export function narrowScopes(scopes: readonly string[], changed: readonly string[]): readonly (readonly string[])[] {
  const ladder: (readonly string[])[] = [scopes];
  const folders = changed.map((path) => path.split('/').slice(0, -1));
  for (let more = 1; ; more += 1) {
    const narrower = scopes.flatMap((scope) => {
      if (!scope.endsWith('/...')) return [scope];
      const depth = scope.slice(0, -4).split('/').length;
      return folders.flatMap((steps) => {
        const isInside = `${steps.join('/')}/`.startsWith(scope.slice(0, -3));
        return isInside ? [`${steps.slice(0, depth + more).join('/')}/...`] : [];
      });
    });
    const unique = [...new Set(narrower)];
    const outermost = unique.filter(
      (one) => !unique.some((other) => other !== one && one.startsWith(other.slice(0, -3))),
    );
    const last = ladder.at(-1) ?? [];
    if (outermost.length === 0 || outermost.join('\n') === last.join('\n')) return ladder;
    ladder.push(outermost);
  }
}

/**
 * Runs over the first of the scopes of `ladder` that the server finds small enough; `onNarrower` is
 * called for each that is too large. Throws the server's refusal where the last is too large as well.
 */
export async function inNarrower<T>(
  ladder: readonly (readonly string[])[],
  run: (scopes: readonly string[]) => Promise<T>,
  onNarrower: () => void,
): Promise<T> {
  for (const [at, scopes] of ladder.entries()) {
    try {
      return await run(scopes);
    } catch (error) {
      const isTooLarge = isCriticizerError(error) && error.code === 'P4_SERVER_LIMIT';
      if (!isTooLarge || at === ladder.length - 1) throw error;
      onNarrower();
    }
  }
  return run([]);
}
