/** Nouns that name a defect. An issue with a number is a ticket. Words are bounded, so that matching stays linear. */
const DEFECT = [
  'bugs?(?! reports?| fix)',
  '(?:issues?|problems?|bugs?)(?! ?#?\\/?\\d| templates?| trackers?| lists?| models?)',
  'defects?|flaws?|mistakes?|vulnerabilit(?:y|ies)(?! scanners?)|concerns?|risks?|regressions?(?! tests?)|backdoors?',
  '(?:memory |resource |handle |file descriptor )?leaks?(?! detect)',
  '(?:data )?races?(?: conditions?)?|deadlocks?|livelocks?|(?:infinite|endless) loops?|unbounded recursion',
  '(?:\\w{1,20} )?(?:overflows?|underflows?)|out[- ]of[- ]bounds(?: \\w{1,20})?|off-by-one(?: errors?)?',
  '(?:null|nil)(?: pointer)? dereferences?|use[- ]after[- ]free|double free|crash(?:es)?',
  '(?:sql|command|code|html|header|script) injections?|xss|csrf|ssrf|path traversal|(?:memory |data )?corruption|data loss',
  '(?:wrong|incorrect) \\w{1,20}',
].join('|');

/** What code is missed for. */
const CHECK =
  'check(?:s|ing)?|validati(?:on|ng)|verif(?:ying|ication)|saniti[sz](?:ing|ation)|escaping|lock(?:s|ing)?|bounds?|guard|timeout|tests?';
const GUARD = `(?:${CHECK}|authori[sz]ation(?: check)?|authentication|error handling|null check|await|return|break)`;

/** What is said of code that does something wrong, or does not do what it must. */
const WRONG: readonly string[] = [
  '(?:leaks|crashes|overflows|underflows|deadlocks|corrupts|breaks|fails|misses|lacks|truncates|swallows|exposes|dereferences|skips|omits)\\b',
  '(?:is|are|be|being|gets?|left) (?:\\w{1,20}ly )?(?:wrong|incorrect|inverted|reversed|missing|unsafe|insecure|broken|invalid|vulnerable|unterminated' +
    '|uninitiali[sz]ed|unchecked|unhandled|unvalidated|hard-?coded|exposed|truncated|ignored|swallowed|lost|leaked|racy|stale|unreachable' +
    '|possible|out of (?:range|bounds|date)|caught and|outside the|stored un|(?:logged|stored|sent) in (?:plain|clear))',
  "(?:is|are|does|do|has|have|can|will|would) ?(?:not|n't) (?!(?:\\w{1,20} )?(?:affect|alter|appear|break|caus|chang|contain|depend|detect|find|happen|identif|impact|includ" +
    '|introduc|involv|modif|need|occur|rais|requir|reveal|say|see\\b|seem|tell|touch|us(?:e|ed)\\b))[a-z]',
  'never (?:\\w{1,20} )?(?:\\w{1,20}ed|\\w{1,20}en|closes?|frees?|terminates?|returns?|runs?|checks?|ends?|set|shut)\\b',
  '(?:may|might) (?!now|be (?:used|set|left)|also)\\w|(?:could|can|will|would) (?:\\w{1,20}ly )?(?:crash|fail|throw|overflow|underflow|break|cause|deadlock|leak|lead|hang|loop|block|lose|corrupt' +
    '|panic|occur|never|not|expose|race|return stale|be (?:null|nil|none|undefined|negative|injected|bypassed|exploited|forged|guessed|overwritten|\\w{1,20} twice|an? ))',
  '(?:leads?|leading) to\\b|result(?:s|ing) in\\b|caus(?:es|ing)\\b',
  '(?:should|must|ought to) (?:be|have|use|check|call|return|also|not)\\b',
  '(?:silently|incorrectly|wrongly|erroneously|mistakenly|accidentally)\\b',
  '(?:past|beyond) the (?:end|last)\\b',
  `(?:without|lacks?|missing|omits?|skips?|no) (?:(?:an?|any|the|proper) )?(?:\\w{1,20} )?${GUARD}\\b`,
  `(?:${GUARD}) (?:is|are) missing\\b`,
  '(?:freed|unlocked|closed|invoked|called|released|deleted) twice\\b|(?:used|read) before it is \\w{1,20}ed\\b|still in use\\b|plain ?text\\b',
  'always (?:evaluates?|returns?|true|false)\\b|but the \\w{1,20} expects\\b|uninitiali[sz]ed\\b|unsafe\\b|unauthenticated\\b|forever\\b|without bound\\b|forgets? to\\b|panics?\\b|instead of (?:equals|===?)',
];

/** A defect that the change brings with it, whatever the sentence says first. */
const BROUGHT: readonly string[] = [
  '(?:introduces?|contains?|has|have|there (?:is|are|might be|may be|could be)|creates?|is) (?:(?:an?|another|the|some|several|possible|potential|new|serious' +
    '|severe|minor|security|critical|few|two|three) ){0,3}(?:DEFECT)(?=$|[,:]| (?:in|on|at|when|if|that|which|between|where|with|of|due|because|under|about|for)\\b)',
  '(?:is|are) (?:wrong|incorrect|inverted|reversed|broken|unsafe|insecure|vulnerable)\\b',
  `removes? (?:the|an?) (?:\\w{1,20} )?${GUARD}\\b`,
];

/** Defects that are counted or graded. */
const COUNTED: readonly string[] = [
  '(?:found|[1-9]\\d{0,3}|one|two|three|four|five|six|several|multiple|a few|following|critical|possible|potential) (?:\\w{1,20} ){0,3}(?:DEFECT|findings?)',
  '(?:issues?|problems?|bugs?|defects?|findings?)(?: found)?: ?[1-9a-z]',
  '[1-9]\\d{0,3} findings?\\b',
  '(?:critical|high|medium|low)(?:[ -]severity)?: ',
];

/** Defects that are denied. */
const NEGATED: readonly string[] = [
  `^(?:no|none|nothing|zero|0|nil|n/a|not|neither|nor|don't|do not|never)\\b(?!.*\\b${GUARD}\\b)`,
  '\\b(?:no|zero|0|without(?: any)?|free (?:of|from)|not a single|nor|neither|any) (?:[\\w-]{1,30},? (?:(?:and|or|nor) )?){0,6}?(?:DEFECT)',
  "\\b(?:not|n't|never|nothing|none) (?:\\w{1,20} )?(?:find|found|see|seen|reveal|revealed|detect|detected|identif\\w{1,5}|introduc\\w{1,5}|spot|spotted" +
    '|notic\\w{1,5}|reported?|raise|contain|have any|cause|break|change|affect|alter|modify|uncover)\\b',
  '\\b(?:found|saw|see|noticed) (?:none|no)\\b|\\b(?:cannot|can.t) (?:happen|occur)\\b|\\bis gone\\b|\\bnothing\\b|\\bnone (?:were|was|found)\\b|\\b(?:anymore|no longer)\\b',
];

/** What changes do. */
const ACTIONS =
  'add|address|allow|avoid|bump|change|check|clean|close|convert|correct|cover|delete|disable|document|eliminate|enable|ensure|escape|extend|extract|fix|guard' +
  '|handle|harden|implement|improve|let|log|lower|make|map|migrate|mitigate|move|patch|prevent|protect|raise|refactor|reject|remove|rename|repair|replace' +
  '|report|resolve|reuse|rewrite|set|simplify|split|stop|strip|support|suppress|tighten|update|upgrade|use|validate|verify|wrap|introduce|drop';
const INFLECTED = `(?:${ACTIONS.replaceAll('e|', 'e?|')}|introduc)(?:s|es|ed|ing|ped|ping|ies|ied)?`;

/** The change mends something, or the sentence speaks of what was. */
const MENDED: readonly string[] = [
  '\\b(?:fix(?:es|ed|ing)?|correct(?:s|ed|ing)|resolv(?:es?|ed|ing)|prevent(?:s|ed|ing)?|avoid(?:s|ed|ing)?|address(?:es|ed|ing)|eliminat(?:es?|ed|ing)' +
    '|mitigat(?:es?|ed|ing)|repair(?:s|ed|ing)?|guard(?:s|ing)?|protect(?:s|ing)?|stop(?:s|ped)? \\w{1,20}ing|harden(?:s|ed|ing)?|closing|suppress)\\b',
  '\\bnow\\b|\\bpreviously\\b|\\bformerly\\b|\\bused to\\b|\\bearlier\\b|\\bbefore\\.?$|\\bthe (?:old|previous|removed|former) code\\b',
  `^(?:(?:the|this) (?:change(?:list)?|patch|commit|diff|update|refactoring|pr|test|tests)\\b ?|it |i |tests? )?(?:also |only |correctly )?${INFLECTED}\\b(?!\\()`,
  '^the (?:new )?(?:code|implementation) (?:correctly )?(?:handles|checks|validates|guards|releases|frees|closes)\\b',
  '^(?:(?:the )?(?:new )?(?:unit )?tests? cover|(?:test|doc|docs|comment)-only\\b|i (?:checked|reviewed)|simple|minor|small|safe|good|straightforward|documentation|whitespace|configuration)\\b',
];

/** Praise. */
const SOUND: readonly string[] = [
  '\\b(?:is|are|looks?|appears?(?: to be)?|seems?(?: to be)?) (?:all |both |also |mostly |\\w{1,20}ally )?(?:correct|fine|right|good|sound|safe|clean|handled(?! (?:in|un|im)\\w{1,20}ly)' +
    '|complete|consistent|ok(?:ay)?|covered|bound|minimal|well)\\b',
  '\\b(?:correctly|properly|gracefully|safely|consistently)\\b',
];

function compile(parts: readonly string[], prefix = ''): RegExp {
  return new RegExp(
    parts
      .map((part) => `${prefix}(?:${part})`)
      .join('|')
      .replaceAll('DEFECT', DEFECT),
    'i',
  );
}

const wrong = compile([...WRONG, ...BROUGHT], '\\b');
const brought = compile(BROUGHT, '\\b');
const counted = compile(COUNTED, '\\b');
const negated = compile(NEGATED);
const mended = compile(MENDED);
const sound = compile(SOUND);
const named = compile([DEFECT], '(?<!\\w)');
/** A list item that cites a line. */
const located = /^(?:\d{1,3}[.)]|[-*•]) .{0,200}?(?:[\w/-]{1,100}\.\w{1,8}:\d|\blines? \d)/i;

/** Sentences end here, and a contrast opens a new one. */
const CLAUSE_END =
  /[;\n]|[.!?](?=\s|$)|,? ?\b(?:but|however|although|though|yet|except that|nevertheless|unfortunately)\b,?|, (?=(?:it|this|they|there|which|so) )/i;
const LIST_MARK = /^(?:\d{1,3}[.)]|[-*•#>]{1,6})\s{1,9}/;
/** No summary is longer. */
const MAX_TEXT = 100_000;
const MAX_CLAUSE = 1_000;

function isDefect(clause: string): boolean {
  const bare = clause.replace(LIST_MARK, '');
  if (negated.test(bare)) return false;
  if (mended.test(bare)) return brought.test(bare);
  if (sound.test(bare)) return false;
  return counted.test(bare) || wrong.test(bare) || named.test(bare) || located.test(clause);
}

/**
 * Whether a free text, such as a summary or the prose round a reply, names a defect of the code as
 * it is now. Sentences that deny defects, that say what the change mends or does, or that praise,
 * do not count. Judged by words, in English: a defect that is described without any of them is
 * missed, so this can raise a doubt and never lift one. Linear in the text.
 */
export function namesDefects(text: string): boolean {
  if (text.length > MAX_TEXT) return true;
  const plain = text
    .replaceAll('’', "'")
    .replaceAll(/[^\S\n]{1,99}/g, ' ')
    .replaceAll(/[*`_"]{1,3}/g, '');
  return plain.split(CLAUSE_END).some((clause) => {
    for (let at = 0; at < clause.length; at += MAX_CLAUSE)
      if (isDefect(clause.slice(at, at + MAX_CLAUSE).trim())) return true;
    return false;
  });
}
