import type { ReviewMailFinding } from '@criticizer/core/ports';
import { nameFile } from '../rendering/name-place.js';
import { excerptText } from '../rendering/render-excerpt.js';
import { describeDoubt, findingFacts } from '../rendering/review-verdict.js';
import type { ChatWords } from './chat-words.js';
import { fit } from './fit.js';

/** One finding in words. Every text but `severity` is untrusted, and shows what hides or reorders text. */
export interface ChatFinding {
  /** Of `Severity`; `label` is its word for readers. */
  severity: ReviewMailFinding['severity'];
  label: string;
  title: string;
  file: string;
  /** False: it is about the change itself, which `file` says. */
  isInFile: boolean;
  /** Line, category and what a reader must know before trusting it. */
  facts: string;
  message: string;
  suggestion: string;
  /** Lines of code with their numbers; empty: none. */
  excerpt: string;
  /** Where a reader hides the finding; undefined: nowhere. */
  hideUrl: string | undefined;
}

function describeExcerpt({ excerpt = [] }: ReviewMailFinding, { readable }: ChatWords): string {
  // Read as code: the first line keeps its indent.
  return readable(excerptText(excerpt.map((line) => ({ ...line, text: fit(line.text, 300) }))), 800);
}

/** A finding in words; `hideUrl` is where a reader hides it. */
export function describeFinding(
  finding: ReviewMailFinding,
  words: ChatWords,
  hideUrl: string | undefined,
): ChatFinding {
  const { labels, oneLine, readable } = words;
  const doubt = describeDoubt(finding, labels);
  // About the change itself, "whole file" says nothing.
  const facts = findingFacts(finding, labels).filter((fact) => finding.file !== null || fact !== labels.wholeFile);
  return {
    severity: finding.severity,
    label: labels[finding.severity],
    title: oneLine(finding.title, 200),
    file: oneLine(nameFile(finding.file, labels, 300), 300),
    isInFile: finding.file !== null,
    facts: oneLine([...facts, ...(doubt === null ? [] : [doubt])].join(', '), 400),
    message: readable(finding.message, 1_200),
    suggestion: readable(finding.suggestion, 800),
    excerpt: describeExcerpt(finding, words),
    hideUrl,
  };
}
