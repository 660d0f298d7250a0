/** One step of a JSON path: the index of an item, or a member's step as it is written, `.name` or `["odd name"]`. */
export type Step = number | string;

/** Longer names are cut: a path is there to be read. */
const MAX_NAME = 256;
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** The step that leads to a member. */
export function memberStep(name: string): Step {
  const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return PLAIN_NAME.test(shown) ? `.${shown}` : `[${JSON.stringify(shown)}]`;
}

/** `$` and the steps after it. The first of `steps` is the root's own and is not shown. */
export function jsonPath(steps: readonly Step[], count: number, last: Step): string {
  if (count === 0) return '$';
  let path = '$';
  for (let at = 1; at < count; at += 1) path += written(steps[at] as Step);
  return path + written(last);
}

function written(step: Step): string {
  return typeof step === 'number' ? `[${step}]` : step;
}
