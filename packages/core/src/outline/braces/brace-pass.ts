import type { BraceLanguage } from '../scan/lexical-rules.js';
import type { StepBudget } from '../scan/step-budget.js';
import { char, code, type TokenList } from '../scan/token-list.js';
import { closeBranch, elseBranch, openBranch } from './branches.js';
import { columnIndex } from './column-index.js';
import { type Frame, fileFrame, type HeadShape, type OpenSection } from './frame.js';
import { type BracePass, type DeclaredName, endSection, type HeadRules } from './pass.js';
import { isStrayCloser, popToColumn, popToHead } from './recovery.js';

/** How many tokens of a statement are looked at: groups count as two. */
const maxHead = 512;

/** Reads the tokens once and collects sections and declarations. Linear but for the bounded looks at a head. */
export function readBraces(
  tokens: TokenList,
  language: BraceLanguage,
  rules: HeadRules,
  options: { readonly budget: StepBudget; readonly recovers: boolean },
): BracePass {
  const { budget, recovers } = options;
  const pass: BracePass = {
    ...{ tokens, language, budget, rules, columns: recovers ? columnIndex(tokens) : undefined },
    ...{
      sections: [],
      declarations: [],
      frame: fileFrame(),
      branch: undefined,
      balanced: true,
      lastCloser: -1,
      closedFunction: false,
    },
  };
  for (let at = 0; at < tokens.count; at += 1) {
    budget.spend(1);
    readToken(pass, at);
  }
  endStatement(pass);
  if (pass.frame.parent !== undefined || pass.branch !== undefined) pass.balanced = false;
  for (let frame: Frame | undefined = pass.frame; frame !== undefined; frame = frame.parent) {
    endSection(frame, tokens.lineCount);
  }
  return pass;
}

function readToken(pass: BracePass, at: number): void {
  const of = pass.tokens.code(at);
  if (pass.rules.nameArrow !== undefined && of !== char.openBrace) openArrow(pass, at);
  switch (of) {
    case char.openBrace:
      openBrace(pass, at);
      break;
    case char.closeBrace:
      closeBrace(pass, at);
      break;
    case char.openParen:
    case char.openBracket:
      openGroup(pass, at, of);
      break;
    case char.closeParen:
    case char.closeBracket:
      closeGroup(pass, at, of);
      break;
    case char.semicolon:
      readSemicolon(pass);
      break;
    case char.comma:
      readComma(pass, at);
      break;
    case code.branchIf:
    case code.branchNever:
      openBranch(pass, of === code.branchNever);
      break;
    case code.branchElse:
      elseBranch(pass, at);
      break;
    case code.branchEnd:
      closeBranch(pass, at);
      break;
    default:
      readWord(pass, at);
  }
}

/** Adds a token to the statement, after ending the one before where the language says that it ends. */
function readWord(pass: BracePass, at: number): void {
  if (pass.rules.endsBefore?.(pass, at)) endStatement(pass);
  pass.frame.head.push(at);
  if (pass.rules.endsAfter?.(pass, at)) pass.frame.head = [];
}

/** Ends the statement: what it declares is noted, and a new one begins. */
function endStatement(pass: BracePass): void {
  const { frame } = pass;
  const last = frame.head.at(-1);
  if (last === undefined) return;
  if (frame.arrow !== undefined) {
    frame.arrow.endLine = Math.max(frame.arrow.bodyLine, pass.tokens.endLine(last));
    frame.arrow = undefined;
  }
  const declares = frame.kind === 'group' ? pass.rules.declaresInGroup?.(pass) === true : !frame.inBody;
  const declared = declares ? pass.rules.declare(pass) : undefined;
  if (declared !== undefined) addDeclaration(pass, declared);
  frame.head = [];
}

/** `const name = (a) => expression`: a section from the statement's start to its end. */
function openArrow(pass: BracePass, at: number): void {
  const { frame, tokens, rules, language, budget } = pass;
  const last = frame.head.at(-1);
  const first = frame.head[0];
  if (last === undefined || first === undefined || tokens.code(last) !== code.fatArrow || frame.kind === 'group')
    return;
  const head = frame.head.slice(-maxHead);
  budget.spend(head.length);
  const name = frame.arrow === undefined ? rules.nameArrow?.({ tokens, frame, language, head }) : undefined;
  if (name !== undefined) frame.arrow = openSection(pass, { kind: 'function', name }, first, at);
}

function addDeclaration({ tokens, frame, declarations }: BracePass, { kind, token }: DeclaredName): void {
  const startLine = tokens.line(frame.head[0] ?? token);
  declarations.push({ kind, name: tokens.read(token), startLine, endLine: tokens.line(frame.head.at(-1) ?? token) });
}

function readSemicolon(pass: BracePass): void {
  const { frame } = pass;
  if (frame.openCode === char.openParen || frame.openCode === char.openBracket) {
    if (pass.rules.allowsSemicolon(pass)) {
      frame.head = [];
      return;
    }
    pass.balanced = false;
    if (pass.columns !== undefined) popGroups(pass);
  }
  endStatement(pass);
}

function readComma(pass: BracePass, at: number): void {
  const { kind } = pass.frame;
  if (kind === 'enum' || kind === 'object') endStatement(pass);
  else if (kind === 'group') pass.frame.head = [];
  else pass.frame.head.push(at);
}

function openGroup(pass: BracePass, at: number, of: number): void {
  if (pass.rules.endsBefore?.(pass, at)) endStatement(pass);
  const { frame } = pass;
  frame.head.push(at);
  pass.frame = {
    kind: 'group',
    parent: frame,
    section: undefined,
    named: frame.named,
    inBody: frame.inBody,
    column: pass.tokens.indent(at),
    opener: at,
    openCode: of,
    depth: frame.depth + 1,
    braces: frame.braces,
    keepsHead: true,
    head: [],
    oldStyleHead: undefined,
    arrow: undefined,
  };
}

function closeGroup(pass: BracePass, at: number, of: number): void {
  const opener = of === char.closeParen ? char.openParen : char.openBracket;
  if (pass.rules.declaresInGroup?.(pass) === true) endStatement(pass);
  const { frame } = pass;
  if (frame.openCode !== opener || frame.parent === undefined) {
    pass.balanced = false;
    return;
  }
  pass.frame = frame.parent;
  pass.frame.head.push(at);
}

/** Leaves groups that a `;` or a brace proves to be unclosed. */
function popGroups(pass: BracePass): void {
  while (pass.frame.kind === 'group' && pass.frame.parent !== undefined) pass.frame = pass.frame.parent;
}

function openBrace(pass: BracePass, at: number): void {
  if (pass.rules.endsBefore?.(pass, at)) endStatement(pass);
  if (followsWrongCloser(pass)) pass.balanced = false;
  let shape = classify(pass);
  if (pass.columns !== undefined && popToHead(pass, shape, at)) shape = classify(pass);
  const { frame, tokens } = pass;
  const first = shape.start ?? frame.head[0] ?? at;
  const section = openSection(pass, shape, first, at);
  if (!shape.keepsHead) frame.head = [];
  frame.oldStyleHead = undefined;
  const holder = shape.kind === 'type' || shape.kind === 'enum';
  const opened: Frame = {
    kind: shape.kind,
    parent: frame,
    section,
    named: frame.named,
    inBody: shape.kind === 'function' || (frame.inBody && !holder),
    column: tokens.indent(first),
    opener: at,
    openCode: char.openBrace,
    depth: frame.depth + 1,
    braces: frame.braces + 1,
    keepsHead: shape.keepsHead === true,
    head: [],
    oldStyleHead: undefined,
    arrow: undefined,
  };
  if (section !== undefined) opened.named = opened;
  pass.frame = opened;
}

const clauses: ReadonlySet<string> = new Set(['else', 'catch', 'finally']);

/** `} else {` after a brace that closed a function: the text has one brace too many. */
function followsWrongCloser({ tokens, frame, lastCloser, closedFunction }: BracePass): boolean {
  const first = frame.head[0];
  return first !== undefined && closedFunction && lastCloser === first - 1 && clauses.has(tokens.read(first));
}

function classify({ tokens, frame, rules, budget, language }: BracePass): HeadShape {
  budget.spend(Math.min(frame.head.length, maxHead));
  return rules.classify({ tokens, frame, language, head: frame.head.slice(-maxHead) });
}

function openSection(pass: BracePass, shape: HeadShape, first: number, at: number): OpenSection | undefined {
  if (shape.kind !== 'function' && shape.kind !== 'type' && shape.kind !== 'enum') return undefined;
  if (shape.name === undefined && !shape.namedAfter) return undefined;
  const { tokens, frame } = pass;
  const holder = frame.named?.section;
  const outer = holder === undefined ? [] : holder.outer.length < 16 ? [...holder.outer, holder.name] : holder.outer;
  const section: OpenSection = {
    kind: shape.kind === 'function' ? 'function' : 'type',
    name: shape.name?.text ?? '',
    outer: shape.name?.qualifiers === undefined ? outer : [...outer, ...shape.name.qualifiers],
    startLine: tokens.line(first),
    nameLine: tokens.line(shape.name?.token ?? first),
    bodyLine: tokens.line(at),
    endLine: 0,
  };
  pass.sections.push(section);
  return section;
}

function closeBrace(pass: BracePass, at: number): void {
  if (pass.columns !== undefined) {
    if (isStrayCloser(pass, at)) return;
    popToColumn(pass, at);
  }
  const { frame } = pass;
  if (frame.kind === 'enum' || frame.kind === 'object' || pass.rules.endsBefore !== undefined) endStatement(pass);
  if (frame.kind === 'group') {
    pass.balanced = false;
    if (frame.braces > 0) popGroups(pass);
  }
  closeFrame(pass, at);
}

function closeFrame(pass: BracePass, at: number): void {
  const { frame, tokens } = pass;
  if (frame.parent === undefined || frame.openCode !== char.openBrace) {
    pass.balanced = false;
    return;
  }
  endSection(frame, tokens.line(at));
  if (frame.section?.name === '') nameAfter(pass, frame.section, at);
  pass.lastCloser = at;
  pass.closedFunction = frame.section?.kind === 'function';
  pass.frame = frame.parent;
  if (frame.keepsHead) pass.frame.head.push(at);
}

/** `typedef struct { … } Name;`: the word after the brace. */
function nameAfter({ tokens }: BracePass, section: OpenSection, at: number): void {
  if (tokens.code(at + 1) !== code.word) return;
  section.name = tokens.read(at + 1);
  section.nameLine = tokens.line(at + 1);
}
