import { CATEGORIES, CONFIDENCES, type Finding, SEVERITIES } from '../../review/review-result.js';
import type { Chance, SampleReply } from './damage-replies.js';

/** What reviewers write about: code, paths, patterns, quotes, other scripts, braces. */
const messages = [
  'The buffer is freed twice when the write fails.',
  'if (a[i] == 0) { return; } never runs, since i starts at 1.',
  'The pattern \\d+\\s matches too much; see C:\\Users\\ada\\src.',
  'The key is "name" here and "label" there.',
  'First: no bound.\nSecond: no lock.\n\tThird: no test.',
  'Größe wird nicht geprüft; 漢字 and 🚀 break the width.',
  'Calls `close()` [1], then reads {"state": "open"} from it.',
  'The path //d/a.c is compared by case, it’s not on Windows.',
];
const titles = ['Double free', 'Wrong bound', 'Lock is not taken', 'Regex is not anchored', 'Error is lost', 'Leak'];

function pick<T>(list: readonly T[], chance: Chance): T {
  return list[Math.floor(chance() * list.length)] as T;
}

/** Draws a reply of one to six findings about these files, each with a title of its own. */
export function drawReply(
  chance: Chance,
  { files, versions }: { files: readonly string[]; versions: Readonly<Record<string, string>> },
): SampleReply {
  const findings = Array.from({ length: 1 + Math.floor(chance() * 6) }, (_, index): Finding => {
    const line = 1 + Math.floor(chance() * 50);
    return {
      ...{ id: `f${index + 1}`, severity: pick(SEVERITIES, chance), category: pick(CATEGORIES, chance) },
      ...{ title: `${pick(titles, chance)} (${index + 1})`, file: pick(files, chance), line },
      ...(chance() < 0.4 ? { end_line: line + 2 } : {}),
      message: pick(messages, chance),
      ...(chance() < 0.5 ? { suggestion: pick(messages, chance) } : {}),
      ...(chance() < 0.5 ? { confidence: pick(CONFIDENCES, chance) } : {}),
    };
  });
  return { findings, envelope: { ...versions, ...(chance() < 0.5 ? { summary: 'Adds a cache.' } : {}) } };
}
