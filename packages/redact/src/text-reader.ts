/**
 * What reads texts: the pipeline with its scanner, the rules, and what a path says of a text. Most
 * of this package, and no class that a host sees.
 */
export { readPath } from './path-kind.js';
export { createPipeline } from './pipeline.js';
export { createIsQuiet } from './quiet-text.js';
export { rulesFor } from './rules/rule-set.js';
export { RULES_VERSION } from './rules/rules-version.js';
export { freeTextRules } from './structured/free-text-rules.js';
