/**
 * The kinds of defect in the corpus, each with words of which a finding about it has at least one,
 * as a regular expression. A finding at the right line that speaks of another matter is no hit.
 */
export const kindWords = {
  'off-by-one':
    'off.by.one|one past|past the (end|last)|out.of.(bounds|range)|one (too many|more|element)|last (one|page|element|item)|beyond|boundary|<=|skips|misses|lost|drops',
  'use-after-free': 'use.after.free|freed|dangling|lifetime|outlive|out of scope|destroyed|by reference',
  'wrong-lock': 'lock|mutex|synchroni|race',
  'missing-unlock': 'lock|mutex|semaphore|gate|releas',
  'changed-unit':
    'unit|second|millisecond|minute|gram|kilo|cent|percent|fraction|euro|scale|0 to 1|duration|nanosecond',
  'enum-without-case': 'case|switch|enum|state|status|value|label|format|handled|exhaustive|panic|throws|index',
  'buffer-overflow': 'overflow|bound|length|too long|terminat|nul|size|out.of.bounds|too small',
  'integer-overflow': 'overflow|wrap|32.bit|widen|cast|truncat|negative',
  'leaked-handle': 'leak|close|unclosed|handle|resource|descriptor|body',
  'double-free': 'double.free|freed twice|free',
  'signature-semantics':
    'null|none|undefined|nil|return|throw|error|caller|index|contract|compare|count|empty|semantic',
  'swapped-arguments': 'swap|order|argument|parameter|direction|overwrit|source|target|caller',
  'default-with-consumer': 'default|caller|consumer|constant|relies|depend|silent|verbose|level|limit|size',
  'format-string': 'format',
  'missing-break': 'fall.?through|break|case',
  'division-by-zero': 'zero|divi|infinit',
  'inverted-condition':
    'invert|negat|opposite|revers|wrong way|condition|order|descending|ascending|below|lowest|instead|flipped|before|after|logic',
  'deadlock-order': 'deadlock|lock order|order|lock|mutex|join|reentran|recursive',
  'iterator-invalidation': 'iterat|invalidat|while (iterating|walking|enumerating)|skip|modif|enumerat|remov|eras',
  'stale-cache-key': 'stale|cache|key|invalidat|share|collision|collid',
  race: 'race|lock|mutex|thread|concurren|atomic|synchroni',
  'renamed-key': 'renam|key|field|propert|old name|caller|undefined|missing|consumer|member',
  'wrong-unit': 'unit|second|millisecond|hour|day|metre|squared|scale|duration|nanosecond|3600',
  'float-equality': 'equal|float|exact|precision|tolerance|epsilon|overshoot|compar',
  'integer-division': 'integer division|divis|truncat|fraction|zero|round|precision|cast',
  'missing-check': 'check|bound|valid|guard|range|twice|again|repeat|nan|negative|unbounded',
  uninitialized: 'uninitiali[sz]ed|initiali[sz]|garbage|indeterminate|no value|undefined',
  'signed-unsigned': 'unsigned|wrap|underflow|signed|empty|size',
  'missing-return': 'empty|return|front|guard|check|undefined',
  'sql-injection': 'inject|sql|parameter|concat|interpolat|escap|statement',
  'missing-null-check': 'null|none|nil|undefined|missing|absent',
  'path-traversal': 'travers|path|outside|\\.\\.|escape|director|folder',
  'time-zone': 'zone|utc|local|naive|aware|offset',
  'event-leak': 'unsubscrib|leak|event|handler|listener|subscri|remov',
  'async-void': 'async void|await|exception|unobserved|void',
  'swallowed-error': 'swallow|ignor|silent|error|exception|failure|hid',
  'weak-random': 'random|predict|guess|crypto|secure|entropy',
  encoding: 'encod|utf|latin|charset|character',
  'timing-unsafe-compare': 'timing|constant.time|compar|side.channel',
  'missing-dispose': 'dispos|leak|using|resource',
  'reference-equality': 'reference|identity|equals|box|==|equal|cache',
  'wrong-operator': 'operator|\\|\\||&&|condition|logic|either|always',
  'missing-auth-check': 'auth|permission|access|right|check|may write|privilege|anyone',
  'endless-retry': 'endless|infinite|forever|for ever|never (end|stop)|loop|retr|limit|max',
  'logged-secret': 'password|secret|log|credential|sensitive|plain',
  'html-injection': 'xss|html|escap|inject|markup|script|sanit',
  'equals-without-hash': 'hash|equals',
  'endless-loop': 'endless|infinite|forever|for ever|never (end|stop|terminat|break)|loop|cycle|circle|terminat',
  'command-injection': 'inject|shell|command|escap|arbitrary|sandbox|environment|execut',
  'mutable-default': 'mutable|default|shared|persist|same list',
  'late-binding': 'late|closure|binding|capture|last (level|value)|lambda|loop variable',
  'unclosed-file': 'close|leak|file|handle|flush',
  'regex-anchor': 'anchor|fullmatch|search|partial|regex|match|valid',
  'caller-not-updated': 'caller|call site|updated|tuple|pair|format|throws|done|stage|renam|consumer|compar|index|zero',
  'missing-await': 'await|promise|coroutine|async|unhandled',
  'broken-error-path': 'error|fail|catch|swallow|charge|order|roll',
  'unbounded-growth': 'grow|unbounded|memory|limit|never (shrink|remov|trim)|leak|evict',
  'timer-leak': 'timer|interval|clear|leak|stop',
  'wrong-default': 'zero|slice|negative|all|everything|whole',
  'shared-mutation': 'mutat|in place|in-place|sort|copy|history|order',
  'wrong-index-base': 'index|one.based|1.based|begin|start|zero|nil|off.by.one',
  'global-leak': 'global|local|scope|shared',
  'defer-in-loop': 'defer|loop|leak|descriptor|open',
  'goroutine-leak': 'goroutine|leak|buffer|channel|block|unbuffered',
  'ignored-error': 'error|ignor|discard|nil|check|blank',
  'slice-aliasing': 'alias|append|backing|array|share|overwrit|copy|capacity|mutat',
  'shadowed-variable': 'shadow|err|lost|inner|ignor|:=|scope',
  'resource-in-loop': 'ticker|loop|leak|stop|every (turn|iteration)|each (turn|iteration)|new',
} as const satisfies Readonly<Record<string, string>>;

export type DefectKind = keyof typeof kindWords;

const patterns = new Map(Object.entries(kindWords).map(([kind, words]) => [kind, new RegExp(words, 'i')]));

/** Whether a text speaks of a defect of this kind. */
export function isAbout(kind: DefectKind, text: string): boolean {
  return patterns.get(kind)?.test(text) ?? false;
}
