import type { BraceLanguage } from '../scan/lexical-rules.js';
import { cHeads } from './c-heads.js';
import { classHeads } from './class-heads.js';
import { goHeads } from './go-heads.js';
import type { HeadRules } from './pass.js';
import { scriptHeads } from './script-heads.js';

/** How each brace language reads statements. */
export const headRules: Readonly<Record<BraceLanguage, HeadRules>> = {
  c: cHeads,
  cpp: cHeads,
  hlsl: cHeads,
  glsl: cHeads,
  csharp: classHeads,
  java: classHeads,
  go: goHeads,
  javascript: scriptHeads,
  typescript: scriptHeads,
};
