/** Five words, or four and a number: messages and settings have names of four. */
const DOTTED = /^[a-z]{3,10}(?:\.[a-z]{3,10}){3,8}(?:\.[a-z]{3,10}|\.?\d{1,3})$/;
/** Four words or more, none of them small: a sentence in any language has small ones. */
const SPACED = /^[a-z]{4,9}(?: [a-z]{4,9}){3,7}(?: \d{1,3})?$/;

/**
 * What people write about a password, and what parts of a program are called: no list of words to
 * make a passphrase of holds more than a few of them.
 */
const ORDINARY = new Set(
  (
    'under over after before about while until since then the and but not for from with into are was were been will can may must should have has had does did you your yours our they their its this that these those all any each every some more most other same ' +
    'new old first last next please enter type choose select confirm repeat use using used set get put add remove delete change changed reset forgot forgotten show hide view edit save copy send keep make need ' +
    'login logout sign signin signup register user users username account accounts admin administrator mail email address name names value values key keys field fields form page error errors message messages ' +
    'label title text string strings config configuration setting settings option options server client host port database schema table service services module model views controller app application com org net ' +
    'www http https data json yaml file files path default example sample test tests spec minimum maximum length character characters least than between valid invalid required optional empty null none true false ' +
    'password passwords passphrase secret secrets token tokens auth security credential credentials property properties env environment spring system global local common shared core main index item items list ' +
    'web api code number numbers letter letters symbol symbols word words strong weak good bad here there when where what which who how why only also just like unable cannot could would failed missing wrong'
  ).split(' '),
);

/**
 * True for words that nothing but chance puts together, as passphrases are made:
 * `ribbon.cactus.harbor.violin.42`, `ribbon cactus harbor violin`.
 */
export function isPhrase(value: string): boolean {
  return (
    value.length <= 100 &&
    (DOTTED.test(value) || SPACED.test(value)) &&
    !value.split(/[. ]/).some((word) => ORDINARY.has(word))
  );
}
