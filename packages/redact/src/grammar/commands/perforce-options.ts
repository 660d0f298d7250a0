/**
 * What may stand between `p4` and its command: options, those that take a value with it, and
 * variables that hold some. Behind the command `-P` means something else.
 */
const OPTION = /^(?:-[bcCdHLpPQruxzFvZ][ \t]{1,4}(?:"[^"\n]*"|'[^'\n]*'|[^\s"'-]\S*)|--?[A-Za-z][^\s"']*|[$%]\S+)/;

/** True where a `-P` that follows `between`, the text behind `p4`, is an option of the client itself. */
export function isBeforeCommand(between: string): boolean {
  let rest = between.replaceAll(/\\\r?\n/g, ' ').trim();
  while (rest !== '') {
    const option = OPTION.exec(rest);
    if (option === null) return false;
    rest = rest.slice(option[0].length).trimStart();
  }
  return true;
}
