/**
 * Words by which reviewers name one kind of defect. Two texts about one defect share few words, but
 * name its kind: "null dereference" and "may be undefined". Each line is a kind; words are the
 * beginnings of words, a trailing `$` ends one.
 */
const KINDS: Readonly<Record<string, string>> = {
  absence: 'null nil$ none$ undefined nullptr npe$ deref absent exist evict optional unguarded',
  emptiness: 'empty zero$ nothing first not-found notfound',
  leak: 'leak close$ closes closed closing unclosed fclose release dispose free$ freed descriptor handle$ handles$ open$ opened stays',
  injection:
    'inject escap unescap sanit encod parameteri interpolat concatenat markup xss$ html sql$ query statement hostile attacker bind$',
  race: 'race$ races$ racy concurren mutex lock$ locks$ locking synchroni unsynchroni thread goroutine atomic simultan',
  boundary: 'off-by-one bound$ bounds$ boundary range last$ final$ skip fencepost inclusive exclusive short$',
  asynchrony: 'await promise async floating background reject',
  swallowing:
    'swallow ignor silent discard hide$ hides hidden except$ exception catch caught bare$ pass$ nobody drop$ drops$ dropped',
  overflow: 'overflow overrun overwrit buffer memory$ corrupt stack$ strcpy memcpy past$ length',
  timing: 'timing constant constant-time prefix compar measure guess',
  disclosure:
    'log$ logs$ logged logging audit secret credential token password sensitive clear$ cleartext plaintext expos record',
  endlessness:
    'infinite forever endless unlimited unbounded bound$ maximum max$ limit cap$ retry retries attempt never$ exit$ end$',
  exhaustion: 'limit cap$ size$ huge large unbounded exhaust memory maximum denial dos$ oom$',
  initialisation: 'uninit initial unbound unassign assign$ assigned unset bound$ declared',
  iteration: 'iterat erase erasing invalid loop removing removal modif',
  unit: 'unit$ units$ second$ seconds millisecond milliseconds conver factor scale mismatch mixed',
  checking: 'check$ checks checked checking uncheck unvalidat validat verify guard fail$ fails failure error$ errors$',
};

const LONGEST = 12;
const SHORTEST = 3;

function readKinds(): ReadonlyMap<string, readonly string[]> {
  const kinds = new Map<string, string[]>();
  for (const [kind, words] of Object.entries(KINDS))
    for (const word of words.split(' ')) kinds.set(word, [...(kinds.get(word) ?? []), kind]);
  return kinds;
}

const kindsByWord = readKinds();

/** The kinds of defect that a word, in lower case, may name; mostly none. */
export function listDefectKinds(word: string): readonly string[] {
  const whole = kindsByWord.get(`${word}$`);
  if (whole !== undefined) return whole;
  for (let length = Math.min(word.length, LONGEST); length >= SHORTEST; length -= 1) {
    const kinds = kindsByWord.get(word.slice(0, length));
    if (kinds !== undefined) return kinds;
  }
  return [];
}
