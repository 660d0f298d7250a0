/** Source first, then prose, then what tools write: when room is short, this decides. */
export function rankOf(path: string): number {
  const name = path.toLowerCase();
  if (
    /(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|cargo\.lock|go\.sum|poetry\.lock|gemfile\.lock)$/.test(name)
  )
    return 2;
  if (
    /\.(min\.(js|css)|map|snap|lock|designer\.cs|g\.cs|pb\.(go|cc|h))$|(^|\/)(vendor|third_party|generated|dist)\//.test(
      name,
    )
  )
    return 2;
  return /\.(md|txt|rst|adoc|csv|tsv|svg|html?)$|(^|\/)(docs?|changelog)(\/|$)/.test(name) ? 1 : 0;
}
