/**
 * `" . $value . "`, `'.$value['`, `.format(a, b["`, `); ?> <?= a['`, `", name:"`, `" << value <<
 * "`, `").append(value).append("`: code that stands between two literals, taken for one. Hiding it
 * would break the line.
 */
const CONCATENATION =
  /^["'`]?(?: {1,24}(?:[.+&]|<<) \S| {1,4}\${1,2}\w+ {1,4}$|\. ?\$\w|[+.] ?[A-Za-z_$][\w.$]*[()]|\s?\)[;,]|\s\)\s?;|\)\??\.[A-Za-z_]\w*\(|,[ \t]?[A-Za-z_$][\w$.]*[ \t]?[:=(][ \t]?$)/;

/** True for code between two literals. */
export function isConcatenation(value: string): boolean {
  return CONCATENATION.test(value);
}
